import { untilReached } from '../../../workers/process/reach.ts';
import { reasonOf } from '../../../workers/log/reason.ts';
import { logLines } from '../log/log-lines.ts';

const waitMs = { first: 1, max: 4 };

function failingTimes(times: number): () => Promise<string> {
  let left = times;
  return async () => {
    left -= 1;
    if (left >= 0) throw new Error('connect ECONNREFUSED');
    return 'connection';
  };
}

test('a server is tried until it answers, with a line for each failure and longer waits', async () => {
  const { log, lines } = logLines();
  const { signal } = new AbortController();
  const attempt = failingTimes(10);
  expect(await untilReached({ server: 'Temporal', attempt, log, signal, waitMs })).toBe(
    'connection',
  );
  expect(lines).toHaveLength(11);
  expect(lines[0]).toMatchObject({
    server: 'Temporal',
    attempts: 1,
    reason: 'connect ECONNREFUSED',
    msg: 'cannot be reached',
  });
  expect(lines[9]?.['retryInMs']).toBeGreaterThanOrEqual(2);
  expect(lines[9]?.['retryInMs']).toBeLessThanOrEqual(4);
  expect(lines[10]).toMatchObject({ msg: 'reached', attempts: 11 });
});

test('why a server is waited for is said to who asks, until it answers', async () => {
  const { log } = logLines();
  const { signal } = new AbortController();
  const reasons: (string | undefined)[] = [];
  const onReason = (reason: string | undefined): void => void reasons.push(reason);
  const attempt = failingTimes(1);
  await untilReached({ server: 'Temporal', attempt, log, signal, waitMs, onReason });
  expect(reasons).toEqual(['waits for Temporal: connect ECONNREFUSED', undefined]);
});

test('the wait for a server ends when the process is to end', async () => {
  const { log } = logLines();
  const controller = new AbortController();
  const attempt = failingTimes(Number.POSITIVE_INFINITY);
  const { signal } = controller;
  const reached = untilReached({ server: 'Temporal', attempt, log, signal });
  controller.abort(new Error('stopping'));
  await expect(reached).rejects.toThrow('stopping');
});

test('a reason names the causes, and nothing twice', () => {
  const socket = new Error('connect ECONNREFUSED 127.0.0.1:6443');
  const wrapped = new Error('fetch failed', {
    cause: new Error(socket.message, { cause: socket }),
  });
  expect(reasonOf(wrapped)).toBe('fetch failed: connect ECONNREFUSED 127.0.0.1:6443');
  expect(reasonOf('text')).toBe('text');
});
