/** The Schedule of one check: what Temporal knows of it, and a run of it now. */
import type { Client } from '@temporalio/client';
import {
  ScheduleOverlapPolicy,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { ScheduleFacts } from '../../workflows/plan/safety/triggers.ts';

export interface CheckSchedule {
  describe(): Promise<ScheduleFacts & { lastRun?: string }>;
  /** Temporal skips it while a run is open. */
  trigger(): Promise<void>;
  /**
   * Of a run that is over. Undefined when Temporal has forgotten it. Throws `WorkflowFailedError`.
   */
  resultOf(lastRun: string): Promise<unknown>;
}

export function checkSchedule(temporal: Client, scheduleId: string): CheckSchedule {
  const handle = temporal.schedule.getHandle(scheduleId);
  return {
    async describe() {
      const { state, info } = await handle.describe();
      const last = info.recentActions.at(-1);
      return {
        isPaused: state.paused,
        isRunning: info.runningActions.length > 0,
        ...(last && {
          startedAt: last.takenAt.getTime(),
          lastRun: last.action.workflow.workflowId,
        }),
      };
    },
    // Any other policy hides the result of this run from the next one.
    trigger: () => handle.trigger(ScheduleOverlapPolicy.SKIP),
    async resultOf(lastRun) {
      try {
        return await temporal.workflow.getHandle(lastRun).result();
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      }
    },
  };
}

export function isFailedRun(error: unknown): boolean {
  return error instanceof WorkflowFailedError;
}
