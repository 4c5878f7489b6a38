/** The Node's status as its kubelet reports it. */
import { versions } from '../../versions.ts';
import type { KubeObject } from '../../../../kube/client/client.ts';
import type { ConditionStatus, NodeCondition } from '../../../../workflows/api/meta.ts';
import { fakeKubelet, notReady, stopped } from '../node-object.ts';

/** What a kubelet reads of its Node. */
export interface VirtualNode extends KubeObject {
  status?: {
    conditions?: NodeCondition[];
    addresses?: { type: string; address: string }[];
    capacity?: object;
    allocatable?: object;
    nodeInfo?: { kubeletVersion?: string; architecture?: string; operatingSystem?: string };
  };
}

/** Of machines that do not say how large they are. */
const someSize = { cpu: '8', memory: '32Gi', pods: '110' };
const someAddress = '10.0.0.1';

const whenReady = [
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
  [
    'MemoryPressure',
    'False',
    'KubeletHasSufficientMemory',
    'kubelet has sufficient memory available',
  ],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['NetworkUnavailable', 'False', 'RouteCreated', 'RouteController created a route'],
] as const;
const notReadyReason = 'KubeletNotReady';
const notReadyMessage = 'the virtual cloud says that this node is not ready';

/** Whether it is one of ours, and its kubelet runs. */
export function isPlayed({ metadata: { annotations = {} } }: VirtualNode): boolean {
  return has(annotations, fakeKubelet) && !has(annotations, stopped);
}

export function addressOf({ status }: VirtualNode): string {
  const { address = someAddress } =
    status?.addresses?.find(({ type }) => type === 'InternalIP') ?? {};
  return address;
}

/** The status to merge into that of the Node. Undefined: it is as it should be. */
export function statusOf(node: VirtualNode, now: string): VirtualNode['status'] {
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  if (has(node.metadata.annotations ?? {}, notReady)) {
    // Not the status: a new Node has none, and the node controller may have written Unknown.
    if (ready?.reason === notReadyReason) return undefined;
    return { conditions: [condition(['Ready', 'False', notReadyReason, notReadyMessage], now)] };
  }
  if (ready?.status === 'True') return undefined;
  return { conditions: whenReady.map((words) => condition(words, now)), ...missingFacts(node) };
}

function missingFacts({ metadata: { name }, status = {} }: VirtualNode): VirtualNode['status'] {
  const { addresses, capacity = someSize, allocatable = capacity, nodeInfo } = status;
  const version = `v${versions.kubernetes}`;
  return {
    capacity,
    allocatable,
    ...(!addresses && {
      addresses: [
        { type: 'InternalIP', address: someAddress },
        { type: 'Hostname', address: name },
      ],
    }),
    ...(!nodeInfo?.kubeletVersion && {
      nodeInfo: { architecture: 'amd64', operatingSystem: 'linux', kubeletVersion: version },
    }),
  };
}

function condition(
  [type, status, reason, message]: readonly [string, ConditionStatus, string, string],
  now: string,
): NodeCondition {
  return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: now };
}

/** An empty value counts as absent. */
const has = (annotations: Record<string, string>, wanted: Record<string, string>): boolean =>
  Object.keys(wanted).every((key) => annotations[key]);
