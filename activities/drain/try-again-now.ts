/** Ends the wait of an activity for its next attempt. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import type { DrainRef } from './blocked-drains.ts';

const attemptsMax = 3;
/** The worker has it by then; doubled with each attempt. */
const firstWaitMs = 500;
/** Of gRPC's status codes, whose enumeration the SDK does not hand on. */
const notFound: readonly number[] = [5];

/**
 * Keeps the heartbeat details, and whatever an operator has paused; writes no history. A reset that meets a running attempt is
 * lost, so it is sent again until somebody runs the activity. Throws when three did not do.
 */
export async function tryAgainNow(
  client: Client,
  drain: DrainRef,
  isUnderWay: () => boolean,
): Promise<void> {
  const begunAt = Date.now();
  let failure: unknown = new Error(`${drain.workflowId}: its drain was reset and nobody began it`);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    try {
      await reset(client, drain);
      await waitAfter(attempt);
      if (isUnderWay() || (await hasBegun(client, drain, begunAt))) return;
    } catch (error) {
      if (isGrpcServiceError(error) && notFound.includes(error.code)) return;
      failure = error;
      await waitAfter(attempt);
    }
  }
  throw failure;
}

async function reset(
  client: Client,
  { workflowId, runId, activityId: id }: DrainRef,
): Promise<void> {
  const { namespace, identity } = client.options;
  const execution = { workflowId, runId };
  await client.workflowService.resetActivity({
    namespace,
    execution,
    identity,
    id,
    keepPaused: true,
  });
}

/** Or will as soon as a worker is free. */
async function hasBegun(
  client: Client,
  { workflowId, runId, activityId }: DrainRef,
  since: number,
): Promise<boolean> {
  const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
  const pending = raw.pendingActivities?.find((one) => one.activityId === activityId);
  if (!pending || pending.paused === true) return true;
  const isResting = millisecondsOf(pending.nextAttemptScheduleTime) > Date.now();
  return !isResting || millisecondsOf(pending.lastAttemptCompleteTime) >= since;
}

/** 0 when there is none. */
function millisecondsOf(
  time: { seconds?: unknown; nanos?: number | null } | null | undefined,
): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
}

async function waitAfter(attempt: number): Promise<void> {
  const milliseconds = firstWaitMs * 2 ** (attempt - 1) * (1 + Math.random() / 4);
  await sleep(milliseconds, undefined, { ref: false });
}
