/**
 * Puts one question to a driver and says what came of it. Bundled by the command itself; the core
 * knows nothing of it.
 */
import {
  ActivityCancellationType,
  ActivityFailure,
  isCancellation,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import { isNotServed, messageOf, notServed } from '../../../workflows/runtime/activity-options.ts';
import type { Place } from '../../../workflows/api/place.ts';
import type { DriverActivities } from '../../../workflows/contracts/driver-activities.ts';

export type Activity = keyof DriverActivities;

/**
 * Names cluster and namespace as the input of every workflow does: the worker of another install
 * hands the activity back.
 */
export interface Question extends Place {
  activity: Activity;
  /** Task queue of the driver. */
  queue: string;
  input: unknown;
}

export type Reply =
  | { came: 'answer'; answer: unknown }
  /**
   * `notTaken`: no worker took it. `tooLate`: the time limit or the heartbeat cut it off.
   * `exception`: the driver threw. `notServed`: its worker does not know the activity.
   */
  | {
      came: 'notTaken' | 'tooLate' | 'cancelled' | 'exception' | 'notServed';
      message: string;
    };

/**
 * As the core calls a driver, see workflows/runtime/activity-options.ts; but an exception is not
 * tried again for ever, and a third of the usual time for heartbeats brings a cancellation sooner.
 */
const limits = {
  scheduleToStartTimeout: '60s',
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumAttempts: 3, nonRetryableErrorTypes: notServed },
} as const;

/** A cancelled one waits for what the driver says to that. */
export async function askDriver({ activity, queue, input }: Question): Promise<Reply> {
  const driver = proxyActivities<Record<Activity, (input: unknown) => Promise<unknown>>>({
    ...limits,
    taskQueue: queue,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
  return await driver[activity](input).then(
    (answer): Reply => ({ came: 'answer', answer }),
    failed,
  );
}

function failed(error: unknown): Reply {
  if (isCancellation(error)) return { came: 'cancelled', message: 'cancelled' };
  if (!(error instanceof ActivityFailure)) throw error;
  if (isNotServed(error)) return { came: 'notServed', message: messageOf(error) };
  const { cause } = error;
  const message = cause?.message ?? error.message;
  if (!(cause instanceof TimeoutFailure)) return { came: 'exception', message };
  return { came: cause.timeoutType === 'SCHEDULE_TO_START' ? 'notTaken' : 'tooLate', message };
}
