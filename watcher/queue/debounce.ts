/**
 * How long a signal waits for a newer one of its name, and how often a workflow gets signals of one
 * name.
 */
import type { Signal } from '../dispatch/signal.ts';
import type { SignalName } from '../../workflows/contracts/messages.ts';

export interface SignalPace {
  /** Sent once nothing newer came for so long. */
  quietMs: number;
  /** Sent then at the latest. */
  maxMs: number;
  /** So many at once; after that, one each `intervalMs`. Absent: no limit but `maxMs`. */
  burst?: number;
}

/** One object that changes all the time costs its workflow one signal in so long. */
const intervalMs = 1_000;

const atOnce: SignalPace = { quietMs: 0, maxMs: 0, burst: 1 };
/** A rollout sizes its sets several times within a second. */
const sizes: SignalPace = { quietMs: 0, maxMs: 0, burst: 5 };
/**
 * A set reads a hundred changed machines in one go. They are at most two a second by themselves.
 */
const gathered: SignalPace = { quietMs: 200, maxMs: 500 };

const paces: Record<SignalName, SignalPace> = {
  machineObserved: atOnce,
  machineGone: atOnce,
  // A Node that joins changes several times within milliseconds.
  nodeObserved: { quietMs: 50, maxMs: 200, burst: 1 },
  classChanged: gathered,
  machineSetObserved: sizes,
  machineSetGone: atOnce,
  machinesChanged: gathered,
  machineDeploymentObserved: sizes,
  machineDeploymentGone: atOnce,
  machineSetsChanged: gathered,
  useChanged: gathered,
};

/**
 * A Node that registers is Ready within a second in a small cloud, and within half a minute in a
 * large one: the former is signalled once, and the latter gets its labels a second later.
 */
const notReady: SignalPace = { quietMs: 1_000, maxMs: 1_000, burst: 1 };

export function paceOf({ name, payload }: Signal): SignalPace {
  const isWaiting = 'isReady' in payload && payload.exists && !payload.isReady;
  return isWaiting ? notReady : paces[name];
}

/** Signals of one name that a workflow got. */
export interface Sent {
  /** The last one. */
  signal: Signal;
  /** Until when the signals of the burst are used up, one for each interval. */
  usedUntil: number;
}

/** With one more. */
export function sentAfter(sent: Sent | undefined, signal: Signal, now: number): Sent {
  if (paceOf(signal).burst === undefined) return { signal, usedUntil: now };
  return { signal, usedUntil: Math.max(sent?.usedUntil ?? now, now) + intervalMs };
}

/** Before this it has to wait. */
export function mayLeaveAt(signal: Signal, sent: Sent | undefined): number {
  const { burst } = paceOf(signal);
  if (burst === undefined || !sent || isOfAnotherLife(signal, sent.signal)) return 0;
  return sent.usedUntil - (burst - 1) * intervalMs;
}

/** A deletion, and a new object under the same name, happen once and are signalled at once. */
function isOfAnotherLife({ payload: now }: Signal, { payload: before }: Signal): boolean {
  return lifeOf(now) !== lifeOf(before);
}

function lifeOf(payload: Signal['payload']): string {
  const uid = 'uid' in payload ? payload.uid : '';
  const isDeleting = 'isDeleting' in payload && payload.isDeleting;
  const isGone = 'exists' in payload && !payload.exists;
  return `${uid} ${isDeleting} ${isGone}`;
}
