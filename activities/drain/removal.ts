/** Asks one pod to leave. */
import type { DrainPod, Removal } from '../../workflows/plan/drain/removals.ts';
import type { BudgetVerdict } from '../../workflows/plan/drain/budgets.ts';
import { evaluateRefusal } from '../../workflows/plan/drain/budgets.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { KubeError } from '../kube/client/errors.ts';
import { isConflict, isNotFound, isRefusal, isTooManyRequests } from '../kube/client/errors.ts';
import { namespaced } from '../kube/client/paths.ts';
import type { Budgets } from './budgets.ts';

/** Requests at a time. */
export const width = 20;

export type RemovalOutcome = { goes: true } | { goes: false; verdict: BudgetVerdict };

/** Of another pod of that name we want nothing. */
export async function remove(
  target: KubeClient,
  { pod, by }: Pick<Removal, 'pod' | 'by'>,
  budgets: Budgets,
): Promise<RemovalOutcome> {
  try {
    await (by === 'eviction' ? evict(target, pod) : deleteAtOnce(target, pod));
    return { goes: true };
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { goes: true };
    if (!isAboutThisPod(error)) throw error;
    return { goes: false, verdict: await verdictOn(pod, error, budgets) };
  }
}

async function evict(target: KubeClient, { namespace, name, uid }: DrainPod): Promise<void> {
  await target.create(`${namespaced('pods', namespace, name)}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: { preconditions: { uid } },
  });
}

/** No grace period, no budget. */
export async function deleteAtOnce(
  target: KubeClient,
  { namespace, name, uid }: DrainPod,
): Promise<void> {
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  await target.delete(namespaced('pods', namespace, name), options);
}

/**
 * Everything else, as an API server that is busy or out of reach, is for the next attempt of the
 * whole pass.
 */
function isAboutThisPod(error: unknown): error is KubeError {
  if (isTooManyRequests(error)) return error.details.causes !== undefined;
  return isRefusal(error) || isServerFault(error);
}

/** An admission webhook that fails, and the eviction of a pod with several budgets. */
function isServerFault(error: unknown): error is KubeError {
  return error instanceof Error && 'code' in error && error.code === 500;
}

async function verdictOn(
  pod: DrainPod,
  error: KubeError,
  budgets: Budgets,
): Promise<BudgetVerdict> {
  const words = error.details.causes?.[0]?.message ?? error.message;
  const isOfBudget = isTooManyRequests(error) || /more than one PodDisruptionBudget/.test(words);
  return evaluateRefusal(pod, isOfBudget ? await budgets.of(pod.namespace) : undefined, words);
}
