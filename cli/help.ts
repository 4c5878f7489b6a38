export const help = `millwright: manage machines

Usage:
  millwright setup [--check]                  Make a Temporal namespace ready, or say what it lacks
  millwright setup --current=VERSION --deployment=NAME [--check]
                                              Give the work to the workers of this version; see docs/upgrading.md
  millwright migrate check                    Say what hinders a move from MCM; see millwright migrate --help
  millwright stop --reason TEXT [--by NAME]   Keep everything from being created or deleted, within seconds
  millwright stop --status                    Say whether everything is stopped, since when, by whom and why
  millwright resume                           End the stop
  millwright command KIND/NAME VERB           Write a command on a machine or a machinedeployment, as its annotation
  millwright codec-server --payload-keys FILE Decrypt payloads for the Temporal UI and the command temporal
  millwright offboard NAMESPACE [--yes]       Remove what is kept for a namespace that is served no more
  millwright driver verify --provider NAME    Try whether a driver does what the core needs; see millwright driver --help

A stop is the ConfigMap "millwright-stop" in the namespace of the machines: "kubectl apply" and "kubectl delete" do the
same. It outlives restarts of everything. While it stands no machine, no instance and no Node is created or deleted, and
no pod is evicted; machines that run go on running, and no machine becomes Failed because of it.

Setup makes the Temporal namespace and registers the search attributes, where they are missing and it may; it changes
nothing that is there, and exits with 1 when something is left to do. It finds Temporal by TEMPORAL_ADDRESS,
TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and so on, or by a profile, as the command temporal does.

A command is done once, by the worker, with the rights of the caller of this program: machine/NAME takes retryNow, skipDrain,
forceDelete, skipVolumeWait and extendDrain --minutes N; machinedeployment/NAME takes pause, resume, rollback [--revision N]
and setReplicas --replicas N.
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
  --current VERSION        Of setup: a build id as the worker says in /readyz, "own" for that of the image that this
                           command is in, or "unversioned" for workers without --worker-deployment
  --deployment NAME        Of setup: --worker-deployment of the worker
  --wait-minutes N         Of setup: how long to wait for a worker of that version (default 5)
  --temporal-address HOST:PORT, --temporal-namespace NAME
                           Of setup and offboard: instead of the variables
  --reason TEXT            Why; everybody who waits sees it
  --by NAME                Who stops it, or who asks for the command; not checked (default of command: as the API
                           server knows the caller)
  -n, --namespace NAME     Of the machines (default: that of the kubeconfig's context, else "default")
  --kubeconfig FILE        Of the control cluster (default: KUBECONFIG, ~/.kube/config, or the pod's own)
  -o, --output text|json   (default text)
  --payload-keys FILE      Of codec-server and offboard: that of watcher and worker
  --allow-origin URL       Of codec-server: the Temporal UI, such as https://temporal.example; may be given more than once
  --address IP, --port N   Of codec-server: where it listens (default 127.0.0.1, 8234)
  --token-file FILE        Of codec-server: a token that every request has to bring, as "Authorization: Bearer TOKEN";
                           needed where it listens on another address than that of this host alone
  -h, --help

Examples:
  millwright setup --temporal-address temporal.example:7233 --temporal-namespace machines
  millwright codec-server --payload-keys keys --allow-origin https://temporal.example
  millwright stop -n shoot--dev --reason "the cloud deletes the wrong disks" --by alice
  millwright stop -n shoot--dev --status -o json
  millwright resume -n shoot--dev
  millwright offboard shoot--dev --yes

Exit code: 0 done, 1 failed, 2 the command line is wrong.`;
