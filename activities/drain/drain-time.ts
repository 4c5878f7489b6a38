/** How long a drain took, for metrics. */
import type { Machine } from '../../workflows/api/machine.ts';
import type { DrainOutcome, DrainRequest } from '../../workflows/contracts/drain-activities.ts';
import { nowMs } from '../system/system.ts';

export interface DrainTime {
  /** From the moment on at which its timeout counts, all passes and waits included. */
  seconds: number;
  result: 'drained' | 'forced';
  /** Labels of the Machine. */
  labels: Readonly<Record<string, string>>;
}

/** `machine`: as the last pass has read it; absent where it was gone already. */
export function drainTimeOf(
  { countsFrom }: Pick<DrainRequest, 'countsFrom'>,
  { isForced }: Pick<DrainOutcome, 'isForced'>,
  machine: Machine | undefined,
): DrainTime {
  return {
    seconds: Math.max(nowMs() - countsFrom, 0) / 1_000,
    result: isForced ? 'forced' : 'drained',
    labels: machine?.metadata.labels ?? {},
  };
}
