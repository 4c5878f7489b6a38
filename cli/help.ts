export const help = `millwright: manage machines

Usage:
  millwright setup [--check]                  Make a Temporal namespace ready, or say what it lacks
  millwright stop --reason TEXT [--by NAME]   Keep everything from being created or deleted, within seconds
  millwright stop --status                    Say whether everything is stopped, since when, by whom and why
  millwright resume                           End the stop
  millwright offboard NAMESPACE [--yes]       Remove what is kept for a namespace that is served no more
  millwright driver verify --provider NAME    Try whether a driver does what the core needs; see millwright driver --help

A stop is the ConfigMap "millwright-stop" in the namespace of the machines: "kubectl apply" and "kubectl delete" do the
same. It outlives restarts of everything. While it stands no machine, no instance and no Node is created or deleted, and
no pod is evicted; machines that run go on running, and no machine becomes Failed because of it.

Setup makes the Temporal namespace and registers the search attributes, where they are missing and it may; it changes
nothing that is there, and exits with 1 when something is left to do. It finds Temporal by TEMPORAL_ADDRESS,
TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and so on, or by a profile, as the command temporal does.

Offboard removes the Schedules, open workflows and claims of a namespace in Temporal, and its Leases. It refuses while a
watcher serves the namespace, and while there are Machines. Without --yes it says what it would remove, and exits with 1.

Options:
  --yes                    Of offboard: do it
  --keep-machines          Of offboard: Machines may stay, with their instances, for MCM or another install
  --install NAME           Of offboard: whose namespace it is (default: the install that has claimed it)
  --cluster-id ID, --cluster-name NAME, --leader-elect-resource-namespace NAME
                           Of offboard: as the processes have them
  --check                  Of setup: change nothing
  --retention-days N       Of setup: how long a namespace that it makes keeps closed workflows (default 7)
  --temporal-address HOST:PORT, --temporal-namespace NAME
                           Of setup and offboard: instead of the variables
  --reason TEXT            Why; everybody who waits sees it
  --by NAME                Who stops it; not checked
  -n, --namespace NAME     Of the machines (default: that of the kubeconfig's context, else "default")
  --kubeconfig FILE        Of the control cluster (default: KUBECONFIG, ~/.kube/config, or the pod's own)
  -o, --output text|json   (default text)
  -h, --help

Examples:
  millwright setup --temporal-address temporal.example:7233 --temporal-namespace machines
  millwright stop -n shoot--dev --reason "the cloud deletes the wrong disks" --by alice
  millwright stop -n shoot--dev --status -o json
  millwright resume -n shoot--dev
  millwright offboard shoot--dev --yes

Exit code: 0 done, 1 failed, 2 the command line is wrong.`;
