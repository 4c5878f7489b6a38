/** The next step of one Machine's life. */
import type { MachineStep, RunningStep } from './steps.ts';
import { isLong } from './steps.ts';
import type { HealthFacts, MachineFacts } from './facts.ts';
import { nextPreservationTime, planPreservationStep } from './preservation-step.ts';
import { isUndone, planWhileRunning } from './running-step.ts';
import { backOffOf, hasFailed, planTeardown } from './teardown.ts';

/**
 * An instance is torn down only by a life that saw the deletionTimestamp with our finalizer
 * present. An object that vanishes otherwise (Gardener's control-plane migration strips finalizers)
 * leaves its instance alone.
 */
export function planMachine(facts: MachineFacts, now: number): MachineStep {
  const step = planLife(facts, now);
  const mustTell = facts.isSuccessorUntold && facts.teardown !== undefined;
  return mustTell && step.action === 'wait' ? { action: 'recordSuccessor' } : step;
}

function planLife(facts: MachineFacts, now: number): MachineStep {
  const { running, ...rest } = facts;
  if (running?.name === 'drainPreserved') return planBesideDrain(rest, running, now);
  if (running) return planWhileRunning(facts, running);
  if (isUndone(facts)) {
    return { action: 'startOver', reason: 'its deletion was undone: etcd was restored' };
  }
  if (facts.teardown) return planTeardown(facts, facts.teardown, now);
  if (facts.isGone) {
    return {
      action: 'complete',
      reason: 'the object went without a teardown: its instance lives on',
    };
  }
  if (facts.isDeleting && facts.hasFinalizer) return { action: 'beginTeardown' };
  if (facts.isDeleting) {
    return { action: 'wait', reason: 'being deleted without our finalizer: not ours to tear down' };
  }
  return planLiving(facts, now);
}

function planLiving(facts: MachineFacts, now: number): MachineStep {
  const { preservation, health } = facts;
  const first = planRepair(facts, now) ?? (preservation && planPreservationStep(preservation, now));
  const step = first ?? planMissing(facts, now) ?? (health && planHealth(facts, health, now));
  const planned = step ?? (isUp(facts) ? planRunning(facts, now) : planLaunch(facts, now));
  const waited = checkedUntil(repairedUntil(planned, facts, now), facts);
  return preservedUntil(doubtedUntil(waited, facts), facts, now);
}

/** Plans the writes that the object itself lacks. */
function planRepair({ isUnreported, finalizerAt }: MachineFacts, now: number) {
  if (isUnreported) return { action: 'recordFailure' } as const;
  return now >= (finalizerAt ?? Infinity) ? ({ action: 'readAndClaim' } as const) : undefined;
}

/**
 * A machine that waits wakes to set its finalizer again, and to read what was out of reach.
 */
function repairedUntil(
  step: MachineStep,
  { finalizerAt, outage }: MachineFacts,
  now: number,
): MachineStep {
  if (step.action !== 'wait') return step;
  const readAt = outage && outage.retryAt > now ? outage.retryAt : Infinity;
  const until = Math.min(step.until ?? Infinity, finalizerAt ?? Infinity, readAt);
  return until === Infinity ? step : { ...step, until };
}

/** The health of a machine that has joined is checked instead: its Node says more. */
function planMissing(
  { missing, health, phase }: MachineFacts,
  now: number,
): MachineStep | undefined {
  if (!missing || phase === 'Failed') return undefined;
  if (!missing.isConfirmed)
    return now >= missing.askAt ? { action: 'describeInstance' } : undefined;
  return health ? undefined : { action: 'recordMissingInstance' };
}

/** A machine that waits wakes to ask for its instance. */
function doubtedUntil(step: MachineStep, { missing, phase }: MachineFacts): MachineStep {
  if (step.action !== 'wait' || !missing || missing.isConfirmed || phase === 'Failed') return step;
  const until = Math.min(step.until ?? Infinity, missing.askAt);
  return { ...step, reason: `${step.reason}; its instance is not to be found`, until };
}

/** A preserved machine that waits wakes when its time is over. */
function preservedUntil(
  step: MachineStep,
  { preservation }: MachineFacts,
  now: number,
): MachineStep {
  if (step.action !== 'wait' || !preservation) return step;
  const next = nextPreservationTime(preservation, now);
  const reason = preservation.until === undefined ? step.reason : `${step.reason}; preserved`;
  const until = Math.min(step.until ?? Infinity, next ?? Infinity);
  return { ...step, reason, ...(until < Infinity && { until }) };
}

/**
 * Life goes on beside the drain of a Node that is kept: it may get well, its time may end, its
 * Machine may be deleted.
 */
function planBesideDrain(facts: MachineFacts, running: RunningStep, now: number): MachineStep {
  if (running.isCancelRequested) return { action: 'wait', reason: 'its drain is being cancelled' };
  const reason = endOfDrain(facts, running);
  if (reason !== undefined) return { action: 'cancel', reason };
  const { preservation, ...rest } = facts;
  // One drain is enough.
  const kept = preservation && { preservation: { ...preservation, mustDrain: false } };
  const step = planLiving({ ...rest, ...kept }, now);
  return isLong(step.action) ? { action: 'wait', reason: 'its Node is being drained' } : step;
}

