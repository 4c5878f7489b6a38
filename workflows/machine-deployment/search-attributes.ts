/**
 * How the Temporal UI finds a rollout. Search attributes cost an event, so they change with the
 * state only.
 */
import { patched, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { keys } from '../contracts/search-attributes.ts';
import { dateOf, keyword } from '../runtime/search-attribute-values.ts';
import type { DeploymentPlan, RolloutState } from '../plan/machine-deployment/rollout/steps.ts';

export interface Shown {
  plan: DeploymentPlan;
  /** Name of the template's class. */
  className: string;
  /** Milliseconds, when the present state or its reason began. */
  since: number;
}

export function showRollout({ plan: { state, ...plan }, since, ...of }: Shown): void {
  const className = keyword(of.className) ?? '';
  const blockedBy = keyword(plan.blockedBy) ?? undefined;
  const deadline = dateOf(plan.heldUntil);
  if (isShown({ state, blockedBy, className, deadline })) return;
  upsertSearchAttributes([
    { key: keys.MachineClass, value: className },
    { key: keys.State, value: state },
    { key: keys.BlockedBy, value: blockedBy ?? null },
    { key: keys.Attention, value: attentionOf(state, blockedBy) },
    { key: keys.Deadline, value: deadline },
    { key: keys.WaitingSince, value: waits(state) ? new Date(since) : null },
  ]);
}

interface Values {
  state: RolloutState;
  blockedBy: string | undefined;
  className: string;
  deadline: Date | null;
}

function isShown({ state, blockedBy, className, deadline }: Values): boolean {
  const { typedSearchAttributes: shown } = workflowInfo();
  const isSame =
    shown.get(keys.State) === state &&
    shown.get(keys.BlockedBy) === blockedBy &&
    shown.get(keys.MachineClass) === className;
  const isDeadlineSame = shown.get(keys.Deadline)?.getTime() === deadline?.getTime();
  // Earlier histories have no event for another deadline alone.
  return isSame && (isDeadlineSame || !patched('deadline-of-a-hold'));
}

/** Nothing goes on by itself. */
function waits(state: RolloutState): boolean {
  return state === 'Blocked' || state === 'Paused';
}

function attentionOf(state: RolloutState, blockedBy: string | undefined): 'none' | 'person' {
  return state === 'Blocked' || blockedBy === 'canary' ? 'person' : 'none';
}
