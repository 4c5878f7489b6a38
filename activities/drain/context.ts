/** Parts that a drain works with. */
import type { KubeClient } from '../../kube/client/client.ts';
import type { PassWatch } from './wake-ups/freed-pods.ts';
import type { WatchedAttachments } from './wake-ups/watched-attachments.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { MachineDefaults } from '../../workflows/api/settings.ts';
import type { Pause } from '../../workflows/values/pauses.ts';
import type { DrainProgress } from './progress.ts';
import type { DrainReport, DrainRequest } from '../../workflows/contracts/drain-activities.ts';

/** How long a drain took, for metrics. */
export interface DrainTime {
  /** From the moment on at which its timeout counts, all passes and waits included. */
  seconds: number;
  result: 'drained' | 'forced';
  /** Labels of the Machine. */
  labels: Readonly<Record<string, string>>;
}

export interface DrainContext {
  control: KubeClient;
  target: KubeClient;
  /** Id of `target`. */
  targetCluster?: string | undefined;
  watch: PassWatch;
  attachments: Pick<WatchedAttachments, 'list' | 'pause'>;
  /** Signal of the activity: a drain is cancelled to change its mode. */
  signal: AbortSignal;
  settings: Pick<
    MachineDefaults,
    'maxEvictRetries' | 'pvDetachTimeoutSeconds' | 'pvReattachTimeoutSeconds'
  >;
  /** As this attempt has read it just now; absent: it is read. */
  machine?: Machine | undefined;
  /** Fails while nothing may be destroyed. */
  requireActiveWatcher(): Promise<void>;
  /** When nothing could be done: that time does not count. */
  pauses: readonly Pause[];
  /** Progress that the attempt before left behind. */
  details: Partial<DrainProgress> | undefined;
  /** A reset counts as one: it is to try at once. */
  isFirstAttempt: boolean;
  save(progress: DrainProgress): void;
  /** It is over. */
  drained?: ((time: DrainTime) => void) | undefined;
  /**
   * Reports to the workflow that other things are in the way than before, or nothing any more, or
   * that the deadline moved.
   */
  report(report: DrainReport): Promise<void>;
  /**
   * The status of the Machine could not be written: the drain goes on, and the next pass tries
   * again.
   */
  warn(error: unknown): void;
  /**
   * For all that a forced drain asks of the target cluster. Default 30 s: half of what an attempt
   * may take.
   */
  forceLimitMs?: number;
  /** Between the lists of pods while some leave. Default 500 ms. */
  podPollMs?: number;
  /** Between the lists of volumes while one moves. Default 2 s. */
  volumePollMs?: number;
  /** Between two reads of what people ask of the drain. Default 3 s. */
  ordersPollMs?: number;
}

/** `isMoved`: pauses moved the deadline. */
export type PassRequest = DrainRequest & { isMoved: boolean };
