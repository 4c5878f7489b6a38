/** Names of `cluster.k8s.io/v1alpha1`, and those of the front on its objects and on ours. */

export const kubermaticGroup = 'cluster.k8s.io';
export const kubermaticApiVersion = `${kubermaticGroup}/v1alpha1`;

/** On a Machine, set by machine-controller. */
export const kubermaticFinalizers = {
  instance: 'machine-delete-finalizer',
  node: 'machine-node-delete-finalizer',
} as const;

/** On a Machine, by its providers: what is to be cleaned up in the cloud. */
export const kubermaticProviderFinalizers = {
  prefix: 'kubermatic.io/',
  /** By `cloudProvider`: without them nothing is deleted. */
  ofInstance: {
    azure: [
      'kubermatic.io/cleanup-azure-vm',
      'kubermatic.io/cleanup-azure-disks',
      'kubermatic.io/cleanup-azure-nic',
    ],
  } as Readonly<Record<string, readonly string[]>>,
} as const;

export const kubermaticLabels = {
  /** MachineSet and Machine. */
  templateHash: 'machine-template-hash',
  /** Node -> UID of the Machine. */
  ownedBy: 'machine-controller/owned-by',
} as const;

export const kubermaticAnnotations = {
  revision: 'machinedeployment.clusters.k8s.io/revision',
  revisionHistory: 'machinedeployment.clusters.k8s.io/revision-history',
  desiredReplicas: 'machinedeployment.clusters.k8s.io/desired-replicas',
  maxReplicas: 'machinedeployment.clusters.k8s.io/max-replicas',
  /** Machine: it goes first when its set shrinks. */
  deleteMachine: 'cluster.k8s.io/delete-machine',
  /** Node -> NAMESPACE/NAME of its Machine, for the cluster autoscaler. */
  nodeMachine: 'cluster.k8s.io/machine',
  /** Machine: it is ignored while this is not empty. */
  initializers: 'machine-controller.kubermatic.io/initializers',
  /** Node: it is not drained. */
  skipEviction: 'kubermatic.io/skip-eviction',
  /** Machine: lets its spec change once. */
  bypassImmutability: 'kubermatic.io/bypass-no-spec-mutation-requirement',
} as const;

/** That machine-controller holds unless its flags name another namespace. */
export const kubermaticLease = { namespace: 'kube-system', name: 'machine-controller' } as const;

/** Of the front: docs/decisions/0061-a-front-for-kubermatic.md. */
export const front = {
  /** Lease of the process that watches. */
  lease: 'millwright-front',
  /** On objects of theirs: each goes when ours is gone. */
  finalizer: 'front.millwright.dev/mirror',
  /** Our MachineDeployment -> UID of theirs; MachineSet of theirs -> UID of ours. */
  mirrorOf: 'front.millwright.dev/mirror-of',
  /** Label on class, Secret and ConfigMap -> `poolLabel` of the MachineDeployment. */
  pool: 'front.millwright.dev/pool',
  /** Their MachineDeployment: `true` asks for what `millwright migrate` does. */
  takeOver: 'front.millwright.dev/take-over',
  handBack: 'front.millwright.dev/hand-back',
  /** Their MachineDeployment, that is being deleted without its dependents: written by us. */
  orphaned: 'front.millwright.dev/orphaned',
  /** Their MachineDeployment: the revision whose template is to be written; removed when it is. */
  rollbackTo: 'front.millwright.dev/rollback-to',
  /** Key of a Secret of ours: the template of theirs that it was made from, as JSON. */
  templateKey: 'front-template',
} as const;
