/** The next step of one Machine's life. */
import type { MachineStep, RunningStep } from './steps.ts';
import { isLong } from './steps.ts';
import type { MachineFacts } from './facts.ts';
import { isBeingUpdated } from '../../api/phases.ts';
import { planInPlace } from './in-place.ts';
import { backOffOf, hasFailed, planTeardown } from './teardown.ts';
import { formatOperation } from './operation.ts';
import type { Requeue } from '../requeues.ts';

/**
 * An instance is torn down only by a life that saw the deletionTimestamp with our finalizer
 * present. An object that vanishes otherwise (Gardener's control-plane migration strips finalizers)
 * leaves its instance alone.
 */
export function planMachine(facts: MachineFacts, now: number): MachineStep {
  const planned = planLife(facts, now);
  const mustTell = facts.isSuccessorUntold && facts.teardown !== undefined;
  const step: MachineStep =
    mustTell && planned.action === 'wait' ? { action: 'recordSuccessor' } : planned;
  const held = facts.requeues?.[step.action];
  if (!held || now >= held.retryAt) return step;
  const reason = `${step.action} failed ${held.failures} times: ${held.message}`;
  return { action: 'wait', reason, until: held.retryAt };
}

function planLife(facts: MachineFacts, now: number): MachineStep {
  const { running, ...rest } = facts;
  if (running && isOfKeptNode(running)) return planBesideDrain(rest, running, now);
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
  if (facts.isDeleting && facts.hasFinalizer) {
    return { action: facts.mayDrainAtOnce ? 'drain' : 'beginTeardown' };
  }
  if (facts.isDeleting) {
    return { action: 'wait', reason: 'being deleted without our finalizer: not ours to tear down' };
  }
  return planLiving(facts, now);
}

/** Answer of one concern of a living machine. */
interface ConcernAnswer {
  step?: MachineStep;
  /** It has a step then, milliseconds. */
  wakeAt?: number | undefined;
  /** Why it waits, in words. */
  note?: string | undefined;
}

type Concern = (facts: MachineFacts, now: number) => ConcernAnswer | undefined;

/** In the order in which they have their steps. */
const concerns: readonly Concern[] = [
  repair,
  preserve,
  findMissing,
  checkHealth,
  updateInPlace,
  live,
];

/** The first concern with a step has it; without any, the machine waits for the first to wake. */
function planLiving(facts: MachineFacts, now: number): MachineStep {
  const answers: ConcernAnswer[] = [];
  for (const concern of concerns) {
    const answer = concern(facts, now) ?? {};
    if (answer.step) return answer.step;
    answers.push(answer);
  }
  const until = Math.min(...answers.map(({ wakeAt = Infinity }) => wakeAt));
  const notes = answers.toReversed().flatMap(({ note = [] }) => note);
  return { action: 'wait', reason: notes.join('; '), ...(until < Infinity && { until }) };
}

/** Repairs what is missing on the object, or could not be read. */
function repair({ isUnreported, finalizerAt, outage }: MachineFacts, now: number): ConcernAnswer {
  if (isUnreported) return { step: { action: 'recordFailure' } };
  if (now >= (finalizerAt ?? Infinity)) return { step: { action: 'readAndClaim' } };
  const readAt = outage && outage.retryAt > now ? outage.retryAt : Infinity;
  return { wakeAt: Math.min(finalizerAt ?? Infinity, readAt) };
}

/** Its preservation is checked, and the Node of a Failed machine that is kept is drained. */
function preserve({ preservation }: MachineFacts, now: number): ConcernAnswer | undefined {
  if (!preservation) return undefined;
  const { mustCheck, until = Infinity, checkAt = 0, drainAt = 0, mustDrain } = preservation;
  const isToCheck = mustCheck || now >= until;
  if (isToCheck && now >= checkAt) return { step: { action: 'preserve' } };
  if (!isToCheck && mustDrain && now >= drainAt) return { step: { action: 'drainPreserved' } };
  const times = [until, checkAt, mustDrain ? drainAt : Infinity].filter((time) => time > now);
  return { wakeAt: Math.min(...times), note: until === Infinity ? undefined : 'preserved' };
}

