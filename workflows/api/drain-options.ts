/** Options of a drain that an operator asks for, as they stand on the Machine. */
import { labels, drainOptions as names } from './constants.ts';
import type { ObjectMeta } from './meta.ts';
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
export function digestOfOptions({ isSkipped, until, skipsVolumeWait }: DrainOptions = {}): string {
  const second = until === undefined ? '' : `${Math.floor(until / 1_000)}`;
  return [isSkipped ? 'skipped' : '', second, skipsVolumeWait ? 'no volumes' : ''].join();
}

/** As Go's ParseBool reads them. */
const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

/** Label `force-deletion`: the pods of the Machine are not asked to leave. */
export function isForceDeletion(present: Record<string, string> = {}): boolean {
  return trueTexts.has(present[labels.forceDeletion] ?? '');
}

/** All that people ask of the drain of this object, as it stands there: for a comparison. */
export function drainOrdersIn({ uid, annotations = {}, labels: present = {} }: ObjectMeta): string {
  const options = Object.values(names).map((name) => annotations[name]);
  const forces = [isForceDeletion(present), present[labels.forceDrain]];
  return JSON.stringify([uid, options, forces]);
}
