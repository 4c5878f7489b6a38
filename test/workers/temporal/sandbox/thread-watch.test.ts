import {
  mostSilentChecks,
  ThreadWatch,
} from '../../../../workers/temporal/sandbox/thread-watch.ts';

type Input = Parameters<ThreadWatch['asked']>[0];

const created = (runId: string): Input =>
  Object({
    type: 'create-workflow',
    options: { info: { runId, workflowId: `machine/${runId}`, workflowType: 'machine' } },
  });
const disposed = (runId: string): Input => ({ type: 'dispose-workflow', runId });
const sinks = (runId: string): Input => ({ type: 'extract-sink-calls', runId });

function watching(...runIds: string[]): ThreadWatch {
  const watch = new ThreadWatch();
  for (const input of runIds.map(created)) {
    watch.asked(input);
    watch.answered(input);
  }
  watch.check();
  return watch;
}

function checks(watch: ThreadWatch, count = mostSilentChecks): (string | undefined)[] {
  return Array.from({ length: count }, () => watch.check()).filter((found) => found !== undefined);
}

test('the oldest question without an answer names the workflow', () => {
  const watch = watching('a', 'b');
  watch.asked(sinks('b'));
  watch.asked(sinks('a'));
  expect(checks(watch, mostSilentChecks - 1)).toEqual([]);
  expect(watch.check()).toBe('machine machine/b');
});

test('a thread that answers anything is not stuck', () => {
  const watch = watching('a');
  const late = sinks('a');
  watch.asked(late);
  checks(watch, mostSilentChecks - 1);
  const next = sinks('a');
  watch.asked(next);
  watch.answered(next);
  expect(checks(watch)).toEqual([]);
  expect(watch.check()).toBe('machine machine/a');
});

test('a thread that is asked nothing is not stuck', () => {
  expect(checks(watching('a'), 3 * mostSilentChecks)).toEqual([]);
});

test('a workflow that is gone is forgotten', () => {
  const watch = watching('a');
  const gone = disposed('a');
  watch.asked(gone);
  watch.answered(gone);
  watch.check();
  watch.asked(sinks('a'));
  expect(checks(watch)).toEqual(['a workflow']);
});
