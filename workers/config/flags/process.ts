/** Flags about the processes: what they connect to, how much they do, what they serve and log. */
import { builtInProviders } from '../../../activities/drivers/providers.ts';
import { grouped, type Flags } from './flag.ts';
import {
  boolean,
  deploymentName,
  duration,
  durationBetween,
  file,
  hostAndPort,
  integer,
  ipAddress,
  namePart,
  names,
  namespacedName,
  namespaceName,
  oneOf,
  otherNamespace,
  rate,
  secretName,
  text,
} from './kinds.ts';
import { commandSources } from '../../../workflows/api/command-source.ts';
import { fleetNamespaces } from './namespaces.ts';
import { providerList, servedParts } from './served.ts';

const clusterFlags = {
  'control-kubeconfig': {
    kind: file,
    default: '',
    says: 'Kubeconfig of the cluster with the Machines. Empty: the target cluster. "inClusterConfig": the service account of this pod.',
  },
  'target-kubeconfig': {
    kind: file,
    default: '',
    says: 'Kubeconfig of the cluster that the Nodes join. Empty: $KUBECONFIG, else ~/.kube/config, else the service account of this pod. "none": no such cluster; --control-kubeconfig is then needed.',
  },
  namespace: {
    kind: namespaceName,
    default: 'default',
    says: 'Namespace of the control cluster whose Machines are managed; the Leases are kept there too.',
  },
  namespaces: {
    kind: fleetNamespaces,
    default: '',
    says: 'Namespaces that this install serves in the place of the one of --namespace: names, "labels:" and a label selector of Namespaces, or "all". They may come and go. Needs --install. See docs/fleet.md.',
    ours: true,
  },
  'target-kubeconfig-secret': {
    kind: secretName,
    default: '',
    says: 'Secret in each namespace whose key "kubeconfig" names the cluster that its Nodes join, in the place of --target-kubeconfig. It is watched. It may hold no command and no path of a file.',
    ours: true,
  },
  'target-token-secret': {
    kind: secretName,
    default: '',
    says: 'Secret in each namespace whose key "token" is used with the kubeconfig of --target-kubeconfig-secret, in the place of a token or a token file in it, as Gardener writes both.',
    ours: true,
  },
  install: {
    kind: namePart,
    default: '',
    says: 'Name of this install among those of its control cluster. Task queues and schedules are named after it and the cluster. Empty: the namespace.',
    ours: true,
  },
  'cluster-id': {
    kind: namePart,
    default: '',
    says: 'Id of the control cluster, the same for all its installs. Empty: the UID of its namespace kube-system, which has to be readable then.',
    ours: true,
  },
  'cluster-name': {
    kind: namePart,
    default: '',
    says: 'Name of the control cluster in the ids of workflows and schedules, needed where several control clusters share a Temporal namespace. Empty: ids without it.',
    ours: true,
  },
  'take-over': {
    kind: names,
    default: '',
    says: 'Holders of claims in Temporal that are gone for good and that this install replaces, as the message at the start names them.',
    ours: true,
  },
  'kube-api-qps': {
    kind: rate,
    default: '0',
    says: 'Requests a second to each API server. 0: no limit of our own (MCM: 20); API Priority and Fairness of the server then decides.',
  },
  'kube-api-burst': {
    kind: integer({ min: 0 }),
    default: '30',
    says: 'Requests that may go out at once above --kube-api-qps.',
  },
} as const satisfies Flags;

