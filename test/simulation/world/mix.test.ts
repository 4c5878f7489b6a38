import { troubleBy } from './fault-kinds.ts';
import { mixOf, usualMix } from './mix.ts';
import { allFaults } from './trouble.ts';

const seeds = Array.from({ length: 400 }, (_, seed) => seed);

test('a seed always has the same mix', () => {
  for (const seed of seeds) expect(mixOf(seed)('kills')).toBe(mixOf(seed)('kills'));
});

test('some worlds have everything as often as usual', () => {
  const usual = seeds.filter((seed) => mixOf(seed) === usualMix);
  expect(usual.length).toBeGreaterThan(60);
  expect(usual.length).toBeLessThan(160);
});

test('some worlds are quiet: few kinds, each at least now and then', () => {
  const kinds = Array.from({ length: 100 }, (_, index) => `kind ${index}`);
  const shares = seeds.map((seed) => kinds.filter((kind) => mixOf(seed)(kind) > 0).length);
  const quiet = shares.filter((share) => share < 35);
  expect(quiet.length).toBeGreaterThan(60);
  expect(quiet.length).toBeLessThan(160);
  expect(Math.min(...shares)).toBeGreaterThan(0);
  expect(shares.filter((share) => share >= 35 && share < 45)).toEqual([]);
});

test.each(['kills', 'scale', 'node.vanishes'])('%s: never, rarely, as usual, or often', (kind) => {
  const times = new Set(seeds.map((seed) => mixOf(seed)(kind)));
  expect(times).toEqual(new Set([0, 0.3, 1, 3, 8]));
});

test('kinds of a world are mixed independently of each other', () => {
  const pairs = new Set(seeds.map((seed) => `${mixOf(seed)('kills')} ${mixOf(seed)('scale')}`));
  expect(pairs.size).toBeGreaterThan(20);
});

test('calls fail at most thrice as often as usual, disasters come eight times as often', () => {
  const { calls } = troubleBy(['lostCalls', 'kills'], () => 8);
  expect(calls.lostCalls).toBeCloseTo(3 * allFaults.lostCalls);
  expect(calls.kills).toBe(8 * allFaults.kills);
  expect(calls.slowCalls).toBe(0);
});
