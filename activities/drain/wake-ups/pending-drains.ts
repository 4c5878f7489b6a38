/** Drains that wait for their next attempt, as the Temporal server knows them. */
import type { Client } from '@temporalio/client';
import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { nowMs } from '../../system/system.ts';

/** The activity of a drain. */
export interface DrainRef {
  workflowId: string;
  runId: string;
  activityId: string;
}

/** `gone`: the activity has ended. */
export type PendingDrain = 'gone' | 'begun' | 'resting';

export interface PendingDrains {
  /**
   * Ends its wait. Keeps the heartbeat details and whatever an operator has paused; writes no
   * history. Lost on a running attempt.
   */
  reset(drain: DrainRef): Promise<void>;
  /**
   * `begun`: an attempt runs, is due, or has ended since then (milliseconds) at another process; or
   * an operator holds it. An attempt that ended at this process may be the one before: the caller
   * knows of those.
   */
  read(drain: DrainRef, since: number): Promise<PendingDrain>;
}

export function createPendingDrains(client: Client): PendingDrains {
  const { namespace, identity } = client.options;
  return {
    async reset({ workflowId, runId, activityId: id }) {
      const execution = { workflowId, runId };
      const request = { namespace, execution, identity, id, keepPaused: true };
      await unlessGone(client.workflowService.resetActivity(request));
    },
    async read({ workflowId, runId, activityId }, since) {
      const handle = client.workflow.getHandle(workflowId, runId);
      const { raw } = (await unlessGone(handle.describe())) ?? {};
      const pending = raw?.pendingActivities?.find((one) => one.activityId === activityId);
      if (!pending) return 'gone';
      const isResting = millisecondsOf(pending.nextAttemptScheduleTime) > nowMs();
      const isOfOthers = pending.lastWorkerIdentity !== identity;
      const hasTried = isOfOthers && millisecondsOf(pending.lastAttemptCompleteTime) >= since;
      return isResting && !hasTried && pending.paused !== true ? 'resting' : 'begun';
    },
  };
}

/** `NOT_FOUND` of gRPC, whose enumeration the SDK does not hand on. */
const notFound: readonly number[] = [5];

async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    if (isGrpcServiceError(error) && notFound.includes(error.code)) return undefined;
    throw error;
  }
}

interface Time {
  seconds?: unknown;
  nanos?: number | null;
}

/** 0 when there is none. */
function millisecondsOf(time: Time | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
}