const temporalFlags = {
  'temporal-address': {
    kind: hostAndPort,
    default: '',
    says: 'Address of the Temporal server. Empty: $TEMPORAL_ADDRESS, else the profile in $TEMPORAL_CONFIG_FILE, else 127.0.0.1:7233.',
    ours: true,
  },
  'temporal-namespace': {
    kind: text,
    default: '',
    says: 'Namespace of the Temporal server. Empty: $TEMPORAL_NAMESPACE, else the profile, else "default".',
    ours: true,
  },
  'payload-keys': {
    kind: file,
    default: '',
    says: 'File with the keys that payloads and messages of failures are encrypted with, before Temporal gets them. The first key encrypts, all decrypt. The same for all processes and drivers. Empty: they are plain.',
    ours: true,
  },
  'worker-deployment': {
    kind: deploymentName,
    default: '',
    says: 'Name in Temporal of the workers of this install, which no other install in that Temporal namespace has. Temporal then gives workflow tasks to the version that "millwright setup --current" names, and a worker is not ready while there is none. Empty: workers without versions.',
    only: 'worker',
    ours: true,
  },
  'build-id': {
    kind: namePart,
    default: '',
    says: 'Version of the workflow code among those of --worker-deployment. Empty: the version of the package and a hash of the workflow bundle, the same for the same code.',
    only: 'worker',
    ours: true,
  },
  'workflow-task-timeout': {
    kind: durationBetween('2s', '2m'),
    default: '10s',
    says: 'Time for a step of workflow code. So long the steps of a worker that died wait for another one, and a worker that is slower does its step in vain. For runs that start from now on.',
    ours: true,
  },
  'heartbeat-timeout': {
    kind: durationBetween('2s', '5m'),
    default: '30s',
    says: 'How long the activities of a worker that died, such as a create at a cloud, wait for another one. Each sends a heartbeat after half of that time, and one after each third from then on, which Temporal Cloud bills. For runs that start from now on.',
    ours: true,
  },
  'workflow-bundle': {
    kind: file,
    default: '',
    says: 'Workflow code that was bundled before. Empty: that of the build; in a checkout it is bundled at the start, which takes about a second.',
    only: ['worker', 'front'],
    ours: true,
  },
  'workflow-sandbox': {
    kind: oneOf('lean', 'sdk'),
    default: 'lean',
    says: 'What workflows run in. "sdk": the sandbox of the Temporal SDK as it is. "lean": the same without what costs most of its CPU; the Call Stack tab of the Temporal UI shows calls instead of promises then.',
    only: ['worker', 'front'],
    ours: true,
  },
} as const satisfies Flags;

const workFlags = {
  serve: {
    kind: servedParts,
    default: 'core,drain,driver',
    says: 'What this process works for, so that others can have the rest: "core" for the workflows and what they do in Kubernetes, "drain", "driver" for the drivers of --providers, each from its first MachineClass on, or "driver:PROVIDER" for one of them, from the start on. All parts have to be served by some process.',
    only: 'worker',
    ours: true,
  },
  providers: {
    kind: providerList,
    default: builtInProviders.join(','),
    says: 'Built-in drivers that this process has. Where drains are served, one of these deletes the instance as well when its drain is over. "none": no call to a cloud leaves this process.',
    only: 'worker',
    ours: true,
  },
  'with-watcher': {
    kind: boolean,
    default: 'false',
    says: 'The watcher runs in this process as well, with what both share in memory once. The flags of the watcher have an effect here then. All that a process serves ends with it.',
    only: 'worker',
    ours: true,
  },
  'concurrent-syncs': {
    kind: integer({ min: 1 }),
    default: { watcher: '64', worker: '50', front: '10' },
    says: 'Things done at the same time: in the worker, activities of each kind; in the watcher, signals being sent; in the front, MachineDeployments that are compared.',
  },
  'max-cached-workflows': {
    kind: integer({ min: 2 }),
    default: '3000',
    says: 'Workflows kept in memory between two of their steps. Others are replayed when they wake.',
    only: ['worker', 'front'],
    ours: true,
  },
  'shutdown-grace-period': {
    kind: duration,
    default: '20s',
    defaultAsMcm: '4s',
    says: 'Time for work in progress to end after SIGTERM or SIGINT. Keep it below terminationGracePeriodSeconds, which Gardener sets to 5 s.',
    ours: true,
  },
  'autoscaler-scaledown-annotation-during-rollout': {
    kind: boolean,
    default: 'true',
    says: 'Keeps the cluster autoscaler from removing nodes that take part in a rollout.',
    only: 'worker',
  },
  'ambient-credentials': {
    kind: boolean,
    default: 'false',
    says: 'A MachineClass whose Secret holds no credentials uses those of this process: environment, instance metadata, workload identity. A person who may write a MachineClass then has the rights of the process.',
    only: 'worker',
    ours: true,
  },
  'token-files': {
    kind: boolean,
    default: 'false',
    says: 'A Secret may name a token file of this process and what is taken with it: a role of AWS, an application of Azure, an account of Google. A person who may write a Secret then chooses among all that trust this token. --ambient-credentials means this as well.',
    only: 'worker',
    ours: true,
  },
  'retag-adopted': {
    kind: boolean,
    default: 'false',
    says: 'An instance that a Machine has by spec.providerID and that carries the tags of an earlier control cluster gets those of this one, so that the search for orphans sees it again. Needs the right to change tags.',
    only: 'worker',
    ours: true,
  },
  'approve-kubelet-serving': {
    kind: boolean,
    default: 'false',
    says: 'Approves the CertificateSigningRequests of kubelets for serving certificates in the target cluster that name the Node of a Machine, and addresses that the cloud reported for it. All others are left alone. Needs further rights there: see docs/user-data.md.',
    only: 'worker',
    ours: true,
  },
  'commands-by': {
    kind: oneOf(...commandSources),
    default: 'temporal',
    says: 'What commands such as skipDrain or setReplicas may come by. "temporal": signals and updates of Temporal, and the annotation millwright.dev/command. "kubernetes": the annotation alone, so that RBAC and the audit log of the API server hold. "none": neither.',
    only: 'worker',
    ours: true,
  },
} as const satisfies Flags;

