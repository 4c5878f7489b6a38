/** The next step of a machine's deletion. */
import type { MachineStep } from './steps.ts';
import { digestOfHold, formatHold, holdOf, partsToBegin } from './hooks.ts';
import type { MachineFacts, TeardownStage } from './facts.ts';

type Teardown = NonNullable<MachineFacts['teardown']>;

export function planTeardown(facts: MachineFacts, { stage }: Teardown, now: number): MachineStep {
  const { unsettledUntil } = facts;
  if (stage === 'finished')
    return { action: 'complete', reason: 'instance, Node and object are gone' };
  if (isTakenOver(facts)) {
    return { action: 'complete', reason: 'the object went, and its instance may not be deleted' };
  }
  const reason = endOfVain(facts);
  if (reason !== undefined) return { action: 'complete', reason };
  if (facts.isUnreported) return { action: 'recordFailure' };
  if (!facts.isRead) return { action: 'readAndClaim' };
  const held = planHold(facts, stage);
  if (held) return held;
  if (unsettledUntil !== undefined && now < unsettledUntil) {
    return {
      action: 'wait',
      reason: 'a create has no known outcome: searching again before the object goes',
      until: unsettledUntil,
    };
  }
  if (stage === 'draining') return { action: 'drain' };
  return backOffOf(facts, now) ?? planRemoval(facts, stage);
}

/**
 * Nothing ends this wait but the end of the hooks. With the object they cannot be taken away any
 * more, and their owners never were done: the instance is left to them.
 */
function planHold({ hooks, isGone }: MachineFacts, stage: TeardownStage): MachineStep | undefined {
  if (!hooks || stage === 'deleted') return undefined;
  const hold = holdOf(hooks.known, partsToBegin(stage, hooks.isDrainBegun));
  if (isGone) {
    const reason = 'the object went while hooks held its deletion: its instance lives on';
    return hold && { action: 'complete', reason };
  }
  if (hooks.mustCheck || hooks.reported !== digestOfHold(hold)) return { action: 'checkHooks' };
  return hold && { action: 'wait', reason: formatHold(hold) };
}

/**
 * The object went without us, and a Machine that came in its place has the instance: its own run
 * begins when this one ends. Anything else that is left is an orphan.
 */
function isTakenOver({ isGone, failure }: MachineFacts): boolean {
  return isGone && failure?.detail.code === 'FailedPrecondition';
}

/** Ten minutes, or more where the cloud says when to come back. */
const mostTriesWithoutObject = 10;

/**
 * Without its object nothing says why it fails, no class or Secret may be there any more, and a
 * Machine of the same name would wait for ever.
 */
function endOfVain({ isGone, failure }: MachineFacts): string | undefined {
  if (!isGone || !failure || failure.attempts < mostTriesWithoutObject) return undefined;
  const { code, message } = failure.detail;
  return `the object went, and its deletion keeps failing: ${code}: ${message}`;
}

/** Finds and deletes any instance there may be; then the Node and the finalizer go. */
function planRemoval(
  facts: MachineFacts,
  stage: Exclude<TeardownStage, 'draining' | 'finished'>,
): MachineStep {
  if (stage === 'deleted' || hasNothingToDelete(facts)) return { action: 'finishTeardown' };
  return { action: stage === 'searching' ? 'findInstance' : 'deleteInstance' };
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
