/**
 * How a workflow follows one object: the loop, what wakes it, and whether the object is still the
 * same.
 */
import type { SignalDefinition } from '@temporalio/common';
import {
  CancellationScope,
  continueAsNew,
  setHandler,
  ApplicationFailure,
  TimeoutFailure,
  workflowInfo,
  log,
} from '@temporalio/workflow';
import type { GoneSnapshot, SetSnapshot } from '../contracts/snapshots.ts';
import { goneSnapshot } from '../contracts/snapshots.ts';
import { objectQuery } from '../contracts/messages.ts';
import type { WorkflowInput, SnapshotVersion } from '../contracts/references.ts';
import { isNewer } from '../contracts/references.ts';
import { defined } from '../values/defined.ts';
import { epochAt } from '../values/epoch.ts';
import type { Schema } from '../values/schema.ts';
import { onSignal } from './signal-validation.ts';
import { followsFailedRun } from './continue-as-new.ts';
import { count } from './counters.ts';

type Snapshot = SnapshotVersion & { uid: string };

/** `Seen`: what is known of the object. */
export interface ObjectState<Seen extends Snapshot = SetSnapshot> {
  /** UID of the object that this run stands for; set by the first read. */
  uid?: string;
  /** The newest version that was signalled or read. */
  observed?: Seen;
  isGone: boolean;
  /** A later object of the same name: the next run stands for it. */
  successor?: Seen;
}

/** Reports whether this run stands for the object of this UID: before the first read, for any. */
export function isSameObject({ uid }: ObjectState<Snapshot>, read: string): boolean {
  return uid === undefined || uid === read;
}

/**
 * Compares a live object with what is known. `newer`: the caller takes it over. `successor`:
 * another UID under our name, so our object must be gone, whether or not that was signalled.
 * Undefined: nothing new.
 */
export function observeObject<Seen extends Snapshot>(
  state: ObjectState<Seen>,
  seen: Seen,
): 'newer' | 'successor' | undefined {
  if (!isNewer(seen, state.observed)) return undefined;
  if (isSameObject(state, seen.uid)) return 'newer';
  if (!isNewer(seen, state.successor)) return undefined;
  state.successor = seen;
  state.isGone = true;
  return 'successor';
}

/** Takes in a live object whose signal the state keeps as it is. Returns whether it is news. */
export function noteObserved<Seen extends Snapshot>(state: ObjectState<Seen>, seen: Seen): boolean {
  const found = observeObject(state, seen);
  if (found === 'newer') state.observed = seen;
  return found !== undefined;
}

/** Returns whether it was our object, or its successor. */
export function observeGone(state: ObjectState<Snapshot>, gone: GoneSnapshot): boolean {
  if (state.successor?.uid === gone.uid && isNewer(gone, state.successor)) {
    delete state.successor;
    return true;
  }
  const uid = state.uid ?? state.observed?.uid;
  if (gone.uid !== uid || !isNewer(gone, state.observed)) return false;
  state.isGone = true;
  return true;
}

/**
 * The loop of a workflow. Signals of its own cluster are news; news begins another turn. `State`:
 * what one run hands over to the next.
 */
export class ObjectLifecycle<State = never> {
  readonly #input: WorkflowInput;
  #hasNews = true;

  constructor(input: WorkflowInput) {
    this.#input = input;
  }

  get hasNews(): boolean {
    return this.#hasNews;
  }

  noteNews(): void {
    this.#hasNews = true;
  }

  /** Events from now on are news again. */
  takeNews(): void {
    this.#hasNews = false;
  }

  /** `observe` returns whether the signal is a reason for another turn. */
  on<Payload extends Pick<SnapshotVersion, 'cluster'>>(
    signal: SignalDefinition<[Payload]>,
    shape: Schema<Payload>,
    observe: (payload: Payload) => boolean,
  ): void {
    onSignal(signal, shape, (payload) => {
      const seen = withPlausibleEpoch(payload);
      if (isFromOwnCluster(seen, this.#input) && observe(seen)) this.noteNews();
    });
  }

  /** Hears that the object is gone, and answers which one it is. */
  follow(gone: SignalDefinition<[GoneSnapshot]>, state: ObjectState<Snapshot>): void {
    this.on(gone, goneSnapshot, (seen) => observeGone(state, seen));
    setHandler(
      objectQuery,
      () => defined({ uid: state.uid ?? state.observed?.uid, isGone: state.isGone }),
      { description: 'which object the run stands for' },
    );
  }

  /** Without a state the next run begins with a read. */
  async continueAsNew(state?: State): Promise<never> {
    const { ref, cluster } = this.#input;
    const input = { ref, cluster, ...(state !== undefined && { state }) };
    return await continueAsNew<(next: typeof input) => Promise<unknown>>(input);
  }

  /**
   * Takes turns until one returns a result. Cannot be cancelled from outside: nothing else acts for
   * this object, and "Cancel" in the Temporal UI must not leave an instance unmanaged.
   */
  async run<Result>(turn: () => Promise<Result | undefined>): Promise<Result> {
    countBegunAnew();
    return await CancellationScope.nonCancellable(async () => {
      for (;;) {
        const result = await turn();
        if (result !== undefined) return result;
      }
    });
  }
}

/** For clocks that differ. */
const mostSecondsAhead = 600;

/**
 * No term begins in the future, but who can write to Temporal can say so: the run would be deaf to
 * the watcher for ever. So it is to the present term at most: the next one is later. A Lease that
 * counts from a clock that was wrong stays usable, as later signals count as later.
 */
export function withPlausibleEpoch<Payload extends object>(payload: Payload): Payload {
  if (!('epoch' in payload) || typeof payload.epoch !== 'number') return payload;
  const latest = epochAt(Date.now()) + mostSecondsAhead;
  return payload.epoch <= latest ? payload : { ...payload, epoch: latest };
}

/** Few, as each is a label. */
type BegunAnewReason = 'nondeterminism' | 'timeout' | 'error';

/** On the worker that begins the run; replays do not count. */
function countBegunAnew(): void {
  if (!followsFailedRun()) return;
  const { workflowType: kind, lastFailure } = workflowInfo();
  count('runsBegunAnew', { kind, reason: begunAnewReason(lastFailure) });
}

/**
 * "Missing associated machine for LocalActivity" is what the SDK says both when it lost one itself
 * and when the code has changed.
 */
export function begunAnewReason(failure: unknown): BegunAnewReason {
  if (failure instanceof TimeoutFailure) return 'timeout';
  if (!(failure instanceof Error)) return 'error';
  const type = failure instanceof ApplicationFailure ? failure.type : undefined;
  const isBroken = type === 'NondeterminismError' || failure.message.includes('[TMPRL1100]');
  return isBroken ? 'nondeterminism' : 'error';
}

/**
 * One Temporal namespace may serve several clusters with objects of the same names: signals of
 * another are refused loudly.
 */
function isFromOwnCluster(
  signal: Pick<SnapshotVersion, 'cluster'>,
  { cluster }: WorkflowInput,
): boolean {
  if (signal.cluster === cluster) return true;
  log.error('signal of another cluster refused', { cluster: signal.cluster, ours: cluster });
  return false;
}
