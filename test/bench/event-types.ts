/** What the events of the histories are, by the type of their workflow. */
import proto from '@temporalio/proto';
import { Client, Connection } from '@temporalio/client';
import type { Stack } from '../../deploy/local/stack.ts';
import type { Histories } from './histories.ts';

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

/** Workflow type -> such as `WORKFLOW_EXECUTION_SIGNALED nodeObserved` -> events. */
export type EventTypes = Record<string, Record<string, number>>;

/** Of what was added since `before`. */
export async function eventTypesSince(
  stack: Stack,
  before: Histories,
  now: Histories,
): Promise<EventTypes> {
  const address = stack.environment['TEMPORAL_ADDRESS'] ?? '';
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const types: EventTypes = {};
  for (const [runId, { workflowId, events: length }] of now) {
    const known = before.get(runId)?.events ?? 0;
    if (known === length) continue;
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    countTypes(types, events ?? [], known);
  }
  await connection.close();
  return types;
}

/** Of one run, without the first `known` events. */
function countTypes(types: EventTypes, events: readonly HistoryEvent[], known: number): void {
  const begun = events[0]?.workflowExecutionStartedEventAttributes;
  const counts = (types[begun?.workflowType?.name ?? ''] ??= {});
  for (const name of events.slice(known).map(nameOf)) counts[name] = (counts[name] ?? 0) + 1;
}

function nameOf(event: HistoryEvent): string {
  const type = proto.temporal.api.enums.v1.EventType[event.eventType ?? 0] ?? '';
  const detail =
    event.workflowExecutionSignaledEventAttributes?.signalName ??
    event.activityTaskScheduledEventAttributes?.activityType?.name;
  const name = type.replace('EVENT_TYPE_', '');
  return detail ? `${name} ${detail}` : name;
}