function endOfDrain(
  { isDeleting, isGone, preservation }: MachineFacts,
  { drain }: RunningStep,
): string | undefined {
  if (isDeleting || isGone) return 'deletion requested during the drain of a preserved Node';
  if (!preservation?.mustDrain) return 'its Node need not be drained any more';
  const isToBeForced = preservation.forcesDrain && !drain.byForce;
  return isToBeForced ? 'to be drained by force: label force-drain' : undefined;
}

/** Nothing for a healthy machine. */
function planHealth(
  facts: MachineFacts,
  { mustCheck, checkAt, waitsFor }: HealthFacts,
  now: number,
): MachineStep | undefined {
  if (!facts.isRead && isInReach(facts, now)) return { action: 'readAndClaim' };
  if (mustCheck || now >= (checkAt ?? Infinity)) return { action: 'checkHealth' };
  if (hasFailed(facts)) {
    const reason = 'failed: its owner replaces it, unless its Node is healthy again before';
    return { action: 'wait', reason };
  }
  return waitsFor === undefined ? undefined : { action: 'wait', reason: waitsFor };
}

/** A machine that waits wakes for the next check of its health. */
function checkedUntil(step: MachineStep, { health }: MachineFacts): MachineStep {
  if (step.action !== 'wait' || health?.checkAt === undefined) return step;
  return { ...step, until: Math.min(step.until ?? Infinity, health.checkAt) };
}

/**
 * A Failed machine of a set waits to be replaced. One without an owner is all that there will ever
 * be, so it goes on trying, as in MCM v0.62.1.
 */
function planLaunch(facts: MachineFacts, now: number): MachineStep {
  if (hasFailed(facts) && facts.isOwned) return planFailed(facts, now);
  const known = facts.instance && planJoin(facts, now);
  if (known) return known;
  if (now >= facts.createDeadline && !hasFailed(facts)) return planTimeout(facts);
  return backOffOf(facts, now) ?? planCreation(facts, now);
}

/**
 * The instance's console says best why there is no Ready Node. It is read before the machine is
 * Failed: then its set may delete both at once.
 */
function planTimeout({ instance, usesTarget, provider, isConsoleRead }: MachineFacts): MachineStep {
  const hasConsole = instance !== undefined && usesTarget && provider !== undefined;
  return { action: hasConsole && !isConsoleRead ? 'getConsoleOutput' : 'recordTimeout' };
}

/** Plans the join of a machine that has its instance. */
function planJoin(facts: MachineFacts, now: number): MachineStep | undefined {
  if (facts.mustCheckName) return { action: 'findStaleNode' };
  // However late it came: an instance that is not on the object could be lost.
  if (!facts.isRecorded) return { action: 'recordCreated' };
  // Refused until then, it fails as others do that are late.
  const isToGo = facts.hasLostNode && now < facts.createDeadline;
  if (isToGo && isInReach(facts, now)) return { action: 'deleteWithNode' };
  if (facts.isNodeReady) return planJoined(facts, now);
  return facts.isRead && facts.isNodeBehind ? { action: 'syncNode' } : undefined;
}

/** The template for the Node may have been edited as the target cluster refused it before. */
function planJoined(facts: MachineFacts, now: number): MachineStep {
  const mustRead = !facts.isRead && isInReach(facts, now);
  return { action: mustRead ? 'readAndClaim' : 'recordJoined' };
}

/** A preserved machine has time to join all the same: its Node is read after an outage. */
function planFailed(facts: MachineFacts, now: number): MachineStep {
  const { preservation, isRecorded, isNodeReady, outage } = facts;
  if (outage && isInReach(facts, now)) return { action: 'readAndClaim' };
  const isKept = preservation?.until !== undefined;
  if (isKept && isRecorded && isNodeReady) return { action: 'recordJoined' };
  return { action: 'wait', reason: 'failed: its MachineSet decides on a replacement' };
}

/**
 * An unreachable target cluster is asked again after a while; what else happens is seen meanwhile.
 */
function planRead(facts: MachineFacts, now: number): MachineStep {
  const { outage } = facts;
  if (!outage || isInReach(facts, now)) return { action: 'readAndClaim' };
  const reason = `the target cluster does not answer: ${outage.reason}`;
  return { action: 'wait', reason, until: outage.retryAt };
}

/** The target cluster may answer by now, as far as is known. */
function isInReach({ outage }: MachineFacts, now: number): boolean {
  return now >= (outage?.retryAt ?? 0);
}

function planCreation(facts: MachineFacts, now: number): MachineStep {
  if (!facts.isRead) return planRead(facts, now);
  if (!facts.instance) return { action: 'create' };
  const reason = `Node ${facts.instance.nodeName} has not joined yet`;
  if (hasFailed(facts)) return { action: 'wait', reason };
  return { action: 'wait', reason, until: facts.createDeadline };
}

function isUp({ phase }: MachineFacts): boolean {
  return phase === 'Running' || phase === 'Available';
}

function planRunning(facts: MachineFacts, now: number): MachineStep {
  if (!facts.isRead) return planRead(facts, now);
  const { isNodeBehind, nodeSyncAt = now } = facts;
  if (isNodeBehind && now >= nodeSyncAt) return { action: 'syncNode' };
  const where = facts.usesTarget ? `on Node ${facts.instance?.nodeName ?? '?'}` : 'without a Node';
  return { action: 'wait', reason: `runs ${where}`, ...(isNodeBehind && { until: nodeSyncAt }) };
}
