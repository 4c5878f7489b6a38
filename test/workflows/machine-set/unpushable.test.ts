import { afterPush } from '../../../workflows/machine-set/unpushable.ts';

const attempt = { now: 10_000, random: 0 };
const failed = { generation: 1, names: ['b'], error: 'no webhook', mayPass: true as const };

test('what the API server refuses, or another writer changes back, waits for another spec', () => {
  const outcome = { generation: 1, names: ['b'] };
  const after = afterPush(undefined, { ...attempt, tried: ['a', 'b'], outcome });
  expect(after).toEqual(outcome);
});

test('what met a fault of the server is tried again, later each time', () => {
  const first = afterPush(undefined, { ...attempt, tried: ['a', 'b'], outcome: failed });
  expect(first).toMatchObject({ names: ['b'], failures: 1, retryAt: 12_000 });
  const second = afterPush(first, { ...attempt, tried: ['b'], outcome: failed });
  expect(second).toMatchObject({ names: ['b'], failures: 2, retryAt: 14_000 });
  const done = { generation: 1, names: [] };
  expect(afterPush(second, { ...attempt, tried: ['b'], outcome: done })).toBeUndefined();
});

test('machines that were not tried keep their time; those of another spec are forgotten', () => {
  const before = { generation: 1, names: ['b', 'c'], error: 'x', failures: 3, retryAt: 5_000 };
  const done = { generation: 1, names: [] };
  expect(afterPush(before, { ...attempt, tried: ['b'], outcome: done })).toEqual({
    ...before,
    names: ['c'],
  });
  const other = { generation: 2, names: ['d'] };
  expect(afterPush(before, { ...attempt, tried: ['d'], outcome: other })).toEqual(other);
});
