export const driverHelp = `millwright driver: for those who write a driver or start to use one

Usage:
  millwright driver verify --provider NAME   Ask a running driver everything that the core may ask, and say what is wrong
  millwright driver queue --provider NAME    Say which task queues a driver of this provider has to serve

The driver has to run, as a Temporal worker in any language, and a watcher in the namespace of the machines, because without
one nothing may be created. Instances are really made: five to eight, with names that begin with "verify-". All of them are deleted again, whatever happens; of a run that was killed the check safety/orphans deletes what is left. They
are made with the user data of the class, as it is, without a bootstrap token. docs/writing-a-driver.md says what is asked, and why.

Options:
  --provider NAME            As in "provider" of MachineClasses
  --class NAME               MachineClass that says what to make, with which Secret (default: the only one of the provider)
  --bad-spec JSON            Wrong on purpose: merged into the class's spec, must be refused with the name of the first
                             field; may be given more than once. Without it wrong types are tried for up to five fields
  --trouble COMMAND          A shell command that makes your fake of the cloud behave badly. It is called with one more word: silent,
                             stranger, dying, or over when the cloud is to be well again; exit code 3: it does not know that
                             word. Without it the checks of troubles are skipped
  --queue NAME               What the names of the driver's task queues begin with, before /create, /delete and /read
                             (default: those of the install)
  --install NAME             --install of watcher and worker (default: the namespace)
  --cluster-id ID            --cluster-id of watcher and worker (default: the UID of the namespace kube-system)
  -n, --namespace NAME       Of class and machines (default: that of the kubeconfig's context, else "default")
  --kubeconfig FILE          Of the control cluster (default: KUBECONFIG, ~/.kube/config, or the pod's own)
  --temporal-address HOST    (default: TEMPORAL_* variables and profiles, as for the command temporal; 127.0.0.1:7233)
  --temporal-namespace NAME  (default as before; "default")
  --payload-keys FILE        That of watcher and worker, where they have one; the driver needs the same keys
  -o, --output text|json     (default text)
  -h, --help

It needs to read the class, its Secret and the namespace kube-system, and to create and delete MachineClasses; it deletes Nodes
of its machines that joined the same cluster.

Examples:
  millwright driver queue --provider acme -n shoot--dev
  millwright driver verify --provider virtual
  millwright driver verify --provider acme --class pool-a -n shoot--dev --bad-spec '{"size": "huge"}'
  millwright driver verify --provider acme --trouble './fake-cloud-ctl behave'
  millwright driver verify --provider acme --queue acme-from-my-laptop -o json

Exit code: 0 passed, 1 something is wrong with the driver or the command failed, 2 the command line is wrong.`;
