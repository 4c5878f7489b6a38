/** Options that an operator sets for a drain, as they stand on the Machine. */
import { drainOptions as names } from './constants.ts';
import { timeIn } from './time.ts';

export interface DrainOptions {
  isSkipped?: boolean;
  /** Milliseconds; instead of the drain timeout. */
  until?: number;
  skipsVolumeWait?: boolean;
}

/**
 * Reads the options; a value that makes no sense counts as absent.
 *
 * @param timeOf Milliseconds of a time in RFC 3339; NaN for anything else.
 */
export function drainOptionsIn(
  annotations: Record<string, string> = {},
  timeOf: (text: string) => number,
): DrainOptions {
  const until = timeIn(annotations[names.until], timeOf);
  return {
    ...(annotations[names.skip] === 'true' && { isSkipped: true }),
    ...(until !== undefined && { until }),
    ...(annotations[names.skipVolumeWait] === 'true' && { skipsVolumeWait: true }),
  };
}

/** The same for options that mean the same: times are written in whole seconds. */
export function digestOfOptions({ isSkipped, until, skipsVolumeWait }: DrainOptions): string {
  const second = until === undefined ? '' : `${Math.floor(until / 1_000)}`;
  return [isSkipped ? 'skipped' : '', second, skipsVolumeWait ? 'no volumes' : ''].join();
}
