export const migrateHelp = `millwright migrate: from Gardener's Machine Controller Manager (MCM) to Millwright, and back

Usage:
  millwright migrate check       Say what hinders a take-over, and what MCM's flags are as values of the chart
  millwright migrate take-over   Scale MCM to 0, and wait until Millwright manages its machines
  millwright migrate hand-back   Scale Millwright to 0, end its runs in Temporal, and wait until MCM goes on

No machine, Node or instance is touched. Install Millwright first, beside MCM: it waits until MCM's Leases are free. Each
command can be repeated: it finds what is done. Where one does not come to its end, the other one leads back.
docs/migrating-from-mcm.md has the whole way.

Options:
  --mcm-deployment NAME      Of MCM's processes; more than once where they are apart (default: machine-controller-manager)
  --release-namespace NAME   Where Millwright is installed (default: the namespace of the machines)
  --external-provider NAME   A provider of MachineClasses whose driver is not built in and runs; more than once
  --flags-from FILE          Of check: flags of MCM, one a line, where it has no Deployment in this cluster
  --timeout DURATION         Of each wait (default 5m)
  -n, --namespace NAME       Of the machines (default: that of the kubeconfig's context, else "default")
  --kubeconfig FILE          Of the control cluster (default: KUBECONFIG, ~/.kube/config, or the pod's own)
  --temporal-address HOST:PORT, --temporal-namespace NAME
                             Of hand-back: as seen from here (default: TEMPORAL_* variables and profiles, as for the
                             command temporal; else what Millwright's own flags say)
  -o, --output text|json     (default text)
  -h, --help

You need the rights to get, list and patch Deployments, to list pods, to get and patch Leases, and to list Machines, MachineSets,
MachineDeployments and MachineClasses; check says which of them are missing. hand-back also terminates workflows and
deletes schedules.

Examples:
  millwright migrate check -n shoot--dev
  millwright migrate take-over -n shoot--dev
  millwright migrate hand-back -n shoot--dev --temporal-address temporal.example:7233

Exit code: 0 done, or nothing hinders (also where there is no MCM); 1 failed, or something hinders; 2 the command line
is wrong.`;
