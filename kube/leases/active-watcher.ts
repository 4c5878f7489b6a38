/**
 * Shows a worker whether a watcher holds the Lease of the namespace now. It watches the Lease: no
 * read per action.
 */
import type { KubeClient } from '../client/client.ts';
import { holderAnnotation } from './observed-lease.ts';
import type { Lease } from './observed-lease.ts';
import { isLeaseOfMcm, ownLeaseOf } from './lease-set.ts';
import type { LeasePlace } from './lease-set.ts';
import { LeaseTerm } from './lease-term.ts';
import type { NotedPause } from '../objects/pauses.ts';
import { pausesAnnotation } from '../objects/pauses.ts';
import { PauseHistory } from './pause-history.ts';
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

/** MCM may hold its Lease too: then no watcher of ours leads. */
function isHeldByUs({ metadata, spec }: Lease): boolean {
  return metadata.annotations?.[holderAnnotation] === spec?.holderIdentity;
}

const notedOn = ({ metadata }: Lease) => ({
  uid: metadata.uid,
  noted: metadata.annotations?.[pausesAnnotation] ?? '',
});
