import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { originIn } from '../../../activities/runtime/command-origin.ts';

/** What came, in words; the ids count from 1. */
function newestFirst(text: string): Parameters<typeof originIn>[0] {
  const events = text
    .split(' ')
    .map((word, index) => ({ eventId: String(index + 1), ...eventOf(word) }));
  return (historyFromJSON({ events }).events ?? []).toReversed();
}

const task = 'WORKFLOW_TASK_FAILED_CAUSE';
const admitted = 'UPDATE_ADMITTED_EVENT_ORIGIN';

function eventOf(word: string): object {
  if (word === 'scheduled') return { workflowTaskScheduledEventAttributes: {} };
  if (word === 'started') return { workflowTaskStartedEventAttributes: {} };
  const [kind, name = ''] = word.split(':');
  if (kind === 'reset' || kind === 'failed') {
    const cause = kind === 'reset' ? `${task}_RESET_WORKFLOW` : `${task}_NON_DETERMINISTIC_ERROR`;
    return { workflowTaskFailedEventAttributes: { cause } };
  }
  if (kind === 'signal') {
    return { workflowExecutionSignaledEventAttributes: { signalName: name, identity: 'ada' } };
  }
  const origin = kind === 'again' ? `${admitted}_REAPPLY` : `${admitted}_UNSPECIFIED`;
  const request = { input: { name } };
  return { workflowExecutionUpdateAdmittedEventAttributes: { origin, request } };
}

test.each([
  { history: 'signal:pause scheduled started', heardAt: 3, isRepeated: false },
  { history: 'signal:pause scheduled started failed', heardAt: 3, isRepeated: false },
  // In the task that stood at the point of the reset, after it, and by another command.
  { history: 'signal:pause scheduled started reset scheduled started', isRepeated: true },
  { history: 'scheduled started reset signal:pause scheduled started', isRepeated: true },
  { history: 'scheduled started reset signal:resume scheduled started', isRepeated: false },
  { history: 'scheduled started reset again:pause scheduled started', isRepeated: true },
  // What came later is new, unless one of its name was there before.
  { history: 'scheduled started reset scheduled signal:pause started', isRepeated: false },
  { history: 'scheduled reset signal:pause scheduled signal:pause started', isRepeated: true },
  { history: 'scheduled reset signal:pause scheduled started failed scheduled', isRepeated: true },
  // Heard in a task that was done before the reset, and under way then.
  { history: 'scheduled started reset scheduled started', heardAt: 2, isRepeated: true },
  // Two clusters of Temporal have merged their histories.
  { history: 'again:pause scheduled started', isRepeated: true },
  { history: 'new:pause scheduled started', isRepeated: false },
])('a pause heard in "$history" is repeated: $isRepeated', ({ history, heardAt, isRepeated }) => {
  const events = newestFirst(history);
  const origin = originIn(events, { verb: 'pause', heardAt: heardAt ?? events.length });
  expect(origin.isRepeated).toBe(isRepeated);
});