const frontFlags = {
  'instance-cluster': {
    kind: namePart,
    default: '',
    says: 'Name of the cluster in tags and labels of instances, as machine-controller has it in its credentials or flags. Empty: that of --install.',
    only: 'front',
    ours: true,
  },
  'user-data-config': {
    kind: secretName,
    default: '',
    says: 'ConfigMap in each namespace whose key "config.yaml" the user data of all pools has in common: see docs/user-data.md. Empty: none.',
    only: 'front',
    ours: true,
  },
  'join-cluster-timeout': {
    kind: duration,
    default: '0s',
    says: 'creationTimeout of new templates: a machine without a Node after this long is replaced. 0s: that of the worker.',
    only: 'front',
    ours: true,
  },
  'skip-eviction-after': {
    kind: duration,
    default: '0s',
    says: 'drainTimeout of new templates: a deletion that drains for longer is forced. 0s: that of the worker.',
    only: 'front',
    ours: true,
  },
  'replace-unhealthy': {
    kind: boolean,
    default: 'false',
    says: 'New templates let machines be replaced whose Node is unhealthy, which machine-controller never does.',
    only: 'front',
    ours: true,
  },
  'machine-controller-lease': {
    kind: namespacedName,
    default: '',
    says: 'Lease of machine-controller of Kubermatic in the control cluster. The front serves nothing new while it is held, and holds it while anything is served; empty: kube-system/machine-controller. The watcher leaves it to them, although a Lease of MCM has that name; empty: it takes both Leases of MCM in its namespaces.',
    only: ['watcher', 'front'],
    ours: true,
  },
} as const satisfies Flags;

