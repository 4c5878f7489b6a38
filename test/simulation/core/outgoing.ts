/**
 * What of a workflow's commands goes to the server with its task, and what core answers itself: a
 * timer or an activity that is taken back in the task that made it never reaches the server, and
 * not every cancellation waits for the activity's end.
 */
import proto from '@temporalio/proto';
import { cancelledActivity } from '../temporal/failures.ts';
import type { Activation, Command, Job, TaskCommand } from '../temporal/messages.ts';

type ScheduleActivity = NonNullable<Command['scheduleActivity']>;

const { ActivityCancellationType } = proto.coresdk.workflow_commands;

export class Outgoing {
  /** Activities of the run whose end the workflow has not seen. */
  readonly #open = new Map<number, ScheduleActivity>();
  #commands: TaskCommand[] = [];
  #answers: Job[] = [];

  /** Of the commands in hand, those that go to the server; the next task begins without any. */
  take(): TaskCommand[] {
    return this.#commands.splice(0);
  }

  /** What the workflow is to hear at once. */
  answers(): Job[] {
    return this.#answers.splice(0);
  }

  marker(): void {
    this.#commands.push({ recordMarker: true });
  }

  /** After a task that failed: nothing of it reached the server. */
  add(commands: readonly Command[]): void {
    for (const command of commands) {
      const { scheduleActivity, requestCancelActivity, cancelTimer } = command;
      if (scheduleActivity) this.#open.set(scheduleActivity.seq ?? 0, scheduleActivity);
      if (cancelTimer && this.#takeBack('startTimer', cancelTimer.seq)) continue;
      if (requestCancelActivity) this.#cancel(command, requestCancelActivity.seq ?? 0);
      else this.#commands.push(command);
    }
  }

  /** Without ends of activities that it took for cancelled. */
  wanted(jobs: readonly Job[]): Job[] {
    return jobs.filter(({ resolveActivity }) => {
      if (!resolveActivity || resolveActivity.isLocal) return true;
      return this.#open.delete(resolveActivity.seq ?? 0);
    });
  }

  /** Of earlier tasks, which a replay went through. */
  recall({ jobs, commands }: Activation): void {
    this.wanted(jobs);
    for (const { scheduleActivity } of commands) {
      if (scheduleActivity) this.#open.set(scheduleActivity.seq ?? 0, scheduleActivity);
    }
  }

  #cancel(command: Command, seq: number): void {
    const activity = this.#open.get(seq);
    if (!activity) return;
    const { ABANDON, WAIT_CANCELLATION_COMPLETED } = ActivityCancellationType;
    const wasSent = !this.#takeBack('scheduleActivity', seq);
    if (wasSent && activity.cancellationType !== ABANDON) this.#commands.push(command);
    if (wasSent && activity.cancellationType === WAIT_CANCELLATION_COMPLETED) return;
    const { activityId, activityType } = activity;
    const failure = cancelledActivity([], {
      activityId: activityId ?? '',
      activityType: activityType ?? '',
      identity: '',
    });
    this.#answers.push({ resolveActivity: { seq, result: { cancelled: { failure } } } });
  }

  /** True where it is still in hand. */
  #takeBack(kind: 'startTimer' | 'scheduleActivity', seq: number | null | undefined): boolean {
    const index = this.#commands.findIndex((command) => command[kind]?.seq === seq);
    if (index >= 0) this.#commands.splice(index, 1);
    return index >= 0;
  }
}
