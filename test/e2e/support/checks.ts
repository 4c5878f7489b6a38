/** The scheduled checks of a scenario, run by hand instead of waited for. */
import type { ScheduleDescription, WorkflowHandle } from '@temporalio/client';
import { ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { checkNames } from '../../../workers/checks/checks.ts';
import { eventually } from '../../support/eventually.ts';
import type { WorkflowRecords } from './workflow-records.ts';

/** `all` first: its rounds start runs of the others. */
const checks = ['all', ...checkNames];

export async function untilScheduled(
  workflows: WorkflowRecords,
  check: string,
): Promise<ScheduleDescription> {
  return await eventually(`the check ${check} is scheduled`, () =>
    workflows.scheduleOf(check).describe(),
  );
}

/** Starts a check as a person does in the Temporal UI, and waits for its end. */
export async function runCheck(workflows: WorkflowRecords, check: string): Promise<WorkflowHandle> {
  await untilScheduled(workflows, check);
  const schedule = workflows.scheduleOf(check);
  const { info } = await eventually(`no run of ${check} is under way`, async () => {
    const description = await schedule.describe();
    expect(description.info.runningActions).toEqual([]);
    return description;
  });
  const last = info.recentActions.at(-1);
  // Temporal names runs by the second: two in one second would be one.
  await eventually('another second', () => {
    expect(secondOf(new Date())).not.toBe(secondOf(last?.takenAt ?? new Date(0)));
  });
  // Any other policy hides the result of this run from the next one.
  const trigger = () => schedule.trigger(ScheduleOverlapPolicy.SKIP);
  await trigger();
  let skipped = info.numActionsSkippedOverlap;
  const workflowId = await eventually(`${check} runs`, async () => {
    const { info: now } = await schedule.describe();
    // The schedule's own run came first: Temporal skipped ours.
    if (now.numActionsSkippedOverlap > skipped && now.runningActions.length === 0) {
      skipped = now.numActionsSkippedOverlap;
      await trigger();
    }
    expect(now.numActionsTaken).toBeGreaterThan(info.numActionsTaken);
    return now.recentActions.at(-1)?.action.workflow.workflowId ?? '';
  });
  const run = workflows.runOf(workflowId);
  await eventually(`the run ${workflowId} ends`, async () => {
    const { status } = await run.describe();
    expect(status.name).toBe('COMPLETED');
  });
  return run;
}

const secondOf = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** Schedules outlive the operator that made them. */
export async function deleteChecks(workflows: WorkflowRecords): Promise<void> {
  for (const check of checks) {
    try {
      await workflows.scheduleOf(check).delete();
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
  }
}
