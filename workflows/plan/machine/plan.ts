/** The next step of one Machine's life. */
import type { MachineErrorCode } from '../../api/failures.ts';
import type { MachinePhase } from '../../api/phases.ts';
import type { PreservationFacts } from './preservation-step.ts';
import { nextPreservationTime, planPreservationStep } from './preservation-step.ts';
import type { OperationFacts } from './operation.ts';
import { planWhileRunning } from './running-step.ts';
import { backOffOf, hasFailed, planTeardown } from './teardown.ts';

/** As drivers tell them apart. */
export const machineFailureKinds = [
  'throttling',
  'quota',
  'capacity',
  'credentials',
  'input',
] as const;

export type MachineFailureKind = (typeof machineFailureKinds)[number];

/** Why a step did not succeed, in the words of MCM v0.62.1's error codes. */
export interface MachineFailure {
  code: MachineErrorCode;
  message: string;
  /** Nothing was made: the next create may differ. False: an instance may exist all the same. */
  isSettled: boolean;
  retryAfterSeconds?: number;
  /** We stopped it ourselves: nothing is wrong. */
  wasCancelled?: boolean;
  /** Who has to act, where the code alone does not say it. Absent in what earlier versions noted. */
  kind?: MachineFailureKind;
  /** Default: creating or deleting the instance. */
  during?: 'initialization' | 'nodeLookup';
}

/** Of any step, also of one that no driver does. */
export interface StepFailure extends Omit<MachineFailure, 'during'> {
  during?: MachineFailure['during'] | 'nodeDeletion';
}

/** A step that runs beside the loop. */
export interface RunningStep {
  name:
    | 'create'
    | 'findStaleNode'
    | 'syncNode'
    | 'findInstance'
    | 'describeInstance'
    | 'drain'
    | 'drainPreserved'
    | 'deleteInstance';
  isCancelRequested: boolean;
  /** A drain that asks no PodDisruptionBudget. */
  isForced: boolean;
  /** What operators asked of the drain when it began, digested. */
  drainOptions?: string;
}

export interface Instance {
  providerID: string;
  nodeName: string;
}

export interface MachineFacts {
  running?: RunningStep;
  /** What the running step waits for in the cloud. */
  operation?: OperationFacts;
  /** The object is gone from the API server. */
  isGone: boolean;
  isDeleting: boolean;
  hasFinalizer: boolean;
  /** Label `force-deletion`. */
  mustForce: boolean;
  /** What operators ask of the drain now, digested. */
  drainOptions?: string;
  /** The object was read in this life. */
  isPrepared: boolean;
  failure?: {
    detail: StepFailure;
    attempts: number;
    /** Those of them after which nobody but us said when to come back: they make the wait longer. */
    unpaced?: number;
    retryAt: number;
  };
  instance?: Instance;
  /** A create was sent and nobody knows what came of it; instances may be listed until then. */
  unsettledUntil?: number;
  /** A create was sent, or may have been sent by an earlier life. */
  wasCreateSent: boolean;
  /** The target cluster did not answer when Machine and Node were read: they are read again then, milliseconds. */
  outage?: { reason: string; retryAt: number };
  /** What failed last is not on the object yet. */
  isUnreported?: boolean;
  /** Somebody took the finalizer off a living object: it is set again then, milliseconds. */
  finalizerAt?: number;
  /** A Node may be left of an earlier instance under the name that the new instance got. */
  mustCheckName?: boolean;
  /** The Node of a machine that has not joined yet was deleted. */
  hasLostNode?: boolean;
  /** A MachineSet decides on its replacement. */
  isOwned: boolean;
  /** Provider of the class, when the class could be read. */
  provider?: string;
  phase: MachinePhase;
  /** The instance's ids are on the object. */
  isRecorded: boolean;
  usesTarget: boolean;
  /** The Node of this instance was seen Ready. */
  isNodeReady: boolean;
  /** Machine or class say by now something else of the Node than when it was written last. */
  isNodeBehind: boolean;
  createDeadline: number;
  /** Of a machine that has joined. */
  health?: HealthFacts;
  /** Somebody says that the instance is gone. */
  loss?: LossFacts;
  /** Of a machine that is to be preserved, or was. */
  preservation?: PreservationFacts;
  teardown?: {
    /** A create may have made an instance that nobody wrote down: its Node is to be drained and to go as well. */
    mustFind?: boolean;
    isDrained: boolean;
    isInstanceGone: boolean;
    isFinished: boolean;
  };
}

export interface LossFacts {
  /** The cloud is asked then, milliseconds. */
  askAt: number;
  /** It said twice that there is none. */
  isConfirmed: boolean;
}

