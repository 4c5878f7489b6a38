/** The events of a history as the server shows them: of each only what our code reads. */
import type { temporal } from '@temporalio/proto';
import proto from '@temporalio/proto';
import Long from 'long';
import { partsOf } from './durations.ts';
import type { EventFacts, History } from './history.ts';
import { updateAdmitted } from './job-order.ts';

type Event = temporal.api.history.v1.IHistoryEvent;

const { WorkflowTaskFailedCause, UpdateAdmittedEventOrigin } = proto.temporal.api.enums.v1;
const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW: reset } = WorkflowTaskFailedCause;
const { UPDATE_ADMITTED_EVENT_ORIGIN_REAPPLY: origin } = UpdateAdmittedEventOrigin;

export function eventsOf(history: History): Event[] {
  return history.types.map((type, place) => {
    const facts = history.facts.get(place);
    return {
      eventId: Long.fromNumber(history.idOf(place + 1)),
      ...(facts && { eventTime: partsOf(facts.at) }),
      ...attributesOf[type]?.(facts),
    };
  });
}

const attributesOf: Readonly<Record<string, (facts?: EventFacts) => Event>> = {
  WORKFLOW_TASK_SCHEDULED: () => ({ workflowTaskScheduledEventAttributes: {} }),
  WORKFLOW_TASK_COMPLETED: () => ({ workflowTaskCompletedEventAttributes: {} }),
  WORKFLOW_TASK_FAILED: (facts) => ({
    workflowTaskFailedEventAttributes: facts?.isReset ? { cause: reset } : {},
  }),
  WORKFLOW_EXECUTION_SIGNALED: (facts) => ({
    workflowExecutionSignaledEventAttributes: { signalName: facts?.name ?? '' },
  }),
  [updateAdmitted]: (facts) => ({
    workflowExecutionUpdateAdmittedEventAttributes: {
      origin,
      request: { input: { name: facts?.name ?? '' } },
    },
  }),
};
