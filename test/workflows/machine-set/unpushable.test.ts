import type { KnownUnpushable } from '../../../workflows/machine-set/state.ts';
import { notePush } from '../../../workflows/machine-set/unpushable.ts';
import type { SetRequeues } from '../../../workflows/plan/machine-set/plan.ts';

const attempt = { now: 10_000, random: 0 };
const failed = { generation: 1, names: ['b'], error: 'no webhook', mayPass: true as const };

function stateOf(unpushable?: KnownUnpushable, requeues: SetRequeues = {}) {
  return { requeues, ...(unpushable && { unpushable }) };
}

test('what the API server refuses, or another writer changes back, waits for another spec', () => {
  const outcome = { generation: 1, names: ['b'] };
  const state = stateOf();
  notePush(state, { tried: ['a', 'b'], outcome }, attempt);
  expect(state).toEqual({ unpushable: outcome, requeues: {} });
});

test('what met a fault of the server is tried again, later each time', () => {
  const state = stateOf();
  notePush(state, { tried: ['a', 'b'], outcome: failed }, attempt);
  const message = 'no webhook';
  const unpushable = { generation: 1, names: ['b'], error: message };
  const first = { failures: 1, retryAt: 12_000, message };
  expect(state).toEqual({ unpushable, requeues: { push: first } });
  notePush(state, { tried: ['b'], outcome: failed }, attempt);
  expect(state.requeues.push).toMatchObject({ failures: 2, retryAt: 14_000 });
  notePush(state, { tried: ['b'], outcome: { generation: 1, names: [] } }, attempt);
  expect(state).toEqual({ requeues: {} });
});

test('machines that were not tried keep their time; those of another spec are forgotten', () => {
  const before = { generation: 1, names: ['b', 'c'], error: 'x' };
  const push = { failures: 3, retryAt: 5_000, message: 'x' };
  const state = stateOf(before, { push });
  notePush(state, { tried: ['b'], outcome: { generation: 1, names: [] } }, attempt);
  expect(state).toEqual({ unpushable: { ...before, names: ['c'] }, requeues: { push } });
  const other = { generation: 2, names: ['d'] };
  notePush(state, { tried: ['d'], outcome: other }, attempt);
  expect(state).toEqual({ unpushable: other, requeues: {} });
});
