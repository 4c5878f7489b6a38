import { isNotFound } from '../../../../kube/client/errors.ts';
import { lease, node as nodePath } from '../../../../kube/client/paths.ts';
import type { Follower } from './follow.ts';
import { addressOf, isPlayed, statusOf, type VirtualNode } from './node-status.ts';
import type { KubeletParts } from './parts.ts';

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
