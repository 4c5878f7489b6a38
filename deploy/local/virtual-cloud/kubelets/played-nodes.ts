import { isNotFound } from '../../../../kube/client/errors.ts';
import { lease, node as nodePath } from '../../../../kube/client/paths.ts';
import type { Follower } from './follow.ts';
import type { KubeletParts } from './parts.ts';
import { versions } from '../../versions.ts';
import type { KubeObject } from '../../../../kube/client/client.ts';
import type { ConditionStatus, NodeCondition } from '../../../../workflows/api/meta.ts';
import { fakeKubelet, notReady, stopped } from '../node-object.ts';

/** State that is kept for a Node. */
interface PlayedNode {
  uid: string;
  address: string;
}

/** Well within `--node-monitor-grace-period` of the stack, half as often as a Node needs it. */
const renewalMilliseconds = 60_000;
const leaseDurationSeconds = 120;
const leaseNamespace = 'kube-node-lease';

/** When this process starts, the Leases of all Nodes are to be renewed, but not together. */
const firstRenewalMilliseconds = 10_000;

/** Keeps Nodes Ready, or not ready, and renews their Leases. */
export class PlayedNodes implements Follower<VirtualNode> {
  readonly #parts: KubeletParts;
  readonly #onStart: (name: string) => void;
  /** By name: those whose kubelet runs. */
  readonly #nodes = new Map<string, PlayedNode>();

  /** `onStart`: a kubelet runs that did not run before. */
  constructor(parts: KubeletParts, onStart: (name: string) => void) {
    this.#parts = parts;
    this.#onStart = onStart;
  }

  /** Undefined where no kubelet runs. */
  addressOf(name: string): string | undefined {
    return this.#nodes.get(name)?.address;
  }

  list(nodes: VirtualNode[]): void {
    const present = new Set(nodes.map(({ metadata }) => metadata.name));
    for (const name of this.#nodes.keys()) if (!present.has(name)) this.#end(name);
    for (const node of nodes) this.change(node);
  }

  remove({ metadata }: VirtualNode): void {
    this.#end(metadata.name);
  }

  change(node: VirtualNode): void {
    const { name, uid, resourceVersion } = node.metadata;
    if (!isPlayed(node)) return this.#end(name);
    const known = this.#nodes.get(name);
    this.#nodes.set(name, { uid, address: addressOf(node) });
    const status = statusOf(node, new Date().toISOString());
    if (known?.uid !== uid) {
      const isNew = status !== undefined;
      this.#start(name, isNew ? 0 : Date.now() + Math.random() * firstRenewalMilliseconds);
    }
    if (!status) return this.#parts.agenda.drop(`status ${name}`);
    // With the version, lest it undoes what another client says of the Node at the same moment.
    const body = { metadata: { resourceVersion }, status };
    const path = `${nodePath(name)}/status`;
    this.#parts.agenda.plan(`status ${name}`, 0, async () => {
      await this.#parts.attempt(this.#parts.client.patch(path, 'strategic', body));
      return undefined;
    });
  }

  #start(name: string, renewAt: number): void {
    this.#parts.agenda.plan(`lease ${name}`, renewAt, () => this.#renew(name));
    this.#onStart(name);
  }

  #end(name: string): void {
    this.#nodes.delete(name);
    this.#parts.agenda.drop(`lease ${name}`);
    this.#parts.agenda.drop(`status ${name}`);
  }

  async #renew(name: string): Promise<number | undefined> {
    const { client, attempt } = this.#parts;
    const node = this.#nodes.get(name);
    if (!node) return undefined;
    const body = leaseOf(name, node.uid);
    const renewed = client.patch(lease(leaseNamespace, name), 'merge', body);
    await attempt(
      renewed.catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
        return client.create(lease(leaseNamespace), body);
      }),
    );
    return Date.now() + renewalMilliseconds * (0.75 + Math.random() / 2);
  }
}

/** The heartbeat of a kubelet, of now. It goes with its Node. */
function leaseOf(name: string, uid: string): object {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds,
      // Times of a Lease have microseconds.
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    },
  };
}

/** Fields that a kubelet reads of its Node. */
export interface VirtualNode extends KubeObject {
  status?: {
    conditions?: NodeCondition[];
    addresses?: { type: string; address: string }[];
    capacity?: object;
    allocatable?: object;
    nodeInfo?: { kubeletVersion?: string; architecture?: string; operatingSystem?: string };
  };
}

/** Size of machines that do not say how large they are. */
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

/** True for a Node of ours whose kubelet runs. */
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
