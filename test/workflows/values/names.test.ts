import fc from 'fast-check';
import { newNames, safeEncode } from '../../../workflows/values/names.ts';

/** A repeatable stream of numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const seed = fc.nat();
const count = fc.integer({ min: 0, max: 100 });

test('as many as asked for, all different, all readable', () => {
  fc.assert(
    fc.property(seed, count, (start, wanted) => {
      const request = { prefix: 'pool', taken: new Set<string>(), random: randomFrom(start) };
      const names = newNames({ ...request, count: wanted });
      expect(new Set(names).size).toBe(wanted);
      for (const name of names) expect(name).toMatch(/^pool-[bcdfghjklmnpqrstvwxz2-9]{5}$/);
    }),
  );
});

test('the same random numbers give the same names: a replay agrees', () => {
  const request = { prefix: 'pool', count: 5, taken: new Set<string>() };
  const names = newNames({ ...request, random: randomFrom(7) });
  expect(newNames({ ...request, random: randomFrom(7) })).toEqual(names);
});

test('taken names are passed over', () => {
  fc.assert(
    fc.property(seed, (start) => {
      const request = { prefix: 'pool', count: 3, random: randomFrom(start) };
      const [first = ''] = newNames({ ...request, taken: new Set() });
      const taken = new Set([first]);
      const names = newNames({ ...request, random: randomFrom(start), taken });
      expect(names).not.toContain(first);
    }),
  );
});

test('a hash is encoded without vowels and look-alikes', () => {
  fc.assert(
    fc.property(fc.nat(), (hash) => {
      const text = String(hash);
      expect(safeEncode(text)).toMatch(new RegExp(`^[bcdfghjklmnpqrstvwxz2-9]{${text.length}}$`));
    }),
  );
});