/** The health of a machine that has joined is checked instead: its Node says more. */
function findMissing(
  { missing, health, phase }: MachineFacts,
  now: number,
): ConcernAnswer | undefined {
  if (!missing || phase === 'Failed') return undefined;
  if (missing.isConfirmed)
    return health ? undefined : { step: { action: 'recordMissingInstance' } };
  if (now >= missing.askAt) return { step: { action: 'describeInstance' } };
  return { wakeAt: missing.askAt, note: 'its instance is not to be found' };
}

function checkHealth(facts: MachineFacts, now: number): ConcernAnswer | undefined {
  if (!facts.health) return undefined;
  const { mustCheck, checkAt = Infinity } = facts.health;
  if (!facts.isRead && isInReach(facts, now)) return { step: { action: 'readAndClaim' } };
  if (mustCheck || now >= checkAt) return { step: { action: 'checkHealth' } };
  return { wakeAt: checkAt };
}

/** The update in place of its Node goes on. */
function updateInPlace({ inPlace, phase }: MachineFacts, now: number): ConcernAnswer | undefined {
  if (!inPlace) return undefined;
  const { mustCheck, hold, requeue, drainRequeue, ...standing } = inPlace;
  const next = planInPlace({ ...standing, phase }, now);
  if (next.action === 'drain') return orLater('drainInPlace', drainRequeue, now);
  if (mustCheck || next.action !== 'wait') return orLater('updateInPlace', requeue, now);
  return { wakeAt: next.until, note: hold ?? next.reason };
}

function orLater(
  action: 'drainInPlace' | 'updateInPlace',
  requeue: Requeue | undefined,
  now: number,
): ConcernAnswer {
  if (!requeue || now >= requeue.retryAt) return { step: { action } };
  return { wakeAt: requeue.retryAt, note: `${action} failed: ${requeue.message}` };
}

/** An ill machine does nothing else than wait for its next check. */
function live(facts: MachineFacts, now: number): ConcernAnswer {
  const note = illnessOf(facts);
  if (note !== undefined) return { note };
  const step = isUp(facts) ? planRunning(facts, now) : planLaunch(facts, now);
  return step.action === 'wait' ? { note: step.reason, wakeAt: step.until } : { step };
}

function illnessOf({ health, phase }: MachineFacts): string | undefined {
  if (health && phase === 'Failed') {
    return 'failed: its owner replaces it, unless its Node is healthy again before';
  }
  return health?.waitsFor;
}

/**
 * Life goes on beside the drain of a Node that is kept: it may get well, its time may end, its
 * Machine may be deleted.
 */
function planBesideDrain(facts: MachineFacts, running: RunningStep, now: number): MachineStep {
  if (running.isCancelRequested) return { action: 'wait', reason: 'its drain is being cancelled' };
  const reason = endOfDrain(facts, running, now);
  if (reason !== undefined) return { action: 'cancel', reason };
  const { preservation, inPlace, ...rest } = facts;
  // One drain is enough.
  const kept = preservation && { preservation: { ...preservation, mustDrain: false } };
  const update = inPlace && running.name !== 'drainInPlace' && { inPlace };
  const step = planLiving({ ...rest, ...kept, ...update }, now);
  return isLong(step.action) ? { action: 'wait', reason: 'its Node is being drained' } : step;
}

function isOfKeptNode({ name }: RunningStep): boolean {
  return name === 'drainPreserved' || name === 'drainInPlace';
}

