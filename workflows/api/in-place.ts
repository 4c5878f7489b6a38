/** Where the update in place of a Node is, as the Node itself says it. Contract: MCM v0.62.1. */
import { annotations, labels } from './constants.ts';
import type { NodeCondition, ObjectMeta } from './meta.ts';

/** Type of the condition of a Node, which is copied to its Machine. */
export const inPlaceUpdate = 'InPlaceUpdate';

/** Reasons of that condition, in their order. */
export const inPlaceReasons = [
  'CandidateForUpdate',
  'SelectedForUpdate',
  'DrainSuccessful',
  'ReadyForUpdate',
  'UpdateSuccessful',
  'UpdateFailed',
] as const;

export type InPlaceReason = (typeof inPlaceReasons)[number];

/** Values of the label `update-result`. */
export const updateResults = ['successful', 'failed'] as const;

export type UpdateResult = (typeof updateResults)[number];

/** What does not hold is absent. */
export interface InPlaceNode {
  isCandidate?: boolean;
  isSelected?: boolean;
  result?: UpdateResult;
  /** Why it failed, by the agent. */
  failedReason?: string;
  reason?: InPlaceReason;
  /** `lastTransitionTime` of the condition, milliseconds. */
  since?: number;
}

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
  const result = resultOf(held[labels.updateResult]);
  const failedReason = notes[annotations.updateFailedReason]?.slice(0, longestFailedReason);
  const reason = inPlaceReasonOf(status?.conditions);
  const since = timeOf(condition?.lastTransitionTime);
  const node = {
    ...(held[labels.candidateForUpdate] === 'true' && { isCandidate: true }),
    ...(held[labels.selectedForUpdate] === 'true' && { isSelected: true }),
    ...(result && { result }),
    ...(failedReason !== undefined && { failedReason }),
    ...(reason && { reason }),
    ...(since !== undefined && { since }),
  };
  return Object.keys(node).length === 0 ? undefined : node;
}

/** Of a Node, or as it was copied to a Machine. */
export function inPlaceReasonOf(
  conditions: readonly NodeCondition[] | null | undefined,
): InPlaceReason | undefined {
  const { reason, status } = conditions?.find(({ type }) => type === inPlaceUpdate) ?? {};
  return status === 'True' ? inPlaceReasons.find((known) => known === reason) : undefined;
}

function resultOf(text: string | undefined): UpdateResult | undefined {
  return updateResults.find((known) => known === text);
}

function timeOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}
