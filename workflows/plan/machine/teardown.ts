/** The next step of a machine's deletion. */
import type { MachineStep } from './steps.ts';
import type { MachineFacts } from './facts.ts';

type Teardown = NonNullable<MachineFacts['teardown']>;

export function planTeardown(facts: MachineFacts, teardown: Teardown, now: number): MachineStep {
  const { unsettledUntil } = facts;
  if (teardown.isFinished)
    return { action: 'complete', reason: 'instance, Node and object are gone' };
  if (facts.isUnreported) return { action: 'recordFailure' };
  if (!facts.isRead) return { action: 'readAndClaim' };
  if (unsettledUntil !== undefined && now < unsettledUntil) {
    return {
      action: 'wait',
      reason: 'a create has no known outcome: searching again before the object goes',
      until: unsettledUntil,
    };
  }
  const isAllGone = teardown.isInstanceGone && unsettledUntil === undefined;
  if (isAllGone) return backOffOf(facts, now) ?? { action: 'finishTeardown' };
  return planRemoval(facts, teardown, now);
}

/** What there may be of an instance is found, drained and deleted. */
function planRemoval(facts: MachineFacts, teardown: Teardown, now: number): MachineStep {
  if (teardown.isDrained && hasNothingToDelete(facts)) {
    return backOffOf(facts, now) ?? { action: 'finishTeardown' };
  }
  if (teardown.mustFind) return backOffOf(facts, now) ?? { action: 'findInstance' };
  if (!teardown.isDrained) return { action: 'drain' };
  return backOffOf(facts, now) ?? { action: 'deleteInstance' };
}

/**
 * A class that never could be read never made an instance: its Machines can go without a driver.
 */
function hasNothingToDelete(facts: MachineFacts): boolean {
  return facts.provider === undefined && !facts.instance && !facts.wasCreateSent;
}

export function hasFailed({ phase }: MachineFacts): boolean {
  return phase === 'Failed';
}

export function backOffOf(facts: MachineFacts, now: number): MachineStep | undefined {
  const { failure, createDeadline, teardown } = facts;
  if (!failure || now >= failure.retryAt) return undefined;
  const { code, message } = failure.detail;
  const hasDeadline = !teardown && !hasFailed(facts);
  const until = hasDeadline ? Math.min(failure.retryAt, createDeadline) : failure.retryAt;
  return { action: 'wait', reason: `${code}: ${message}`, until };
}
