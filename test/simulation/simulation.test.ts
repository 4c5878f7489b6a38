/** Twenty small worlds with everything that can go wrong. `npm run simulate` runs larger ones. */
import { expect, test } from 'vitest';
import { loadSimulator, type Setup } from './run/simulator.ts';

const { simulate, faultNames: faults, userNames: users } = await loadSimulator();
const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
const setupOf = (seed: number): Setup => ({ seed, machines: 4, hours: 0.5, faults, users });

test.each(seeds)('a world by seed %i breaks no rule', async (seed) => {
  const { violations, lives } = await simulate(setupOf(seed));
  expect(violations.map(({ rule, text }) => `${rule}: ${text}`)).toEqual([]);
  // Where nothing happens, no rule is broken.
  expect(lives).toBeGreaterThan(0);
});

async function fingerprintOf(seed: number): Promise<string> {
  const { timeline } = await simulate(setupOf(seed));
  return timeline.fingerprint;
}

test('a seed runs the same way each time, and another one another way', async () => {
  const first = await fingerprintOf(1);
  expect(await fingerprintOf(1)).toBe(first);
  expect(await fingerprintOf(2)).not.toBe(first);
});
