/**
 * The next step of an update in place of one Node: docs/decisions/0059-update-in-place.md. Reasons,
 * phases and texts are those of MCM v0.62.1.
 */
import { formatDuration } from '../../api/duration.ts';
import type { InPlaceNode, InPlaceReason } from '../../api/in-place.ts';
import type { MachinePhase, OperationState } from '../../api/phases.ts';
import { hasJoined, isBeingUpdated } from '../../api/phases.ts';
import { defined } from '../../values/defined.ts';

export interface InPlaceStanding {
  phase: MachinePhase;
  /** Absent where there is none, or it is not known; empty where it says nothing of an update. */
  node?: InPlaceNode;
  /** The Node was drained since it was selected. */
  isDrained: boolean;
  /** When the time of the phase is over, milliseconds; absent: no limit holds. */
  deadline?: number;
}

/** Phases that such an update gives a machine. */
export type UpdatePhase = Extract<MachinePhase, `InPlace${string}`>;

export type InPlacePlan =
  /** `uncordons`: the Node, before the condition says that nothing is under way. */
  | { action: 'setCondition'; reason: InPlaceReason; message: string; uncordons?: true }
  | { action: 'removeCondition'; uncordons?: true }
  | { action: 'drain' }
  | ({ action: 'setPhase' } & PhaseChange)
  /** Past its time: it turns Failed, unless something holds it. */
  | { action: 'fail' }
  /** `reason`: in words; absent where nothing is waited for. */
  | { action: 'wait'; reason?: string; until?: number };

export interface PhaseChange {
  phase: UpdatePhase | 'Running';
  /** What the Machine says after its name; absent: that its time is over. */
  words?: string;
  state: OperationState;
}

/** @param now Milliseconds. */
export function planInPlace(standing: InPlaceStanding, now: number): InPlacePlan {
  const { phase, node } = standing;
  if (!hasJoined(phase)) return (phase === 'Failed' && node && followResult(node)) || nothing;
  if (!node) return clock(standing, now);
  return takeBack(standing, node) ?? byReason[node.reason ?? 'none'](standing, node, now);
}

/**
 * Its health says nothing: it is not known how much of the Node works. Nor does that of a machine
 * that turned Failed by its update, which a healthy kubelet would bring back.
 */
export function isHealthHeld(phase: MachinePhase, reason: InPlaceReason | undefined): boolean {
  return (
    isBeingUpdated(phase) || (phase === 'Failed' && reason !== undefined && unfinished.has(reason))
  );
}

/** What the Machine says of it, as its last operation. */
export function formatPhaseChange(
  name: string,
  { words }: Pick<PhaseChange, 'words'>,
  timeoutSeconds = 0,
): string {
  const isLate = `failed to in-place update in ${formatDuration(timeoutSeconds)}.`;
  return `Machine ${name} ${words ?? isLate}`;
}

const unfinished: ReadonlySet<InPlaceReason> = new Set([
  'DrainSuccessful',
  'ReadyForUpdate',
  'UpdateFailed',
]);

const nothing: InPlacePlan = { action: 'wait' };

type Rule = (standing: InPlaceStanding, node: InPlaceNode, now: number) => InPlacePlan;

const byReason: Record<InPlaceReason | 'none', Rule> = {
  none: ({ phase }, { isCandidate }) => {
    if (isBeingUpdated(phase)) return over;
    return isCandidate ? condition('CandidateForUpdate') : nothing;
  },
  CandidateForUpdate: ({ phase }, node) => {
    if (isBeingUpdated(phase)) return over;
    if (node.isSelected) return condition('SelectedForUpdate');
    return followResult(node) ?? { action: 'wait', reason: 'a candidate for an update in place' };
  },
  // A result that comes before the drain counts after it.
  SelectedForUpdate: ({ phase, isDrained }) => {
    if (isBeingUpdated(phase)) return condition('DrainSuccessful');
    return isDrained ? beginning : { action: 'drain' };
  },
  DrainSuccessful: ({ phase }) => (isBeingUpdated(phase) ? condition('ReadyForUpdate') : beginning),
  ReadyForUpdate: (standing, node, now) => {
    // A failure is to be seen in the phase, too.
    const isUnseen = !isBeingUpdated(standing.phase) && node.result !== 'successful';
    return isUnseen ? beginning : (followResult(node) ?? clock(standing, now));
  },
  UpdateSuccessful: ({ phase }, node) => {
    const result = followResult(node);
    if (result) return result;
    if (isBeingUpdated(phase)) return updated;
    const isAnew = node.isCandidate && node.result === undefined;
    return isAnew ? condition('CandidateForUpdate') : nothing;
  },
  UpdateFailed: (standing, node, now) => {
    const result = followResult(node);
    if (result) return result;
    if (standing.phase !== 'InPlaceUpdating') return clock(standing, now);
    // Without a result a person wants it to be tried again.
    return node.result === undefined ? condition('ReadyForUpdate') : failedBy(node);
  },
};

