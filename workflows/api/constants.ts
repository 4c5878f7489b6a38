/** Names of the API that MCM v0.62.1 and its users read and write. */

export const group = 'machine.sapcloud.io';
export const apiVersion = `${group}/v1alpha1`;

/** Kinds and annotations of ours that MCM does not know. */
export const ownGroup = 'millwright.dev';

/** Source components of Events, by the kind that they are about. */
export const eventComponents = {
  machine: 'machine-controller',
  machineSet: 'machineset-controller',
  machineDeployment: 'machine-controller-manager',
} as const;

export const finalizers = {
  /** On Machine, MachineSet, MachineDeployment and MachineClass. */
  machine: 'machine.sapcloud.io/machine-controller-manager',
  secret: 'machine.sapcloud.io/machine-controller',
  node: 'node.machine.sapcloud.io/machine-controller',
} as const;

export const labels = {
  /** Machine -> the name of its Node. */
  node: 'node',
  /** Node -> the name of its Machine. */
  machineName: 'node.gardener.cloud/machine-name',
  templateHash: 'machine-template-hash',
  /** `True` on a MachineSet: nothing is created. */
  freeze: 'freeze',
  forceDeletion: 'force-deletion',
  /** `True` on a Machine: the drain of a preserved one asks no PodDisruptionBudget. */
  forceDrain: 'force-drain',
  /** Node of an old set -> `true`: it may be updated in place. */
  candidateForUpdate: 'node.machine.sapcloud.io/candidate-for-update',
  /** Node -> `true`: it is updated in place next. */
  selectedForUpdate: 'node.machine.sapcloud.io/selected-for-update',
  /** Machine or Node -> `successful` or `failed`. */
  updateResult: 'node.machine.sapcloud.io/update-result',
  scaleUpDisabled: 'node.machine.sapcloud.io/scale-up-disabled',
} as const;

