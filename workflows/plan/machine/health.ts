/** Is a machine that has joined healthy, and since when and until when may it be otherwise. */
import type { NodeCondition } from '../../api/meta.ts';
import type { MachinePhase } from '../../api/phases.ts';
import type { Period } from '../../values/pauses.ts';
import { deadlineOf as pausedDeadlineOf } from '../../values/pauses.ts';
import { defined } from '../../values/defined.ts';
import { longestLocalStepMs } from '../../values/local-step.ts';

/** Phases of a machine whose Node has joined; `Failed` also has other ways to come about. */
export type JoinedPhase = Extract<
  MachinePhase,
  'Running' | 'Unknown' | 'Failed' | `InPlace${string}`
>;

/**
 * Healthy as in MCM v0.62.1: there are conditions, `Ready` is True if it is there, and each of the
 * harmful types is exactly False if it is there. Returns what is wrong, in words; nothing when the
 * Node is healthy.
 */
export function nodeFaults(
  conditions: readonly NodeCondition[],
  harmful: readonly string[],
): string[] {
  if (conditions.length === 0) return ['the Node has no conditions'];
  const known = new Set(harmful);
  const faults = conditions.filter(({ type, status }) =>
    type === 'Ready' ? status !== 'True' : known.has(type) && status !== 'False',
  );
  const named = faults.slice(0, mostNamed).map(inWords);
  const more = faults.length - named.length;
  return more > 0 ? [...named, `${more} more`] : named;
}

/** A kubelet writes as many conditions as it likes, each as long. */
const mostNamed = 10;
const longestWords = 300;

function inWords({ type, status, reason = '', message = '' }: NodeCondition): string {
  const why = [reason, message].filter((text) => text !== '').join(': ');
  return `${type} is ${status}${why === '' ? '' : ` (${why})`}`.slice(0, longestWords);
}

/**
 * A type came, went, or has another status; of the reasons only the one that an agent on the Node
 * reports by.
 */
export function conditionsDiffer(
  copied: readonly NodeCondition[],
  present: readonly NodeCondition[],
): boolean {
  const known = new Map(copied.map((condition) => [condition.type, comparedOf(condition)]));
  return (
    known.size !== present.length ||
    present.some((condition) => known.get(condition.type) !== comparedOf(condition))
  );
}

function comparedOf({ type, status, reason = '' }: NodeCondition): string {
  return type === 'InPlaceUpdate' ? `${status} ${reason}` : status;
}

/**
 * A healthy Node makes any machine Running again; only time makes an Unknown one Failed. One that
 * is ill after its update in place stays as it is with MCM v0.62.1, for ever.
 */
export function nextPhase(phase: JoinedPhase, isHealthy: boolean): JoinedPhase {
  if (isHealthy) return 'Running';
  return phase === 'Running' || phase === 'InPlaceUpdateSuccessful' ? 'Unknown' : phase;
}

/** State of the checks that a workflow keeps. Times in milliseconds. */
export interface HealthState {
  /** State of the Node at the last check, as it was known: another is a reason to check again. */
  seen: string;
  checkedAt: number;
  /** Since when the machine has been unhealthy; absent while it is not. */
  since?: number;
  /** So long the clock did not count. */
  pausedMs: number;
  /** Absent when no time limit holds. */
  timeoutSeconds?: number;
  /** Absent: at a change only. */
  checkAt?: number;
  waitsFor?: string;
  /** The last check found an API server out of reach; absent otherwise. */
  isOutOfReach?: true;
}

type HealthClock = Pick<HealthState, 'checkedAt' | 'since' | 'pausedMs' | 'timeoutSeconds'>;

/** Result of a check of a machine that is not being deleted. */
export type HealthFinding = Evaluation | { outOfReach: string };

export interface Evaluation {
  phase: JoinedPhase;
  /** Start of the Unknown phase of a machine in it. */
  since?: number;
  timeoutSeconds?: number;
  faults: string[];
  /** Its time is over, and this keeps it from being replaced. */
  hold?: { reason: string; isMeltdown: boolean };
  /** It is to be deleted, as its Node was, and the API server or a stop says no. Also a fault. */
  refusal?: string;
}

export interface HealthCheck {
  seen: string;
  /** When the step began and ended; it takes long only when an API server is hard to reach. */
  begunAt: number;
  endedAt: number;
  /** 0 to 1. */
  random: number;
}

const longestWaitSeconds = 60;
/** Checks that were left out mean that workers or Temporal were away, and perhaps all else. */
const longestGapInChecks = 3;
const longestStepMs = 5_000;
/** After an outage agents on Nodes need up to a minute until they report again. */
const graceSeconds = 60;

/**
 * The state with which a check begins: while no check was made, or none could be, the clock stood
 * still.
 */
export function beforeCheck(state: HealthState | undefined, now: number): HealthState | undefined {
  if (state?.since === undefined) return state;
  const gap = now - state.checkedAt;
  const wasChecked = gap <= longestGapInChecks * waitOf(state.timeoutSeconds, 0);
  if (wasChecked && !state.isOutOfReach) return state;
  const pausedMs = pausedUntil(state, now);
  return { ...state, pausedMs, checkedAt: now };
}

/**
 * The clock stands still from the last good check on when an API server is out of reach, when the
 * step took long because of that, and when most machines went silent at once. After that a machine
 * has at least a minute.
 */