export interface HealthFacts {
  /** Something changed since the last look. */
  mustLook: boolean;
  lookAt?: number;
  waitsFor?: string;
}

export type MachineStep =
  /** Read the object, its class, its limits. */
  | { action: 'prepare' }
  | { action: 'create' }
  | { action: 'recordFailure' }
  | { action: 'findStaleNode' }
  | { action: 'recordCreated' }
  | { action: 'recordJoined' }
  /** Delete the Machine with its Node. */
  | { action: 'deleteWithNode' }
  | { action: 'syncNode' }
  | { action: 'recordTimeout' }
  | { action: 'checkHealth' }
  /** Ask the cloud whether the instance is there. */
  | { action: 'describeInstance' }
  | { action: 'recordLoss' }
  /** Look at what is said of its preservation, and do it. */
  | { action: 'preserve' }
  | { action: 'drainPreserved' }
  | { action: 'beginTeardown' }
  /** Ask the cloud what a create without an answer made. */
  | { action: 'findInstance' }
  | { action: 'drain' }
  | { action: 'deleteInstance' }
  | { action: 'finishTeardown' }
  /** Ask the running step to stop. */
  | { action: 'cancel'; reason: string }
  | { action: 'wait'; reason: string; until?: number }
  | { action: 'complete'; reason: string };

/**
 * An instance is torn down only by a life that saw the deletionTimestamp with our finalizer present. An object that
 * vanishes otherwise (Gardener's control-plane migration strips finalizers) leaves its instance alone.
 */
export function planMachine(facts: MachineFacts, now: number): MachineStep {
  const { running, ...rest } = facts;
  if (running?.name === 'drainPreserved') return planBesideDrain(rest, running, now);
  if (running) return planWhileRunning(facts, running);
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
  return planLife(facts, now);
}

function planLife(facts: MachineFacts, now: number): MachineStep {
  const { preservation, health } = facts;
  const first = planRepair(facts, now) ?? (preservation && planPreservationStep(preservation, now));
  const step = first ?? planLoss(facts, now) ?? (health && planHealth(facts, health, now));
  const planned = step ?? (isUp(facts) ? planRunning(facts, now) : planLaunch(facts, now));
  return preservedUntil(doubtedUntil(repairedUntil(planned, facts), facts), facts, now);
}

/** What is missing on the object itself. */
function planRepair({ isUnreported, finalizerAt }: MachineFacts, now: number) {
  if (isUnreported) return { action: 'recordFailure' } as const;
  return now >= (finalizerAt ?? Infinity) ? ({ action: 'prepare' } as const) : undefined;
}

/** Whatever a machine waits for, it wakes to set its finalizer again, and to read what was out of reach. */
function repairedUntil(step: MachineStep, { finalizerAt, outage }: MachineFacts): MachineStep {
  if (step.action !== 'wait') return step;
  const until = Math.min(
    step.until ?? Infinity,
    finalizerAt ?? Infinity,
    outage?.retryAt ?? Infinity,
  );
  return until === Infinity ? step : { ...step, until };
}

/** The health of a machine that has joined is looked at instead: its Node knows more. */
function planLoss({ loss, health, phase }: MachineFacts, now: number): MachineStep | undefined {
  if (!loss || phase === 'Failed') return undefined;
  if (!loss.isConfirmed) return now >= loss.askAt ? { action: 'describeInstance' } : undefined;
  return health ? undefined : { action: 'recordLoss' };
}

/** Whatever a machine waits for, it wakes to ask for its instance. */
function doubtedUntil(step: MachineStep, { loss, phase }: MachineFacts): MachineStep {
  if (step.action !== 'wait' || !loss || loss.isConfirmed || phase === 'Failed') return step;
  const until = Math.min(step.until ?? Infinity, loss.askAt);
  return { ...step, reason: `${step.reason}; its instance is not to be found`, until };
}

/** Whatever a preserved machine waits for, it wakes when its time is over. */
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

/** Life goes on beside the drain of a Node that is kept: it may get well, its time may end, its Machine may be deleted. */
function planBesideDrain(facts: MachineFacts, running: RunningStep, now: number): MachineStep {
  if (running.isCancelRequested) return { action: 'wait', reason: 'its drain is being cancelled' };
  const reason = endOfDrain(facts, running);
  if (reason !== undefined) return { action: 'cancel', reason };
  const { preservation, ...rest } = facts;
  // One drain is enough.
  const kept = preservation && { preservation: { ...preservation, mustDrain: false } };
  const step = planLife({ ...rest, ...kept }, now);
  return isLong(step.action) ? { action: 'wait', reason: 'its Node is being drained' } : step;
}

