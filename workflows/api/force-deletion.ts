import { labels } from './constants.ts';

/** As Go's ParseBool reads them. */
const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

/** Label `force-deletion`: the pods of the Machine are not asked to leave. */
export function isForceDeletion(present: Record<string, string> = {}): boolean {
  return trueTexts.has(present[labels.forceDeletion] ?? '');
}
