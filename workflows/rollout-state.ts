/** How the Temporal UI finds a rollout. Search attributes cost an event, so they change with the state only. */
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { keys } from './messages.ts';
import type { DeploymentPlan, RolloutState } from './plan/rollout/steps.ts';

/** `since`: milliseconds, when the present state or its reason began. */
export function showRollout({ state, blockedBy }: DeploymentPlan, since: number): void {
  const { typedSearchAttributes: shown } = workflowInfo();
  const isSame = shown.get(keys.RolloutState) === state && shown.get(keys.BlockedBy) === blockedBy;
  if (isSame) return;
  upsertSearchAttributes([
    { key: keys.RolloutState, value: state },
    { key: keys.BlockedBy, value: blockedBy ?? null },
    { key: keys.Attention, value: attentionOf(state, blockedBy) },
    { key: keys.WaitingSince, value: waits(state) ? new Date(since) : null },
  ]);
}

/** Nothing goes on by itself. */
function waits(state: RolloutState): boolean {
  return state === 'Blocked' || state === 'Paused';
}

function attentionOf(state: RolloutState, blockedBy: string | undefined): 'none' | 'person' {
  return state === 'Blocked' || blockedBy === 'canary' ? 'person' : 'none';
}
