import type { Refusals } from '../../../../workflows/plan/machine-set/refused-machines.ts';
import {
  afterAttempt,
  areHeldBack,
} from '../../../../workflows/plan/machine-set/refused-machines.ts';

const refusal = (...names: string[]): Refusals => ({
  names,
  reason: 'FailedDelete',
  message: 'kept for forensics',
});
const at = (now: number) => ({ now, random: 0 });

describe('machines that are refused', () => {
  test('are forgotten when they were tried with success', () => {
    const refused = afterAttempt(undefined, { tried: ['a'], refused: refusal('a'), ...at(0) });
    expect(afterAttempt(refused, { tried: ['a'], ...at(9_000) })).toBeUndefined();
  });

  test('machines that are refused while others wait are tried again together with these', () => {
    const first = afterAttempt(undefined, { tried: ['a'], refused: refusal('a'), ...at(0) });
    const both = afterAttempt(first, { tried: ['b'], refused: refusal('b'), ...at(1_000) });
    expect(both).toMatchObject({ names: ['a', 'b'], failures: 1, retryAt: first?.retryAt });
  });

  test('are held back until it is time', () => {
    const refused = afterAttempt(undefined, { tried: ['a'], refused: refusal('a'), ...at(0) });
    expect(areHeldBack(refused, 1_999)).toBe(true);
    expect(areHeldBack(refused, 2_000)).toBe(false);
    expect(areHeldBack(undefined, 0)).toBe(false);
  });
});
