import {
  badEndOf,
  cannotBeReplayedBySdk,
  type RecordedRun,
  UnseenShapes,
} from '../e2e/support/histories.ts';

const lost = '[TMPRL1100] Nondeterminism error: Missing associated machine for LocalActivity(114)';

test.each([
  {
    name: 'the SDK broke and the server began anew is no failure',
    message: lost,
    next: 'run-2',
    isBad: false,
  },
  {
    name: 'the SDK broke and nobody began anew is a failure',
    message: lost,
    next: '',
    isBad: true,
  },
  {
    name: 'broke otherwise is a failure',
    message: '[TMPRL1100] Nondeterminism error: No command scheduled for event',
    next: 'run-2',
    isBad: true,
  },
  { name: 'failed by itself is a failure', message: 'no such field', next: 'run-2', isBad: true },
])('a run that $name', ({ message, next: newExecutionRunId, isBad }) => {
  const workflowExecutionFailedEventAttributes = { failure: { message }, newExecutionRunId };
  const history = { events: [{}, { workflowExecutionFailedEventAttributes }] };
  const run = { workflowId: 'machineSet/x/y', status: 'FAILED', history };
  expect(badEndOf(run)).toEqual(isBad ? ['machineSet/x/y: FAILED'] : []);
});

function runOf(workflowId: string, ...signals: string[]): RecordedRun {
  const events = signals.map((signalName) => ({
    workflowExecutionSignaledEventAttributes: { signalName },
  }));
  return { workflowId, status: 'COMPLETED', history: { events } };
}

test('of runs with the same events one is replayed, in all scenarios of a process; of others each', () => {
  const unseen = new UnseenShapes();
  const namesOf = (...runs: RecordedRun[]) => unseen.of(runs).map(({ workflowId }) => workflowId);
  expect(namesOf(runOf('a', 'x', 'y'), runOf('b', 'x', 'y'), runOf('c', 'y', 'x'))).toEqual([
    'a',
    'c',
  ]);
  expect(namesOf(runOf('d', 'x', 'y'), runOf('e', 'x'))).toEqual(['e']);
});

test.each([
  'No command scheduled for event HistoryEvent(id: 9, TimerStarted)',
  "Activity type of recorded marker 'a' does not match activity type of local activity command 'b'",
])('a run whose order broke is no failure where a task had timed out: %s', (words) => {
  const message = `[TMPRL1100] Nondeterminism error: ${words}`;
  const end = { failure: { message }, newExecutionRunId: 'run-2' };
  const failed = { workflowExecutionFailedEventAttributes: end };
  const timedOut = { workflowTaskTimedOutEventAttributes: {} };
  expect(badEndOf(failedSet(timedOut, failed))).toEqual([]);
  expect(badEndOf(failedSet({}, failed))).toEqual(['machineSet/x/y: FAILED']);
});

function failedSet(...events: object[]): RecordedRun {
  return { workflowId: 'machineSet/x/y', status: 'FAILED', history: { events } };
}

const failed = (words: string) =>
  `Replay failed with a nondeterminism error. Details: Failure { message: "${words}", source: "" }`;

test('a run that was terminated before its broken order showed is no failure where a task had timed out', () => {
  const timedOut = { events: [{ workflowTaskTimedOutEventAttributes: {} }] };
  expect(cannotBeReplayedBySdk(failed(lost), timedOut)).toBe(true);
  expect(cannotBeReplayedBySdk(failed(lost), { events: [{}] })).toBe(false);
  const other = '[TMPRL1100] Nondeterminism error: Timer machine does not handle this event';
  expect(cannotBeReplayedBySdk(failed(other), timedOut)).toBe(false);
});
