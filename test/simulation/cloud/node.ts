/** The Node of an instance, as its kubelet writes it. */
import { sizes } from '../../../deploy/local/virtual-cloud/sizes.ts';
import type { Body } from '../../support/api-server/creation.ts';
import type { InstanceRecord } from './records.ts';

export type Readiness = 'True' | 'False' | 'Unknown';

export interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  /** RFC 3339. */
  lastHeartbeatTime?: string;
  lastTransitionTime?: string;
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export interface NodeObject {
  metadata?: {
    name?: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
  };
  spec?: { providerID?: string; taints?: Taint[] };
  status?: { conditions?: Condition[] };
}

/** Set by the API server on every new Node. */
export const notReadyTaint: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export function pathOfNode(name: string): string {
  return `/api/v1/nodes/${name}`;
}

export function newNode(record: InstanceRecord): Body {
  const { name, providerID, labels, annotations, taints, zone, size } = record;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': size,
        'topology.kubernetes.io/region': 'local',
        'topology.kubernetes.io/zone': zone,
        ...labels,
      },
      annotations,
    },
    spec: { providerID, taints: [...taints, notReadyTaint] },
    status: {
      ...factsOf(record),
      // The network comes up after the registration.
      conditions: [...pressures, readyCondition('False', 'the network is not ready')],
    },
  };
}

export function factsOf({ size, address, name }: InstanceRecord): object {
  const capacity = sizes[size];
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
  };
}

export function readyCondition(status: Readiness, message: string): Condition {
  return { type: 'Ready', status, reason: reasons[status], message };
}

const reasons: Readonly<Record<Readiness, string>> = {
  True: 'KubeletReady',
  False: 'KubeletNotReady',
  Unknown: 'NodeStatusUnknown',
};

const pressures: readonly Condition[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map(
  (type) => ({
    type,
    status: 'False',
    reason: `KubeletHasNo${type}`,
    message: `kubelet has no ${type}`,
  }),
);
