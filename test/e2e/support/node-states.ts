/** Records every state that the Nodes of a scenario pass through during an update in place. */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { taints } from '../../../workflows/api/constants.ts';
import { type InPlaceReason } from '../../../workflows/api/in-place.ts';
import { inPlaceNodeOf } from '../../../workflows/contracts/in-place-node.ts';
import { isReady, type NodeObject } from './cluster.ts';
import { LiveList } from './live-list.ts';
import type { Scenario } from './scenario.ts';

/** One Node at one moment. */
interface NodeView {
  name: string;
  isOurs: boolean;
  /** Pods may be put there, and the next update does not take it away. */
  isInService: boolean;
  isSelected: boolean;
  reason: InPlaceReason | undefined;
  /** Pods that tolerate no taint must not be put there before its critical components run. */
  isWaiting: boolean;
}

export interface NodesState {
  /** The Node whose change made it. */
  cause: string;
  inService: number;
  selected: number;
}

export class NodeRecorder {
  readonly states: NodesState[] = [];
  /** Reasons of the condition that each Node had, one after the other. */
  readonly reasons = new Map<string, InPlaceReason[]>();
  /** Nodes that were seen with the taint of those that wait for critical components. */
  readonly waited = new Set<string>();
  readonly #list: LiveList<NodeObject, NodeView>;

  /** Begins at once. */
  constructor({ cluster, namespace }: Scenario) {
    this.#list = new LiveList<NodeObject, NodeView>({
      kube: cluster.target,
      path: nodePath(),
      project: (node) => viewOf(node, namespace),
      onChange: (_type, node) => this.#note(node),
    });
  }

  async started(): Promise<void> {
    await this.#list.synced;
  }

  async stop(): Promise<void> {
    await this.#list.stop();
  }

  /** In no state there were fewer in service, or more selected. */
  expectBounds({ minInService, maxSelected }: { minInService: number; maxSelected: number }): void {
    const broken = this.states.filter(
      ({ inService, selected }) => inService < minInService || selected > maxSelected,
    );
    expect(broken).toEqual([]);
    // Else nothing was seen.
    expect(this.mostSelected).toBeGreaterThan(0);
  }

  /** At one time. */
  get mostSelected(): number {
    return Math.max(...this.states.map(({ selected }) => selected));
  }

  #note(changed: NodeView | undefined): void {
    if (changed && !changed.isOurs) return;
    const ours = [...this.#list.items.values()].filter(({ isOurs }) => isOurs);
    for (const { name, reason, isWaiting } of ours) {
      if (isWaiting) this.waited.add(name);
      const known = this.reasons.get(name) ?? [];
      if (reason !== undefined && known.at(-1) !== reason) known.push(reason);
      this.reasons.set(name, known);
    }
    this.states.push({
      cause: changed?.name ?? 'list',
      inService: ours.filter(({ isInService }) => isInService).length,
      selected: ours.filter(({ isSelected }) => isSelected).length,
    });
  }
}

function taintsOf({ spec }: NodeObject): string[] {
  return spec?.taints?.map(({ key, effect }) => `${key}:${effect}`) ?? [];
}

function viewOf(node: NodeObject, namespace: string): NodeView {
  const { isSelected = false, reason } = inPlaceNodeOf(node) ?? {};
  const isUpdated = reason === 'UpdateSuccessful';
  const isClosed = node.spec?.unschedulable === true;
  return {
    name: node.metadata.name,
    isOurs: node.metadata.name.startsWith(namespace),
    isInService: isReady(node) && !isClosed && (!isSelected || isUpdated),
    isSelected: isSelected && !isUpdated,
    reason,
    isWaiting: taintsOf(node).includes(`${taints.criticalComponentsNotReady}:NoSchedule`),
  };
}
