/** Twenty small worlds with everything that can go wrong. `npm run simulate` runs larger ones. */
import { loadSimulator, type Setup } from './run/simulator.ts';

const { simulate, faultNames: faults, userNames: users } = await loadSimulator();
const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
const setupOf = (seed: number): Setup => ({ seed, machines: 4, hours: 0.5, faults, users });

const fingerprints = new Map<number, string>();

test.each(seeds)('a world by seed %i breaks no rule', async (seed) => {
  const { violations, lives, timeline } = await simulate(setupOf(seed));
  fingerprints.set(seed, timeline.fingerprint);
  expect(violations.map(({ rule, text }) => `${rule}: ${text}`)).toEqual([]);
  // Where nothing happens, no rule is broken.
  expect(lives).toBeGreaterThan(0);
});

test('a seed runs the same way each time, and each one its own way', async () => {
  const [seed = 0] = seeds;
  const { timeline } = await simulate(setupOf(seed));
  expect(timeline.fingerprint).toBe(fingerprints.get(seed));
  expect(new Set(fingerprints.values()).size).toBe(seeds.length);
});
