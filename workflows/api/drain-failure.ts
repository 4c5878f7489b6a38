/** How `status.lastOperation` of a Machine says that its drain does not get on. */
import { inPlaceReasonOf } from './in-place.ts';
import type { Machine } from './machine.ts';

/** The words with which MCM v0.62.1 begins such a description. */
export const drainFailedMessage = 'Drain failed due to - ';

/** Other: the drain itself fails, as where the target cluster does not answer. */
export type DrainBlocker = 'PodDisruptionBudget' | 'Volume' | 'Pod' | 'Other';

/** The blocker that has been in the way for longest; undefined where no drain is blocked. */
export function drainBlockerOf({ metadata, status }: Machine): DrainBlocker | undefined {
  const { state, description = '' } = status?.lastOperation ?? {};
  const isBlocked = state === 'Failed' && description.startsWith(drainFailedMessage);
  const isForUpdate = inPlaceReasonOf(status?.conditions) === 'SelectedForUpdate';
  const isAwaited = metadata.deletionTimestamp !== undefined || isForUpdate;
  if (!isBlocked || !isAwaited) return undefined;
  return blockerIn(description.slice(drainFailedMessage.length));
}

/** `words`: `2 pods left: NAMESPACE/POD: WHY; NAMESPACE/POD: WHY`, the longest wait first. */
function blockerIn(words: string): DrainBlocker {
  const why = /^\d+ pods? left: [^:]*: ([^;]*)/.exec(words)?.[1];
  if (why === undefined) return 'Other';
  if (why.includes('PodDisruptionBudget ')) return 'PodDisruptionBudget';
  return /^volume .* attached to /.test(why) ? 'Volume' : 'Pod';
}