const leaderElectionFlags = {
  'leader-elect': {
    kind: boolean,
    default: 'true',
    says: 'Take the Leases before working, so that one of several watchers works. Workers share their work and need no leader. false: take the Lease "millwright" at the start from any holder, without which workers do not act, and leave those of MCM alone; run one watcher only.',
    only: ['watcher', 'front'],
  },
  'leader-elect-lease-duration': {
    kind: duration,
    default: '15s',
    says: 'How long others wait for a leader that no longer renews its Lease. Whole seconds.',
    only: ['watcher', 'front'],
  },
  'leader-elect-renew-deadline': {
    kind: duration,
    default: '10s',
    says: 'How long a leader tries to renew its Lease before it stops. Shorter than the lease duration.',
    only: ['watcher', 'front'],
  },
  'leader-elect-retry-period': {
    kind: duration,
    default: '2s',
    says: 'Time between two tries to take or renew the Lease.',
    only: ['watcher', 'front'],
  },
  'leader-elect-resource-lock': {
    kind: oneOf('leases'),
    default: 'leases',
    says: 'Kind of the lock.',
    only: ['watcher', 'front'],
  },
  'leader-elect-resource-namespace': {
    kind: otherNamespace,
    default: '',
    says: 'Namespace of the Lease of our own, the same for watcher and workers. Empty: --namespace, where the Lease is called "millwright". In another one it is called "millwright-NAMESPACE", and machines can be deleted while their own namespace is. Leases of MCM stay in --namespace.',
    only: ['watcher', 'worker'],
    ours: true,
  },
  'leader-elect-resource-name': {
    kind: oneOf('millwright', 'machine-controller-manager'),
    default: 'millwright',
    defaultAsMcm: 'machine-controller-manager',
    says: 'Name of the Lease of our own in --namespace, the same for watcher and workers. The second is one of MCM, for roles that grant no other Lease: MCM and Millwright still exclude each other.',
    only: ['watcher', 'worker'],
    ours: true,
  },
  'leader-elect-identity': {
    kind: text,
    default: '',
    says: 'Name of this process in the Lease and in the Temporal UI. Empty: the host name.',
    ours: true,
  },
} as const satisfies Flags;

const httpFlags = {
  port: {
    kind: integer({ min: 0, max: 65_535 }),
    default: { watcher: '10258', worker: '10259', front: '10260' },
    says: 'Port of /healthz, /readyz, /metrics and /configz. 0: any free port, which is logged.',
  },
  address: {
    kind: ipAddress,
    default: '0.0.0.0',
    says: 'Address that the port is opened on. 0.0.0.0: all, those of IPv6 as well.',
  },
} as const satisfies Flags;

const logFlags = {
  v: {
    kind: integer({ min: -128, max: 127 }),
    default: '0',
    says: 'Verbosity as in Kubernetes: up to 3 logs at level info, 4 at debug, 5 and more at trace.',
  },
  'log-level': {
    kind: oneOf('auto', 'trace', 'debug', 'info', 'warn', 'error'),
    default: 'auto',
    says: 'Least important level that is logged. auto: as --v says.',
    ours: true,
  },
  'log-format': {
    kind: oneOf('auto', 'json', 'text', 'klog'),
    default: 'auto',
    defaultAsMcm: 'klog',
    says: 'auto: text on a terminal, else JSON. klog: the lines of MCM, which the log parser of Gardener reads; an error has its stack in the same line.',
    ours: true,
  },
  traces: {
    kind: oneOf('none', 'otlp'),
    default: 'none',
    says: 'otlp: launches, removals and rollouts go as traces of OpenTelemetry to the address in $OTEL_EXPORTER_OTLP_ENDPOINT, by OTLP over HTTP. The other variables of OpenTelemetry count as well. See docs/tracing.md.',
    ours: true,
  },
  vmodule: {
    kind: text,
    default: '',
    says: "Verbosity by file of MCM's source.",
    noop: 'Our files have other names; use --v or --log-level.',
  },
  'log-flush-frequency': {
    kind: duration,
    default: '5s',
    says: 'Time between two flushes of the log.',
    noop: 'Every line is written at once.',
  },
} as const satisfies Flags;

export const processFlags = {
  ...grouped('Clusters', clusterFlags),
  ...grouped('Temporal', temporalFlags),
  ...grouped('Work', workFlags),
  ...grouped('Front', frontFlags),
  ...grouped('Leader election', leaderElectionFlags),
  ...grouped('HTTP', httpFlags),
  ...grouped('Logs', logFlags),
};
