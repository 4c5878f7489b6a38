/** State of one term as leader, and the observer of all that happens in it. */
import type { Kind } from '../workflows/contracts/references.ts';
import type { StoreView, WatchedChange } from './cache/store.ts';
import type { Resource } from './cache/views.ts';
import type { QueueObserver } from './queue/queue-observer.ts';
import type { SignalQueueCounters } from './queue/signal-queue.ts';

/** Hears what happens in a term, for metrics. */
export interface TermObserver extends QueueObserver {
  /** After the store took it in. */
  changed(change: WatchedChange, store: StoreView): void;
}

export interface SourceState {
  /** It is listed, and its watch does not fail again and again. */
  isSynced: boolean;
  restarts: number;
  lastEventAgeSeconds: number;
}

export interface TermView {
  /** All objects; undefined until those of the control cluster are listed. */
  store: StoreView | undefined;
  signals: Readonly<SignalQueueCounters>;
  /** Signals that have not arrived. */
  backlog(): ReadonlyMap<Kind, number>;
  sources: ReadonlyMap<Resource, SourceState>;
  /** Since when everything is stopped, milliseconds; undefined when it is not. */
  stoppedSince: number | undefined;
  /**
   * Each task queue that the namespace needs, and since when no worker polls it, milliseconds;
   * undefined when one does.
   */
  unservedSince: ReadonlyMap<string, number | undefined>;
}
