/** Where the update in place of a Node is, read of the Node itself. */
import { annotations, labels } from '../api/constants.ts';
import type { InPlaceNode } from '../api/in-place.ts';
import { inPlaceReasonOf, inPlaceUpdate, updateResults } from '../api/in-place.ts';
import type { NodeCondition, ObjectMeta } from '../api/meta.ts';
import { timeIn } from '../api/time.ts';
import { defined } from '../values/defined.ts';

/** An agent writes as much as it likes. */
const longestFailedReason = 500;

interface NodeObject {
  metadata: Pick<ObjectMeta, 'labels' | 'annotations'>;
  status?: { conditions?: readonly NodeCondition[] };
}

/** Undefined where the Node says nothing of an update in place. */
export function inPlaceNodeOf({ metadata, status }: NodeObject): InPlaceNode | undefined {
  const { labels: held = {}, annotations: notes = {} } = metadata;
  const condition = status?.conditions?.find(({ type }) => type === inPlaceUpdate);
  const node = defined({
    isCandidate: held[labels.candidateForUpdate] === 'true' || undefined,
    isSelected: held[labels.selectedForUpdate] === 'true' || undefined,
    result: updateResults.find((known) => known === held[labels.updateResult]),
    failedReason: notes[annotations.updateFailedReason]?.slice(0, longestFailedReason),
    reason: inPlaceReasonOf(status?.conditions),
    since: timeIn(condition?.lastTransitionTime, Date.parse),
  });
  return Object.keys(node).length === 0 ? undefined : node;
}