function endOfDrain(
  { isDeleting, isGone, preservation, inPlace, phase }: MachineFacts,
  { name, drain }: RunningStep,
  now: number,
): string | undefined {
  if (isDeleting || isGone) return 'deletion requested during the drain of a Node that stays';
  if (name === 'drainInPlace') {
    const next = inPlace && planInPlace({ ...inPlace, phase }, now);
    return next?.action === 'drain' ? undefined : 'its Node is not to be updated any more';
  }
  if (!preservation?.mustDrain) return 'its Node need not be drained any more';
  const isToBeForced = preservation.forcesDrain && !drain.byForce;
  return isToBeForced ? 'to be drained by force: label force-drain' : undefined;
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
  const reason = `the target cluster does not answer: ${outage.message}`;
  return { action: 'wait', reason, until: outage.retryAt };
}

/** The target cluster may answer by now, as far as is known. */
function isInReach({ outage }: MachineFacts, now: number): boolean {
  return now >= (outage?.retryAt ?? 0);
}

function planCreation(facts: MachineFacts, now: number): MachineStep {
  if (facts.mayLaunch) return { action: 'launch' };
  if (!facts.isRead) return planRead(facts, now);
  if (!facts.instance) return { action: 'create' };
  const reason = `Node ${facts.instance.nodeName} has not joined yet`;
  if (hasFailed(facts)) return { action: 'wait', reason };
  return { action: 'wait', reason, until: facts.createDeadline };
}

function isUp({ phase }: MachineFacts): boolean {
  const isUpdated = isBeingUpdated(phase) || phase === 'InPlaceUpdateSuccessful';
  return phase === 'Running' || phase === 'Available' || isUpdated;
}

function planRunning(facts: MachineFacts, now: number): MachineStep {
  if (!facts.isRead) return planRead(facts, now);
  const { isNodeBehind, nodeSyncAt = now } = facts;
  if (isNodeBehind && now >= nodeSyncAt) return { action: 'syncNode' };
  const where = facts.usesTarget ? `on Node ${facts.instance?.nodeName ?? '?'}` : 'without a Node';
  return { action: 'wait', reason: `runs ${where}`, ...(isNodeBehind && { until: nodeSyncAt }) };
}

/** Steps that a deletion cancels, in words. */
const needlessInDeletion: Partial<Record<RunningStep['name'], string>> = {
  launch: 'creation',
  create: 'creation',
  findStaleNode: 'a search for an earlier Node of its name',
  syncNode: 'a change of its Node',
  describeInstance: 'a search for its instance',
  getConsoleOutput: 'a read of the console of its instance',
};

function planWhileRunning(facts: MachineFacts, running: RunningStep): MachineStep {
  const { name, isCancelRequested } = running;
  if (isCancelRequested) return { action: 'wait', reason: `${name} is being cancelled` };
  const reason = needlessBy(facts, name) ?? changeOfDrain(facts, running);
  if (reason !== undefined) return { action: 'cancel', reason };
  const { operation } = facts;
  return { action: 'wait', reason: operation ? formatOperation(operation) : `${name} is running` };
}

/** A deletionTimestamp goes only with an etcd that is restored from a backup of before. */
function isUndone({ teardown, isDeleting, isGone }: MachineFacts): boolean {
  return teardown !== undefined && teardown.stage !== 'finished' && !isDeleting && !isGone;
}

function needlessBy(facts: MachineFacts, name: RunningStep['name']): string | undefined {
  if (isUndone(facts)) return `its deletion was undone during ${name}`;
  const needless = needlessInDeletion[name];
  if (needless !== undefined && (facts.isDeleting || facts.isGone)) {
    return `deletion requested during ${needless}`;
  }
  if (name === 'getConsoleOutput' && facts.isNodeReady) return 'its Node has joined after all';
  // The drain timeout or the class may be another: the step begins anew with what the object says
  // now.
  const mustRead = facts.teardown !== undefined && !facts.isRead;
  return mustRead ? `its spec was edited during ${name}` : undefined;
}

function changeOfDrain(
  { drain }: MachineFacts,
  { name, drain: begun }: RunningStep,
): string | undefined {
  if (name !== 'drain') return undefined;
  if (drain.byForce && !begun.byForce) return 'to be drained by force: label force-deletion';
  if (drain.options === begun.options) return undefined;
  return 'to be drained otherwise: its annotations changed';
}
