/** What one pass tells the next, in heartbeat details. A pass that knows nothing of it only asks once too often. */
import type { Refusals } from '../../workflows/plan/drain.ts';
import type { VolumeWait } from '../../workflows/plan/drain-volumes.ts';

export interface DrainProgress {
  /** Pods that were asked to leave, and did not refuse. */
  evicted: number;
  refusals: Refusals;
  volumeWait?: VolumeWait;
  /** What the workflow was told of last; empty when nothing was in the way. */
  reported: string;
}

/** `details`: what an earlier attempt left behind. A copy: the attempt's own must stay as it was. */
export function progressOf(details: Partial<DrainProgress> | undefined): DrainProgress {
  return structuredClone({ evicted: 0, refusals: {}, reported: '', ...details });
}
