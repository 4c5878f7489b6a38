/** Names of the API that MCM v0.62.1 and its users read and write. */

export const group = 'machine.sapcloud.io';
export const apiVersion = `${group}/v1alpha1`;

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
  scaleUpDisabled: 'node.machine.sapcloud.io/scale-up-disabled',
} as const;

export const annotations = {
  priority: 'machinepriority.machine.sapcloud.io',
  markedForDeletionTime: 'machine.sapcloud.io/marked-for-deletion-time',
  preserve: 'node.machine.sapcloud.io/preserve',
  lastAppliedNodeTemplate: 'node.machine.sapcloud.io/last-applied-anno-labels-taints',
  effectiveCreationTimeout: 'node.machine.sapcloud.io/effective-creation-timeout',
  revision: 'deployment.kubernetes.io/revision',
  desiredReplicas: 'deployment.kubernetes.io/desired-replicas',
  maxReplicas: 'deployment.kubernetes.io/max-replicas',
  lastAppliedByKubectl: 'kubectl.kubernetes.io/last-applied-configuration',
  /** Ours: how many creates of this machine were refused, so that a changed request gets a new token. */
  createGeneration: 'millwright.dev/create-generation',
} as const;

export const taints = {
  criticalComponentsNotReady: 'node.gardener.cloud/critical-components-not-ready',
} as const;
