/**
 * Objects of `cluster.k8s.io`, as Kubermatic's controller, a person or an old client writes them.
 */
import type { AnyObject, Schema } from '../support/scratch-crds.ts';

export interface Manifest extends AnyObject {
  spec?: Schema;
}

/** Go writes no value as null, or as an empty text. */
const template = {
  metadata: { creationTimestamp: null, labels: { pool: 'a' } },
  spec: {
    metadata: { creationTimestamp: null, labels: { role: 'node' }, annotations: { a: 'b' } },
    taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
    providerSpec: {
      value: {
        sshPublicKeys: null,
        caPublicKey: '',
        cloudProvider: 'vsphere',
        cloudProviderSpec: {
          password: { secretKeyRef: { namespace: 'b', name: 'c', key: 'd' } },
          tags: [{ name: 'x', categoryID: 'y' }],
          cpus: 2,
        },
        operatingSystem: 'ubuntu',
        operatingSystemSpec: { distUpgradeOnBoot: false },
        network: { cidr: '', gateway: '', dns: { servers: null }, ipFamily: 'IPv4+IPv6' },
        overwriteCloudConfig: null,
        laterField: { a: [1] },
      },
    },
    versions: { kubelet: '1.34.2', controlPlane: '', containerRuntime: { name: 'docker' } },
    roles: ['Node'],
  },
};
const selector = { matchLabels: { pool: 'a' } };
const counts = { replicas: 2, readyReplicas: 1, availableReplicas: 1, observedGeneration: 3 };

/** All that its controller writes, and a status of a later release. */
export const written: readonly Manifest[] = [
  {
    kind: 'MachineDeployment',
    metadata: { name: 'a' },
    spec: {
      replicas: 2,
      selector: { matchExpressions: [{ key: 'pool', operator: 'In', values: ['a'] }] },
      template,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
      minReadySeconds: 0,
      revisionHistoryLimit: 1,
      paused: true,
      progressDeadlineSeconds: 600,
    },
    status: { ...counts, updatedReplicas: 1, unavailableReplicas: 1, laterField: 'x' },
  },
  {
    kind: 'MachineSet',
    metadata: { name: 'a' },
    spec: { replicas: 0, minReadySeconds: 5, deletePolicy: 'Oldest', selector, template },
    status: {
      ...counts,
      fullyLabeledReplicas: 2,
      errorReason: 'InvalidConfiguration',
      errorMessage: 'x',
      laterField: {},
    },
  },
  {
    kind: 'Machine',
    metadata: { name: 'a' },
    spec: { ...template.spec, providerID: 'vsphere://1' },
    status: {
      nodeRef: { kind: 'Node', name: 'a', uid: 'u', apiVersion: 'v1', resourceVersion: '1' },
      lastUpdated: '2026-11-30T10:00:00Z',
      versions: { kubelet: '' },
      errorReason: 'CreateError',
      errorMessage: 'x',
      providerStatus: { a: 1 },
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      conditions: [
        { type: 'Ready', status: 'True', lastHeartbeatTime: null, lastTransitionTime: null },
      ],
      lastOperation: { description: 'x', lastUpdated: null, state: 'y', type: 'z' },
      phase: 'Running',
      laterField: [],
    },
  },
];

/** What is needed, and nothing else. */
const least: Readonly<Record<string, Schema>> = {
  MachineDeployment: { selector, template: { metadata: { labels: { pool: 'a' } } } },
  MachineSet: { selector, template: { metadata: { labels: { pool: 'a' } } } },
};

export function leastOf(kind: 'MachineDeployment' | 'MachineSet', spec: Schema = {}): Manifest {
  return { kind, metadata: { name: 'least' }, spec: { ...least[kind], ...spec } };
}

const rolling = (maxSurge: unknown, maxUnavailable: unknown): Schema => ({
  strategy: { rollingUpdate: { maxSurge, maxUnavailable } },
});

interface Refused {
  name: string;
  object: Manifest;
  fault: string;
}

const both = 'must not be 0 while maxSurge is 0, since no machine could be replaced';
const bounds = 'spec.strategy.rollingUpdate';

/** By the rules in the CRDs: without them an object like this may be stored already. */
export const refusedByRule: readonly Refused[] = [
  {
    name: 'no room to replace a machine',
    object: leastOf('MachineDeployment', rolling(0, 0)),
    fault: `${bounds}.maxUnavailable: Invalid value: ${both}`,
  },
  {
    name: 'the same in percent',
    object: leastOf('MachineDeployment', rolling('0%', '00%')),
    fault: `${bounds}.maxUnavailable: Invalid value: ${both}`,
  },
  {
    name: 'a negative surge',
    object: leastOf('MachineDeployment', rolling(-1, 1)),
    fault: `${bounds}.maxSurge: Invalid value: -1: must be a number of 0 or more, or a percentage such as 25%`,
  },
  {
    name: 'more than all unavailable',
    object: leastOf('MachineDeployment', rolling(0, '101%')),
    fault: `${bounds}.maxUnavailable: Invalid value: "101%": must be a number of 0 or more, or a percentage of at most 100%`,
  },
  {
    name: 'another strategy',
    object: leastOf('MachineDeployment', { strategy: { type: 'Recreate' } }),
    fault: 'spec.strategy.type: Invalid value: "Recreate": must be RollingUpdate',
  },
  ...(['MachineDeployment', 'MachineSet'] as const).flatMap((kind): Refused[] => [
    {
      name: `an empty selector of a ${kind}`,
      object: leastOf(kind, { selector: {} }),
      fault:
        'spec.selector: Invalid value: must select machines by labels that the template gives them; an empty selector is not allowed',
    },
    {
      name: `a selector that is not that of the template of a ${kind}`,
      object: leastOf(kind, { selector: { matchLabels: { pool: 'b' } } }),
      fault:
        'spec.selector.matchLabels: Invalid value: must all be labels in spec.template.metadata.labels, with the same values',
    },
  ]),
  {
    name: 'fewer than no machines in a set',
    object: leastOf('MachineSet', { replicas: -1 }),
    fault: 'spec.replicas: Invalid value: -1: must be a whole number of 0 or more',
  },
  {
    name: 'an unknown delete policy',
    object: leastOf('MachineSet', { deletePolicy: 'random' }),
    fault: 'spec.deletePolicy: Invalid value: "random": must be Random, Newest or Oldest',
  },
];

/** A good Machine, as a person writes it. */
export function machineOf(name: string, spec: Schema = {}): Manifest {
  const value = { cloudProvider: 'hetzner', operatingSystem: 'ubuntu' };
  return {
    kind: 'Machine',
    metadata: { name },
    spec: { providerSpec: { value }, versions: { kubelet: 'v1.34' }, ...spec },
  };
}

export function deploymentOf(name: string, spec: Schema = {}): Manifest {
  const metadata = { labels: { pool: 'a' } };
  const object = leastOf('MachineDeployment');
  const made = { metadata, spec: machineOf(name, spec).spec };
  return { ...object, metadata: { name }, spec: { ...object.spec, template: made } };
}
