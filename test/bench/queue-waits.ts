/** How long tasks of some workflows waited in Temporal's queues, as their histories say. */
import { Client, Connection } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { Stack } from '../../deploy/local/stack.ts';
import { quantiles, type Quantiles } from './quantiles.ts';

type Event = temporal.api.history.v1.IHistoryEvent;
type Timestamp = Event['eventTime'];

/** Seconds. */
export interface QueueWaits {
  /** Of workflow tasks: until a worker took it, with the tries that no worker took. */
  workflowTasks: Quantiles;
  /** From there to the answer, with the local activities of the task. */
  workflowWork: Quantiles;
  /** Of activities that are not local. */
  activities: Quantiles;
}

class Waits {
  readonly workflowTasks: number[] = [];
  readonly workflowWork: number[] = [];
  readonly activities: number[] = [];

  /** Of one run. */
  note(events: readonly Event[]): void {
    const byId = new Map(events.map((event) => [String(event.eventId), event]));
    const timeOf = (id: unknown): number =>
      secondsOf(byId.get(String(id))?.eventTime) || Number.NaN;
    let asked: number | undefined;
    for (const event of events) {
      const at = secondsOf(event.eventTime);
      const started = event.workflowTaskStartedEventAttributes;
      const completed = event.workflowTaskCompletedEventAttributes;
      const activity = event.activityTaskStartedEventAttributes;
      if (event.workflowTaskScheduledEventAttributes) asked ??= at;
      if (started && asked !== undefined) this.workflowTasks.push(at - asked);
      if (started) asked = undefined;
      if (completed) push(this.workflowWork, at - timeOf(completed.startedEventId));
      if (activity) push(this.activities, at - timeOf(activity.scheduledEventId));
    }
  }
}

/** What began before the first of these events has no known length. */
function push(waits: number[], seconds: number): void {
  if (!Number.isNaN(seconds)) waits.push(seconds);
}

/** Of the workflows whose ids match: what happened after `since`, milliseconds since 1970. */
export async function queueWaitsOf(
  stack: Stack,
  { ids, since }: { ids: RegExp; since: number },
): Promise<QueueWaits> {
  const address = stack.environment['TEMPORAL_ADDRESS'] ?? '';
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const waits = new Waits();
  for await (const { workflowId, runId } of client.workflow.list()) {
    if (!ids.test(workflowId)) continue;
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    waits.note((events ?? []).filter((event) => secondsOf(event.eventTime) * 1_000 > since));
  }
  await connection.close();
  return {
    workflowTasks: quantiles(waits.workflowTasks),
    workflowWork: quantiles(waits.workflowWork),
    activities: quantiles(waits.activities),
  };
}

/** When workflows began, in milliseconds since 1970, by the last part of their ids. */
export async function startsOf(stack: Stack, ids: RegExp): Promise<ReadonlyMap<string, number>> {
  const address = stack.environment['TEMPORAL_ADDRESS'] ?? '';
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const starts = new Map<string, number>();
  for await (const { workflowId, startTime } of client.workflow.list()) {
    const name = workflowId.split('/').at(-1) ?? '';
    if (ids.test(workflowId)) starts.set(name, startTime.getTime());
  }
  await connection.close();
  return starts;
}

function secondsOf(time: Timestamp): number {
  return Number(time?.seconds ?? 0) + (time?.nanos ?? 0) / 1e9;
}
