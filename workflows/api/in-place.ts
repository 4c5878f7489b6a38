/** Where the update in place of a Node is, as the Node itself says it. Contract: MCM v0.62.1. */
import type { NodeCondition } from './meta.ts';

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

/** Of a Node, or as it was copied to a Machine. */
export function inPlaceReasonOf(
  conditions: readonly NodeCondition[] | null | undefined,
): InPlaceReason | undefined {
  const { reason, status } = conditions?.find(({ type }) => type === inPlaceUpdate) ?? {};
  return status === 'True' ? inPlaceReasons.find((known) => known === reason) : undefined;
}
