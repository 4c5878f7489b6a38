/** Reads the pods on a machine's Node, and the budgets that guard them. */
import { podsToDrain } from '../../activities/drain/pods.ts';
import { Budgets } from '../../activities/drain/budgets.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { labels } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Budget } from '../../workflows/plan/drain/budgets.ts';
import type { DrainPod } from '../../workflows/plan/drain/removals.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { readNode } from './read-object.ts';

export interface NodePods {
  machine: Machine;
  /** Name of the Node. */
  node: string;
  /** Those that have to leave; `unread`: why they cannot be read. */
  pods: readonly DrainPod[] | { unread: string };
  /** Budgets of their namespaces; empty where they cannot be read. */
  budgets: readonly Budget[];
}

export function nodeNameOf({ metadata }: Machine): string {
  return metadata.labels?.[labels.node] || metadata.name;
}

/** A list that cannot be read is said, and does not keep a person from acting. */
export async function readNodePods(target: KubeClient, machine: Machine): Promise<NodePods> {
  const node = nodeNameOf(machine);
  try {
    const pods = await podsToDrain(target, node);
    // Any other cluster than that of the Nodes has none of its pods.
    if (pods.length === 0) await readNode(target, node);
    return { machine, node, pods, budgets: await readBudgets(target, pods).catch(() => []) };
  } catch (error) {
    return { machine, node, pods: { unread: reasonOf(error) }, budgets: [] };
  }
}

export async function readBudgets(
  target: KubeClient,
  pods: readonly DrainPod[],
): Promise<Budget[]> {
  const budgets = new Budgets(target);
  const namespaces = [...new Set(pods.map(({ namespace }) => namespace))];
  return (await Promise.all(namespaces.map((one) => budgets.of(one)))).flat();
}
