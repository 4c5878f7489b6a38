/** Failures that are repeated: the first, ever fewer summaries, and the end. */
import { RepeatedFailures, type LogEntry } from '../../../workers/log/repeated-failures.ts';

type Line = LogEntry & { level: string; at: number };

/** A clock that is moved by hand. */
function world() {
  let now = 0;
  const due: { at: number; action: () => void }[] = [];
  const lines: Line[] = [];
  const failures = new RepeatedFailures({
    write: (level, entry) => lines.push({ ...entry, level, at: now }),
    now: () => now,
    after: (milliseconds, action) => void due.push({ at: now + milliseconds, action }),
  });
  function pass(seconds: number): void {
    const end = now + seconds * 1_000;
    for (;;) {
      const next = due.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      due.splice(due.indexOf(next), 1);
      now = next.at;
      next.action();
    }
    now = end;
  }
  return { lines, failures, pass };
}

function failed(text: string, more: Record<string, unknown> = {}): LogEntry {
  const error = new Error(text);
  const fields = { activityType: 'syncNode', workflowId: 'a', attempt: 1, error, ...more };
  return { message: 'Activity failed', fields };
}

test('equal failures give a line at first, then fewer and fewer, and one at the end', () => {
  const { lines, failures, pass } = world();
  for (let second = 0; second < 600; second += 1) {
    failures.take(failed('connect ECONNREFUSED', { workflowId: `w-${second % 7}` }));
    pass(1);
  }
  expect(lines.map(({ at, message }) => [at / 1_000, message])).toEqual([
    [0, 'Activity failed'],
    [60, 'Activity failed, again and again'],
    [180, 'Activity failed, again and again'],
    [420, 'Activity failed, again and again'],
  ]);
  expect(lines[1]?.fields).toMatchObject({ more: 60, total: 61, workflows: 7, seconds: 60 });
  expect(lines.slice(1).reduce((sum, { fields }) => sum + Number(fields['more']), 1)).toBe(421);
  pass(300);
  expect(lines.at(-1)).toMatchObject({
    level: 'info',
    message: 'Activity failed: not seen again for 2 minutes',
    fields: { total: 600, workflows: 7, seconds: 599, failure: 'Error: connect ECONNREFUSED' },
  });
  const before = lines.length;
  pass(3_600);
  expect(lines).toHaveLength(before);
});

test('what began anew after the end is written at once', () => {
  const { lines, failures, pass } = world();
  failures.take(failed('gone'));
  failures.take(failed('gone'));
  pass(300);
  failures.take(failed('gone'));
  expect(lines.map(({ message }) => message)).toEqual([
    'Activity failed',
    'Activity failed: not seen again for 2 minutes',
    'Activity failed',
  ]);
});

test('names, ids and numbers make no difference, words and activities do', () => {
  const { lines, failures } = world();
  failures.take(failed('machines "a" not found after 3 s'));
  failures.take(failed('machines "b" not found after 4 s'));
  failures.take(failed('nodes "b" not found after 4 s'));
  failures.take(failed('nodes "b" not found after 4 s', { activityType: 'drainNode' }));
  expect(lines.map(({ fields }) => [fields['activityType'], String(fields['error'])])).toEqual([
    ['syncNode', 'Error: machines "a" not found after 3 s'],
    ['syncNode', 'Error: nodes "b" not found after 4 s'],
    ['drainNode', 'Error: nodes "b" not found after 4 s'],
  ]);
});

test('one that was not repeated has no end', () => {
  const { lines, failures, pass } = world();
  failures.take(failed('once'));
  pass(3_600);
  expect(lines).toHaveLength(1);
});

test('a warning that is no failure is always written', () => {
  const { lines, failures } = world();
  const entry = { message: 'a signal that makes no sense was left out', fields: { signal: 'x' } };
  failures.take(entry);
  failures.take(entry);
  expect(lines).toHaveLength(2);
});

test('of too many kinds the oldest are let go, and counted', () => {
  const { lines, failures } = world();
  failures.take(failed('first'));
  failures.take(failed('first'));
  for (let index = 0; index < 500; index += 1) failures.take(failed('x'.repeat(index + 1)));
  expect(lines.filter(({ level }) => level === 'info').map(({ fields }) => fields)).toMatchObject([
    { failure: 'Error: first', total: 2 },
  ]);
});
