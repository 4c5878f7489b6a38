/** Asks one pod to leave. */
import type { DrainPod, Removal } from '../../workflows/plan/drain/removals.ts';
import type { BudgetVerdict } from '../../workflows/plan/drain/budgets.ts';
import { evaluateRefusal } from '../../workflows/plan/drain/budgets.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import type { KubeError } from '../../kube/client/errors.ts';
import {
  isConflict,
  isNotFound,
  isRefusal,
  isTimedOut,
  isTooManyRequests,
} from '../../kube/client/errors.ts';
import type { Page } from '../../kube/client/paging.ts';
import { namespaced } from '../../kube/client/paths.ts';
import type { Budgets } from './budgets.ts';

/** Requests at a time. */
export const width = 20;

export type RemovalOutcome = { goes: true } | { goes: false; verdict: BudgetVerdict };

/** Removes the pod; another pod of that name is left alone. */
export async function remove(
  target: KubeClient,
  { pod, by }: Pick<Removal, 'pod' | 'by'>,
  budgets: Budgets,
): Promise<RemovalOutcome> {
  try {
    await (by === 'eviction' ? evict(target, pod) : deleteAtOnce(target, pod));
    return { goes: true };
  } catch (error) {
    if (mayBeGone(error) && !(await isStaying(target, pod))) return { goes: true };
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
async function deleteAtOnce(target: KubeClient, { namespace, name, uid }: DrainPod): Promise<void> {
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  await target.delete(namespaced('pods', namespace, name), options);
}

/**
 * Or on its way. It may also stay: a webhook may answer anything, a pod of a namespace that is gone
 * cannot be evicted, and an API server waits for a webhook for 10 s and more, longer than we wait
 * for it.
 */
function mayBeGone(error: unknown): error is KubeError {
  return isNotFound(error) || isConflict(error) || isTimedOut(error);
}

/**
 * By a list, as all reads of pods: a role need not grant `get`. Throws where the API server itself
 * does not answer.
 */
async function isStaying(target: KubeClient, { namespace, name, uid }: DrainPod): Promise<boolean> {
  // One page, which no time-out makes smaller: it is one pod.
  const query = { fieldSelector: `metadata.name=${name}`, limit: 1 };
  const { items } = await target.get<Page<KubeObject>>(namespaced('pods', namespace), query);
  const found = items?.find(({ metadata }) => metadata.uid === uid);
  return found !== undefined && found.metadata.deletionTimestamp === undefined;
}

/**
 * Everything else, as an API server that is busy or out of reach, is for the next attempt of the
 * whole pass.
 */
function isAboutThisPod(error: unknown): error is KubeError {
  return isRefusal(error) || isServerFault(error) || mayBeGone(error) || isRefusedForNow(error);
}

/** By a budget, or by a webhook, as that of KubeVirt while it moves a virtual machine. */
function isRefusedForNow(error: unknown): boolean {
  return isTooManyRequests(error) && error.reason !== 'Throttled';
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
  const { causes } = error.details;
  const words = causes?.[0]?.message ?? error.message;
  const isByBudget = isTooManyRequests(error) && causes !== undefined;
  const isOfBudget = isByBudget || /more than one PodDisruptionBudget/.test(words);
  return evaluateRefusal(pod, isOfBudget ? await budgets.of(pod.namespace) : undefined, words);
}