/** Labels that were taken away before the agent may begin; MCM v0.62.1 does not look. */
function takeBack(
  { phase }: InPlaceStanding,
  { reason, isCandidate, isSelected }: InPlaceNode,
): InPlacePlan | undefined {
  const isCordoned = reason === 'SelectedForUpdate' || reason === 'DrainSuccessful';
  const uncordons = isCordoned || undefined;
  // The phase goes back first: it is the condition that says so.
  if (reason === 'CandidateForUpdate' && !isCandidate && !isBeingUpdated(phase)) {
    return { action: 'removeCondition' };
  }
  if (!isCordoned || (isCandidate && isSelected)) return undefined;
  return isCandidate
    ? defined({ ...condition('CandidateForUpdate'), uncordons })
    : defined({ action: 'removeCondition' as const, uncordons });
}

/** The condition follows the result; undefined where it says the same already. */
function followResult(node: InPlaceNode): InPlacePlan | undefined {
  const { reason, result } = node;
  if (result === 'successful' && reason !== 'UpdateSuccessful') {
    return condition('UpdateSuccessful');
  }
  return result === 'failed' && reason !== 'UpdateFailed'
    ? condition('UpdateFailed', failedMessage(node))
    : undefined;
}

const messages: Record<InPlaceReason, string> = {
  CandidateForUpdate: 'Node is a candidate for in-place update',
  SelectedForUpdate: 'Node is selected for in-place update',
  DrainSuccessful: 'Node draining successful',
  ReadyForUpdate: 'Node is ready for in-place update',
  UpdateSuccessful: 'Node in-place update successful',
  UpdateFailed: 'Node in-place update failed',
};

function condition(reason: InPlaceReason, message = messages[reason]) {
  return { action: 'setCondition', reason, message } as const satisfies InPlacePlan;
}

function failedMessage({ failedReason = '' }: InPlaceNode): string {
  return `${messages.UpdateFailed}: ${failedReason}`;
}

/** Also of an update that is tried again: its time begins anew. */
export const beginning = {
  action: 'setPhase',
  phase: 'InPlaceUpdating',
  words: 'is undergoing an in-place update',
  state: 'Processing',
} as const satisfies InPlacePlan & PhaseChange;

const updated = {
  action: 'setPhase',
  phase: 'InPlaceUpdateSuccessful',
  words: 'successfully updated dependencies',
  state: 'Successful',
} as const satisfies InPlacePlan;

const over = {
  action: 'setPhase',
  phase: 'Running',
  words: 'is not updated in place any more: its Node says nothing of it',
  state: 'Successful',
} as const satisfies InPlacePlan;

const late = {
  action: 'setPhase',
  phase: 'InPlaceUpdateFailed',
  state: 'Failed',
} as const satisfies InPlacePlan;

function failedBy({ failedReason = '' }: InPlaceNode): InPlacePlan {
  return { ...late, words: `failed to update dependencies: ${failedReason}` };
}

function clock({ phase, deadline }: InPlaceStanding, now: number): InPlacePlan {
  if (!isBeingUpdated(phase)) return nothing;
  const isUpdating = phase === 'InPlaceUpdating';
  if (deadline !== undefined && now >= deadline) return isUpdating ? late : { action: 'fail' };
  const reason = isUpdating
    ? 'its Node is updated in place by the agent on it'
    : 'its update in place failed';
  return defined({ action: 'wait' as const, reason, until: deadline });
}