function endOfDrain(
  { isDeleting, isGone, preservation }: MachineFacts,
  { isForced }: RunningStep,
): string | undefined {
  if (isDeleting || isGone) return 'deletion requested during the drain of a preserved Node';
  if (!preservation?.mustDrain) return 'its Node need not be drained any more';
  const isToBeForced = preservation.mustForce && !isForced;
  return isToBeForced ? 'to be drained by force: label force-drain' : undefined;
}

const longSteps = new Set<string>([
  'create',
  'findStaleNode',
  'syncNode',
  'findInstance',
  'drain',
  'drainPreserved',
  'deleteInstance',
  'describeInstance',
]);

/** A step that runs beside the loop. */
export function isLong(action: string): action is RunningStep['name'] {
  return longSteps.has(action);
}

/** Nothing for a healthy machine. */
function planHealth(
  facts: MachineFacts,
  { mustLook, lookAt, waitsFor }: HealthFacts,
  now: number,
): MachineStep | undefined {
  if (!facts.isPrepared && isInReach(facts, now)) return { action: 'prepare' };
  if (mustLook || now >= (lookAt ?? Infinity)) return { action: 'checkHealth' };
  if (hasFailed(facts)) {
    const reason = 'failed: its owner replaces it, unless its Node is healthy again before';
    return { action: 'wait', reason, ...(lookAt !== undefined && { until: lookAt }) };
  }
  if (waitsFor === undefined) return undefined;
  return { action: 'wait', reason: waitsFor, ...(lookAt !== undefined && { until: lookAt }) };
}

/**
 * A Failed machine of a set waits to be replaced. One without an owner is all that there will ever be, so it goes on trying, as in
 * MCM v0.62.1.
 */
function planLaunch(facts: MachineFacts, now: number): MachineStep {
  if (hasFailed(facts) && facts.isOwned) return planFailed(facts);
  const known = facts.instance && planJoin(facts, now);
  if (known) return known;
  if (now >= facts.createDeadline && !hasFailed(facts)) return { action: 'recordTimeout' };
  return backOffOf(facts, now) ?? planCreation(facts, now);
}

/** Of a machine that has its instance. */
function planJoin(facts: MachineFacts, now: number): MachineStep | undefined {
  if (facts.mustCheckName) return { action: 'findStaleNode' };
  // However late it came: an instance that is not on the object could be lost.
  if (!facts.isRecorded) return { action: 'recordCreated' };
  if (facts.hasLostNode && isInReach(facts, now)) return { action: 'deleteWithNode' };
  if (facts.isNodeReady) return { action: 'recordJoined' };
  return facts.isPrepared && facts.isNodeBehind ? { action: 'syncNode' } : undefined;
}

/** One that is preserved has the time to join all the same. */
function planFailed({ preservation, isRecorded, isNodeReady }: MachineFacts): MachineStep {
  const isKept = preservation?.until !== undefined;
  if (isKept && isRecorded && isNodeReady) return { action: 'recordJoined' };
  return { action: 'wait', reason: 'failed: its MachineSet decides on a replacement' };
}

/** An unreachable target cluster is asked again after a while; what else happens is seen meanwhile. */
function planRead(facts: MachineFacts, now: number): MachineStep {
  const { outage } = facts;
  if (!outage || isInReach(facts, now)) return { action: 'prepare' };
  const reason = `the target cluster does not answer: ${outage.reason}`;
  return { action: 'wait', reason, until: outage.retryAt };
}

/** The target cluster may answer by now, as far as is known. */
function isInReach({ outage }: MachineFacts, now: number): boolean {
  return now >= (outage?.retryAt ?? 0);
}

function planCreation(facts: MachineFacts, now: number): MachineStep {
  if (!facts.isPrepared) return planRead(facts, now);
  if (!facts.instance) return { action: 'create' };
  const reason = `Node ${facts.instance.nodeName} has not joined yet`;
  if (hasFailed(facts)) return { action: 'wait', reason };
  return { action: 'wait', reason, until: facts.createDeadline };
}

function isUp({ phase }: MachineFacts): boolean {
  return phase === 'Running' || phase === 'Available';
}

function planRunning(facts: MachineFacts, now: number): MachineStep {
  if (!facts.isPrepared) return planRead(facts, now);
  if (facts.isNodeBehind) return { action: 'syncNode' };
  const where = facts.usesTarget ? `on Node ${facts.instance?.nodeName ?? '?'}` : 'without a Node';
  return { action: 'wait', reason: `runs ${where}` };
}
