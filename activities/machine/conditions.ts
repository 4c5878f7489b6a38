/** The conditions of a Machine: copies of those of its Node, and what kstatus goes by. */
import { copiedConditions } from '../../workflows/api/kstatus.ts';
import type { NodeCondition } from '../../workflows/api/meta.ts';
import { clip } from '../../workflows/values/clip.ts';

/** A Node has 5 of its kubelet, and some of agents on it, each with a line of text. */
const mostConditions = 64;
const longestTextBytes = 1_024;
/** Length of a qualified name. */
const longestType = 317;

/**
 * Those of a Node, or those that a Machine copied: empty until the Node was seen. A Node that has a
 * condition with one of our names does not say it of its Machine. A kubelet may say more than fits
 * into a Machine: the rest is left out, whatever it is, but not whether the Node is Ready.
 */
export function nodeConditionsOf({
  status,
}: {
  status?: { conditions?: NodeCondition[] };
}): NodeCondition[] {
  const said = copiedConditions(status?.conditions).filter(
    ({ type }) => type.length <= longestType,
  );
  if (said.length <= mostConditions) return said.map(clipped);
  const ready = said.filter(({ type }) => type === 'Ready').slice(0, 1);
  const others = said.filter(({ type }) => type !== 'Ready').slice(0, mostConditions - 1);
  return [...ready, ...others].map(clipped);
}

function clipped(condition: NodeCondition): NodeCondition {
  const { reason, message } = condition;
  return {
    ...condition,
    ...(reason !== undefined && { reason: clip(reason, longestTextBytes) }),
    ...(message !== undefined && { message: clip(message, longestTextBytes) }),
  };
}

/** A merge patch of the status, as far as conditions follow from it. */
export interface StatusChanges {
  /** Those of the Node alone. */
  conditions?: NodeCondition[];
  /** What they say of hooks; absent: as before. No field of the status. */
  holds?: NodeCondition[];
  currentStatus?: object;
  lastOperation?: object;
}