export const annotations = {
  priority: 'machinepriority.machine.sapcloud.io',
  markedForDeletionTime: 'machine.sapcloud.io/marked-for-deletion-time',
  preserve: 'node.machine.sapcloud.io/preserve',
  /** Machine: what the Node said last, so that it is noticed when the Node says it no more. */
  lastAppliedPreserve: 'node.machine.sapcloud.io/last-applied-node-preserve-value',
  lastAppliedNodeTemplate: 'node.machine.sapcloud.io/last-applied-anno-labels-taints',
  lastAppliedVirtualCapacity: 'node.machine.sapcloud.io/last-applied-virtual-capacity',
  effectiveCreationTimeout: 'node.machine.sapcloud.io/effective-creation-timeout',
  revision: 'deployment.kubernetes.io/revision',
  desiredReplicas: 'deployment.kubernetes.io/desired-replicas',
  maxReplicas: 'deployment.kubernetes.io/max-replicas',
  revisionHistory: 'deployment.kubernetes.io/revision-history',
  /** MachineSet: its Nodes carry the taint of the same name. */
  preferNoSchedule: 'deployment.machine.sapcloud.io/prefer-no-schedule',
  /** Node: no Machine knows of it; its value says nothing. */
  notManaged: 'node.machine.sapcloud.io/not-managed-by-mcm',
  /** Node: why its update in place failed, by the agent on it. */
  updateFailedReason: 'node.machine.sapcloud.io/update-failed-reason',
  unfreeze: 'safety.machine.sapcloud.io/unfreeze',
  /** MachineDeployment: machines that the cluster autoscaler wants gone, `name~time,...`. */
  triggerDeletion: 'node.machine.sapcloud.io/trigger-deletion-by-mcm',
  /** Node: the cluster autoscaler leaves it alone; the second says that this was our doing. */
  scaleDownDisabled: 'cluster-autoscaler.kubernetes.io/scale-down-disabled',
  scaleDownDisabledByUs: 'cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm',
  /**
   * Names that the cluster autoscaler of the Kubernetes project makes of our API group, where it
   * takes the group for the Cluster API's.
   */
  nodeMachine: `${group}/machine`,
  nodeMachineNamespace: `${group}/cluster-namespace`,
  /** Machine: it goes first when its pool shrinks; the value is the time of the choice. */
  deleteMachine: `${group}/delete-machine`,
  /** MachineDeployment, and the sets that it is copied to: a pool of that autoscaler. */
  poolMaxSize: `${group}/cluster-api-autoscaler-node-group-max-size`,
  lastAppliedByKubectl: 'kubectl.kubernetes.io/last-applied-configuration',
  /** MachineSet: when the cluster autoscaler last changed the number, RFC 3339. */
  lastScaledByAutoscaler: 'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time',
  /**
   * Ours, on a MachineSet: names of the Failed machines that may be replaced, separated by commas;
   * absent: all.
   */
  replacements: 'millwright.dev/replacements',
  /** Ours, on a MachineSet: which of machines that are else alike goes first (`DeletePolicy`). */
  deletePolicy: 'millwright.dev/delete-policy',
  /**
   * Ours, on a MachineDeployment or a set without one: machines that were let turn Failed because
   * of their health.
   */
  replacing: 'millwright.dev/replacing',
  /**
   * Ours: when the preservation of a Failed machine was over: it is not preserved automatically
   * once more.
   */
  preservationExpired: 'millwright.dev/preservation-expired',
  /**
   * Ours: how many creates of this machine were refused, so that a changed request gets a new
   * token.
   */
  createGeneration: 'millwright.dev/create-generation',
  /**
   * Ours, on a Machine that turned Failed because its instance was no Ready Node in time: the end
   * of what the instance printed, without secrets, 4 KiB at most.
   */
  consoleOutput: 'millwright.dev/console-output',
  /** Ours, on a Machine: id of the target cluster that its Node belongs to. */
  targetCluster: 'millwright.dev/target-cluster',
  /** Ours, on a MachineDeployment: `true` asks for the annotations of a pool without machines. */
  scaleFromZero: 'millwright.dev/scale-from-zero',
  /** Ours, on a MachineDeployment: those that were written, so that no other is touched. */
  appliedFromZero: 'millwright.dev/scale-from-zero-applied',
  /**
   * Ours, on a Machine or MachineDeployment: a command, which the worker does once and removes:
   * `workflows/contracts/written-command.ts`.
   */
  command: 'millwright.dev/command',
  /**
   * Ours, on a MachineClass: why no machine can be made of it, a line for each reason; absent when
   * nothing is known to be wrong.
   */
  invalid: 'millwright.dev/invalid',
  /**
   * Ours, on a MachineClass: keys of its provider spec that its driver ignores and that are nearly
   * those of a field, a line for each.
   */
  ignoredKeys: 'millwright.dev/ignored-keys',
  /**
   * Ours, on a MachineClass: what makes the user data of its machines (api/user-data.ts).
   * On a Machine: what its user data were made of, `PROFILE@VERSION sha256:DIGEST`.
   */
  userData: 'millwright.dev/user-data',
  /** Ours, on a MachineClass: name of the ConfigMap with the key `config.yaml`. */
  userDataConfig: 'millwright.dev/user-data-config',
} as const;

/** Options of ours on a MachineDeployment: docs/rollouts.md says what each does. */
export const options = {
  autoRollback: 'millwright.dev/auto-rollback',
  canary: 'millwright.dev/canary',
  canaryPassed: 'millwright.dev/canary-passed',
  /** Written by us. */
  canarySince: 'millwright.dev/canary-since',
  honorMinReadySeconds: 'millwright.dev/honor-min-ready-seconds',
  inPlaceFailure: 'millwright.dev/in-place-failure',
  onDelete: 'millwright.dev/on-delete',
  overridePolicies: 'millwright.dev/override-policies',
  replacementBudget: 'millwright.dev/replacement-budget',
  /** Also on the sets that were made for it. */
  restart: 'millwright.dev/restart',
  /** Written by us. */
  rolledBackFrom: 'millwright.dev/rolled-back-from',
  rolloutAfter: 'millwright.dev/rollout-after',
  soak: 'millwright.dev/soak',
} as const;

/**
 * Ours, on a Machine that is being deleted; written by operators, or for them by the workflow; they
 * count at any time.
 */
export const drainOptions = {
  /** `true`: no pod is asked to leave. */
  skip: 'millwright.dev/skip-drain',
  /** RFC 3339: pods that are left then are deleted by force; instead of `drainTimeout`. */
  until: 'millwright.dev/drain-until',
  /** `true`: volumes of evicted pods are not waited for. */
  skipVolumeWait: 'millwright.dev/skip-volume-wait',
} as const;

export const taints = {
  preferNoSchedule: 'deployment.machine.sapcloud.io/prefer-no-schedule',
  /** On the Node of a Failed machine that is preserved. */
  preserved: 'node.machine.sapcloud.io/preserved',
  criticalComponentsNotReady: 'node.gardener.cloud/critical-components-not-ready',
} as const;