export function afterCheck(
  before: HealthState | undefined,
  finding: HealthFinding,
  check: HealthCheck,
): HealthState {
  const base = { seen: check.seen, checkedAt: check.endedAt };
  if ('outOfReach' in finding) return afterOutage(before, finding.outOfReach, check);
  const { phase, since, refusal } = finding;
  if (phase === 'Unknown' && since !== undefined) {
    return { ...base, ...afterFault(before, { ...finding, since }, check) };
  }
  return {
    ...base,
    pausedMs: 0,
    ...((refusal !== undefined || mayStillWrite(check)) && nextAttempt(check)),
    ...(refusal !== undefined && { waitsFor: refusal }),
  };
}

/**
 * An attempt was given up: its write may arrive after the next one has found nothing to write, and
 * the Machine would say Unknown although its Node is Ready, or Running although it is not.
 */
function mayStillWrite({ begunAt, endedAt }: HealthCheck): boolean {
  return endedAt - begunAt >= longestLocalStepMs;
}

function afterFault(
  before: HealthState | undefined,
  finding: Evaluation & { since: number },
  check: HealthCheck,
): Omit<HealthState, 'seen' | 'checkedAt'> {
  const { since, timeoutSeconds, hold, faults, refusal } = finding;
  const tookLong = check.endedAt - check.begunAt > longestStepMs;
  const stands = hold?.isMeltdown === true || tookLong;
  const begun = defined({ since, timeoutSeconds, pausedMs: 0, checkedAt: check.begunAt });
  const clock: HealthClock = before?.since === undefined ? begun : before;
  const pausedMs = stands ? pausedUntil(clock, check.endedAt) : clock.pausedMs;
  const state = defined({ since, pausedMs, timeoutSeconds });
  const words = `unhealthy: ${faults.join('; ')}`;
  const waitsFor = hold === undefined ? words : `${hold.reason}; ${words}`;
  const isHeld = hold !== undefined;
  const isToRepeat = refusal !== undefined || mayStillWrite(check);
  const checkAt = nextCheck(state, { ...check, isHeld, isToRepeat });
  return defined({ ...state, waitsFor, checkAt });
}

function afterOutage(
  before: HealthState | undefined,
  reason: string,
  check: HealthCheck,
): HealthState {
  const pausedMs = pausedUntil(before, check.endedAt);
  const { since, timeoutSeconds } = before ?? {};
  const checkAt = check.endedAt + waitOf(timeoutSeconds, check.random) / 4;
  const waitsFor = `cannot check its health: ${reason}`;
  const { seen, endedAt: checkedAt } = check;
  const clock = defined({ seen, checkedAt, since, pausedMs, timeoutSeconds });
  return { ...clock, checkAt, waitsFor, isOutOfReach: true };
}

function pausedUntil(before: HealthClock | undefined, now: number): number {
  if (before?.since === undefined) return 0;
  const { since, pausedMs, timeoutSeconds, checkedAt } = before;
  const longer = pausedMs + Math.max(now - checkedAt, 0);
  if (timeoutSeconds === undefined) return longer;
  const soonest = now + Math.min(timeoutSeconds, graceSeconds) * 1000;
  return Math.max(longer, soonest - since - timeoutSeconds * 1000);
}

/** The next check of a machine for which no clock runs. */
function nextAttempt({ endedAt, random }: HealthCheck): Pick<HealthState, 'checkAt'> {
  return { checkAt: endedAt + waitOf(undefined, random) };
}

/**
 * Unknown machines are checked now and then: only so the workflow knows how long an API server was
 * away.
 */
function nextCheck(
  state: Pick<HealthState, 'since' | 'pausedMs' | 'timeoutSeconds'>,
  { endedAt, random, isHeld, isToRepeat }: HealthCheck & { isHeld: boolean; isToRepeat: boolean },
): number | undefined {
  const deadline = deadlineOf(state);
  const later = endedAt + waitOf(state.timeoutSeconds, random);
  if (deadline === undefined) return isToRepeat ? later : undefined;
  return isHeld || deadline <= endedAt ? later : Math.min(later, deadline);
}

/** A minute, or less where the timeout is short; shortened by up to a quarter at random. */
function waitOf(timeoutSeconds: number | undefined, random: number): number {
  const share = timeoutSeconds === undefined ? longestWaitSeconds : timeoutSeconds / 4;
  const seconds = Math.min(longestWaitSeconds, Math.max(share, 1));
  return Math.round(seconds * 1000 * (1 - random / 4));
}

/**
 * When the machine's time is over, milliseconds; undefined when no limit holds. Outages that the
 * checks themselves saw are among the pauses too, so the later of both answers counts, not their
 * sum.
 */
export function deadlineOf(
  { since, pausedMs, timeoutSeconds }: Pick<HealthState, 'since' | 'pausedMs' | 'timeoutSeconds'>,
  pauses: readonly Period[] = [],
): number | undefined {
  if (since === undefined || timeoutSeconds === undefined) return undefined;
  const timeoutMs = timeoutSeconds * 1_000;
  return Math.max(
    since + pausedMs + timeoutMs,
    pausedDeadlineOf({ from: since, timeoutMs }, pauses),
  );
}

/** Most machines went silent at once: rather the network or the control plane than each of them. */
export function isMeltdown({ unknown, joined }: { unknown: number; joined: number }): boolean {
  return unknown >= 3 && unknown * 2 > joined;
}
