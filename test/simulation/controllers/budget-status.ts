/** What the disruption controller makes of a PodDisruptionBudget and its pods. */
import { conditionAfter, saidOfCount, saidOfFailure } from './budget-condition.ts';
import type { BudgetObject, BudgetStatus } from './budget.ts';
import { controllerOf, isDeleting, isReady } from './objects.ts';
import type { PodObject } from './objects.ts';

export interface BudgetFacts {
  budget: BudgetObject;
  /** All that its selector selects. */
  pods: readonly PodObject[];
  /** How many pods a controller wants; a text says why that is not known. */
  scaleOf(controller: { kind: string; name: string; uid: string }): number | string;
  /** Milliseconds since 1970. */
  now: number;
}

export interface BudgetVerdict {
  status: BudgetStatus;
  /** When a pod that was evicted should be gone, milliseconds since 1970. */
  recheckAt: number | undefined;
}

/** A pod that was evicted counts as healthy again when it is not deleted within this time. */
const deletionTimeoutMs = 120_000;

export function statusOf(facts: BudgetFacts): BudgetVerdict {
  const expectation = expectationOf(facts);
  if (typeof expectation === 'string') {
    return { status: failed(facts, expectation), recheckAt: undefined };
  }
  const { budget, pods, now } = facts;
  const { expectedPods, desiredHealthy } = expectation;
  const { disruptedPods, recheckAt } = stillDisrupted(facts);
  const currentHealthy = pods.filter(
    (pod) => !isDeleting(pod) && !(pod.metadata.name in disruptedPods) && isReady(pod),
  ).length;
  // A budget that selects nothing yet allows nothing.
  const spare = expectedPods > 0 ? currentHealthy - desiredHealthy : 0;
  const disruptionsAllowed = Math.max(0, spare);
  const { generation: observedGeneration = 0 } = budget.metadata;
  const said = saidOfCount(disruptionsAllowed);
  const isDisrupted = Object.keys(disruptedPods).length > 0;
  const status: BudgetStatus = {
    observedGeneration,
    expectedPods,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    ...(isDisrupted && { disruptedPods }),
    conditions: [conditionAfter(budget.status ?? {}, said, { observedGeneration, now })],
  };
  return { status, recheckAt };
}

/** Nothing is allowed while it is not known how many pods there have to be. */
function failed({ budget, now }: BudgetFacts, message: string): BudgetStatus {
  const { status: last = {} } = budget;
  const { observedGeneration = 0, currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = last;
  const said = saidOfFailure(message);
  return {
    ...last,
    expectedPods,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed: 0,
    conditions: [conditionAfter(last, said, { observedGeneration, now })],
  };
}

interface Expectation {
  expectedPods: number;
  desiredHealthy: number;
}

function expectationOf(facts: BudgetFacts): Expectation | string {
  const { minAvailable, maxUnavailable } = facts.budget.spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable === 'number') {
    return { expectedPods: facts.pods.length, desiredHealthy: minAvailable };
  }
  if (maxUnavailable === undefined && minAvailable === undefined) {
    return { expectedPods: 0, desiredHealthy: 0 };
  }
  const expectedPods = scaleOfAll(facts);
  if (typeof expectedPods === 'string') return expectedPods;
  if (maxUnavailable === undefined) {
    return { expectedPods, desiredHealthy: shareOf(minAvailable, expectedPods) };
  }
  const desiredHealthy = expectedPods - shareOf(maxUnavailable, expectedPods);
  return { expectedPods, desiredHealthy: Math.max(0, desiredHealthy) };
}

/** What the controllers of its pods want together; a pod without one counts for nothing. */
function scaleOfAll({ pods, scaleOf }: BudgetFacts): number | string {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const controller = controllerOf(pod);
    if (!controller || scales.has(controller.uid)) continue;
    const scale = scaleOf(controller);
    if (typeof scale === 'string') return scale;
    scales.set(controller.uid, scale);
  }
  return [...scales.values()].reduce((sum, scale) => sum + scale, 0);
}

/** A number, or a share in per cent, rounded up. */
function shareOf(value: number | string | undefined, total: number): number {
  if (typeof value !== 'string') return value ?? 0;
  return Math.ceil((Number.parseInt(value, 10) * total) / 100);
}

function stillDisrupted({ budget, pods, now }: BudgetFacts): {
  disruptedPods: Record<string, string>;
  recheckAt: number | undefined;
} {
  const disruptedPods: Record<string, string> = {};
  let recheckAt: number | undefined;
  for (const pod of pods) {
    const { name } = pod.metadata;
    const since = budget.status?.disruptedPods?.[name];
    if (since === undefined || isDeleting(pod)) continue;
    const until = Date.parse(since) + deletionTimeoutMs;
    if (until < now) continue;
    disruptedPods[name] = since;
    recheckAt = Math.min(recheckAt ?? Infinity, until);
  }
  return { disruptedPods, recheckAt };
}
