export const help = `millwright: manage machines

Usage:
  millwright stop --reason TEXT [--by NAME]   Keep everything from being created or deleted, within seconds
  millwright stop --status                    Say whether everything is stopped, since when, by whom and why
  millwright resume                           End the stop
  millwright driver verify --provider NAME    Try whether a driver does what the core needs; see millwright driver --help

A stop is the ConfigMap "millwright-stop" in the namespace of the machines: "kubectl apply" and "kubectl delete" do the
same. It outlives restarts of everything. While it stands no machine, no instance and no Node is created or deleted, and
no pod is evicted; machines that run go on running, and no machine becomes Failed because of it.

Options:
  --reason TEXT            Why; everybody who waits sees it
  --by NAME                Who stops it; not checked
  -n, --namespace NAME     Of the machines (default: that of the kubeconfig's context, else "default")
  --kubeconfig FILE        Of the control cluster (default: KUBECONFIG, ~/.kube/config, or the pod's own)
  -o, --output text|json   (default text)
  -h, --help

Examples:
  millwright stop -n shoot--dev --reason "the cloud deletes the wrong disks" --by alice
  millwright stop -n shoot--dev --status -o json
  millwright resume -n shoot--dev

Exit code: 0 done, 1 failed, 2 the command line is wrong.`;
