import type { Kind } from '../../workflows/contracts/references.ts';

/** Hears how signals come and go, for metrics. Times in milliseconds. */
export interface QueueObserver {
  /** A signal is to be sent; none of its name to its workflow was waiting. */
  added(kind: Kind): void;
  /** An attempt to send it begins. */
  begun(kind: Kind, waitedMs: number): void;
  /** Temporal has it, so long after the oldest change that it stands for was heard of. */
  arrived(kind: Kind, lagMs: number): void;
  /** An attempt failed; there will be another one. */
  failed(kind: Kind): void;
}
