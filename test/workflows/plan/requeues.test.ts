import type { Refusals, Requeues, RefusedWrites } from '../../../workflows/plan/requeues.ts';
import {
  failed,
  forget,
  isHeld,
  messageIn,
  nextAt,
  noteWrites,
  tryNow,
} from '../../../workflows/plan/requeues.ts';

const at = (now: number) => ({ now, random: 0 });
const refused = (...names: string[]): Refusals => ({
  names,
  reason: 'FailedDelete',
  message: 'kept for forensics',
});

test('what fails is left alone longer each time, until it is forgotten', () => {
  const requeues: Requeues = {};
  const waits = [0, 1_000_000, 2_000_000].map((now) => {
    failed(requeues, 'drain', { message: 'no luck', ...at(now) });
    return (nextAt(requeues) ?? now) - now;
  });
  expect(waits).toEqual([2_000, 4_000, 8_000]);
  expect(requeues['drain']).toMatchObject({ failures: 3, message: 'no luck' });
  forget(requeues, 'drain');
  failed(requeues, 'drain', { message: 'no luck', ...at(3_000_000) });
  expect(nextAt(requeues)).toBe(3_002_000);
});

test('a wait has a longest and an earliest end', () => {
  const requeues: Requeues = {};
  for (let failures = 0; failures < 9; failures += 1)
    failed(requeues, 'a', { message: '', ...at(0) });
  expect(requeues['a']?.retryAt).toBe(180_000);
  failed(requeues, 'a', { message: '', ...at(0), longestSeconds: 30 });
  expect(requeues['a']?.retryAt).toBe(30_000);
  failed(requeues, 'a', { message: '', ...at(0), notBefore: 999_000 });
  expect(requeues['a']?.retryAt).toBe(999_000);
});

test('what is held waits alone: the next attempt and all messages are those of the whole', () => {
  const requeues: Requeues<'a' | 'b'> = {};
  failed(requeues, 'a', { message: 'first', ...at(0) });
  failed(requeues, 'b', { message: 'second', ...at(1_000) });
  expect(isHeld(requeues, 'a', 2_000)).toBe(false);
  expect(isHeld(requeues, 'b', 2_000)).toBe(true);
  expect(nextAt(requeues)).toBe(2_000);
  expect(messageIn(requeues)).toBe('first; second');
  tryNow(requeues.a, requeues.b);
  expect(isHeld(requeues, 'b', 1_000)).toBe(false);
  expect(nextAt(requeues)).toBeUndefined();
  expect(messageIn({})).toBeUndefined();
});

describe('objects that are refused', () => {
  test('are forgotten when they were tried with success', () => {
    const requeues: { refused?: RefusedWrites } = {};
    noteWrites(requeues, { tried: ['a'], refused: refused('a') }, at(0));
    noteWrites(requeues, { tried: ['a'] }, at(9_000));
    expect(requeues).toEqual({});
  });

  test('objects that are refused while others wait are tried again together with these', () => {
    const requeues: { refused?: RefusedWrites } = {};
    noteWrites(requeues, { tried: ['a'], refused: refused('a') }, at(0));
    noteWrites(requeues, { tried: ['b'], refused: refused('b') }, at(1_000));
    expect(requeues.refused).toMatchObject({ names: ['a', 'b'], failures: 1, retryAt: 2_000 });
  });

  test('wait longer when they are refused again', () => {
    const requeues: { refused?: RefusedWrites } = {};
    noteWrites(requeues, { tried: ['a', 'b'], refused: refused('a', 'b') }, at(0));
    noteWrites(requeues, { tried: ['a'], refused: refused('a') }, at(2_000));
    expect(requeues.refused).toEqual({ ...refused('b', 'a'), failures: 2, retryAt: 6_000 });
    expect(isHeld(requeues, 'refused', 5_999)).toBe(true);
  });
});
