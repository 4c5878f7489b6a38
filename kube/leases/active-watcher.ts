/**
 * Shows a worker whether a watcher holds the Lease of the namespace now. It watches the Lease: no
 * read per action.
 */
import type { KubeClient } from '../client/client.ts';
import { isHeldByUs, type Lease, type LeaseSpec } from './observed-lease.ts';
import { isLeaseOfMcm, ownLeaseOf, type LeasePlace } from './lease-set.ts';
import { pausesAnnotation, bounded, readPauses, type NotedPause } from '../objects/pauses.ts';
import { WatchedLease } from './watched-lease.ts';
import { monotonicMs, nowMs } from '../../activities/system/system.ts';

export interface ActiveWatcher {
  /** No holder, no action: whatever writes to Kubernetes waits for a watcher. */
  isActive(): boolean;
  /** The Lease is that of a watcher which signals other workflows than ours. */
  isElsewhere(): boolean;
  /** When nothing could be done, as the watchers noted it. */
  pauses(): NotedPause[];
  /** Fulfilled after the first read. */
  readonly synced: Promise<void>;
  close(): Promise<void>;
}

export interface ActiveWatcherOptions {
  client: KubeClient;
  namespace: string;
  /** Namespace and name of the Lease. */
  place?: LeasePlace | undefined;
  /**
   * Reports whether the annotations of the Lease are those of a watcher as in
   * `ActiveWatcher.isElsewhere`. Default: never.
   */
  isElsewhere?(annotations: Readonly<Record<string, string>>): boolean;
  /** Called for each failed read; the watch goes on by itself. */
  onError(error: unknown): void;
}

export function watchActiveWatcher({
  client,
  namespace,
  place,
  isElsewhere = () => false,
  onError,
}: ActiveWatcherOptions): ActiveWatcher {
  const own = ownLeaseOf(namespace, place);
  const isShared = isLeaseOfMcm(own.name);
  const term = new LeaseTerm();
  // By both clocks: one stands still while a machine sleeps, the other may be set.
  let end = { monotonic: 0, wall: 0 };
  const history = new PauseHistory();
  let isOfOthers = false;

  function see(lease: Lease | undefined): void {
    const now = nowMs();
    isOfOthers = isElsewhere(lease?.metadata.annotations ?? {});
    const isHeld = lease !== undefined && !isOfOthers && (!isShared || isHeldByUs(lease));
    const remaining = isHeld ? term.remaining(lease.spec ?? {}, now) : 0;
    end = { monotonic: monotonicMs() + remaining, wall: now + remaining };
    if (lease !== undefined) history.see(notedOn(lease), now);
  }

  const watched = new WatchedLease({ client, lease: own, onSeen: see, onError });
  return {
    isActive: () => monotonicMs() < end.monotonic && nowMs() < end.wall,
    isElsewhere: () => isOfOthers,
    pauses: () => history.pauses(),
    synced: watched.synced,
    close: () => watched.stop(),
  };
}

const notedOn = ({ metadata }: Lease) => ({
  uid: metadata.uid,
  noted: metadata.annotations?.[pausesAnnotation] ?? '',
});

const defaultDurationSeconds = 15;
/** Renewals that are remembered. A clock that was set is believed after as many. */
const remembered = 10;

/**
 * A Lease holds for its duration from `renewTime` on, a time by the clock of its holder. How far
 * that is off shows in the renewals that arrived soonest: one that arrives later than those was
 * under way for longer, and does not prolong the Lease by that.
 */
export class LeaseTerm {
  #holder = '';
  /** From the holder's time of a renewal to our time of its arrival, milliseconds. */
  #lags: number[] = [];

  /** For how much longer the Lease holds, milliseconds. `now`: of our clock. */
  remaining({ holderIdentity, renewTime, leaseDurationSeconds }: LeaseSpec, now: number): number {
    const renewedAt = Date.parse(renewTime ?? '');
    if (!holderIdentity || Number.isNaN(renewedAt)) return 0;
    if (holderIdentity !== this.#holder) this.#lags = [];
    this.#holder = holderIdentity;
    // The first that we see may be old, so both clocks are taken to be right. A wrong one costs the
    // wait for the next renewal.
    const known = this.#lags.length === 0 ? [0] : this.#lags;
    const lag = now - renewedAt;
    const offset = Math.min(...known, lag);
    this.#lags = [...this.#lags, lag].slice(-remembered);
    return renewedAt + offset + (leaseDurationSeconds ?? defaultDurationSeconds) * 1_000 - now;
  }
}

interface SeenLease {
  uid: string;
  /** The annotation. */
  noted: string;
}

/** A Lease that was taken away is made again within seconds where a watcher leads. */
const shortestMs = 10_000;

/**
 * The pauses that a worker knows of: those on the Lease, and what a Lease said that was deleted.
 * The time until there was another one is a pause as well, which no watcher may know of.
 */
export class PauseHistory {
  #lease: SeenLease | undefined;
  /** When the Lease was seen last, milliseconds. */
  #seenAt = 0;
  #pauses: NotedPause[] = [];
  #before: NotedPause[] = [];

  see({ uid, noted }: SeenLease, now: number): void {
    const known = this.#lease;
    const isAnother = known !== undefined && known.uid !== uid;
    if (isAnother) this.#replace(now);
    if (isAnother || known?.noted !== noted) this.#pauses = readPauses(noted);
    this.#lease = { uid, noted };
    this.#seenAt = now;
  }

  pauses(): NotedPause[] {
    return [...this.#before, ...this.#pauses];
  }

  /**
   * A pause that lasted ends with the Lease, and is noted anew on the next one if it still lasts.
   */
  #replace(now: number): void {
    const ended = this.#pauses.map((pause) => ({ ...pause, until: pause.until ?? now }));
    const gap: NotedPause = { reason: 'watcher', from: this.#seenAt, until: now };
    const isLong = now - this.#seenAt >= shortestMs;
    this.#before = bounded([...this.#before, ...ended, ...(isLong ? [gap] : [])], now);
    this.#pauses = [];
  }
}
