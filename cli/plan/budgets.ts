/** PodDisruptionBudgets that allow nothing now, on the Nodes of machines that are to go. */
import { podsOnNodes } from '../../activities/drain/pods.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Budget } from '../../workflows/plan/drain/budgets.ts';
import { budgetsOf } from '../../workflows/plan/drain/budgets.ts';
import { nodeNameOf } from '../objects/node-pods.ts';

/** Undefined where the caller may not read pods or budgets. */
export async function readRefusingBudgets(
  target: KubeClient,
  machines: readonly Machine[],
): Promise<string[] | undefined> {
  if (machines.length === 0) return [];
  try {
    const pods = await podsOnNodes(target, new Set(machines.map(nodeNameOf)));
    const { items } = await target.list<Budget>('/apis/policy/v1/poddisruptionbudgets');
    const refusing = items.filter(({ status }) => (status?.disruptionsAllowed ?? 0) === 0);
    const found = pods.flatMap((pod) => budgetsOf(pod, refusing));
    return [...new Set(found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))];
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
