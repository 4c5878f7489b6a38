import type { Violation } from '../engine/simulation.ts';
import { shrink, type Shrunk } from './shrink.ts';
import { startMs, type Setup } from './simulator.ts';

const rule = 'one instance per token';
const letters = 'abcdefghijklmnop'.split('');
const large: Setup = { seed: 7, machines: 50, hours: 24, faults: letters, users: ['x', 'y', 'z'] };
const atHour = (hour: number): Violation => ({
  at: startMs + hour * 3_600_000,
  rule,
  text: 'twice',
});

interface World {
  /** When a setup breaks the rule; undefined: it does not. */
  brokenAtHour(setup: Setup): number | undefined;
  triesMost?: number;
  eventsMost?: number;
}

async function shrunkIn(world: World): Promise<Shrunk & { tried: Setup[] }> {
  const { brokenAtHour, triesMost = 500, eventsMost = Infinity } = world;
  const tried: Setup[] = [];
  const shrunk = await shrink(
    { setup: large, violation: atHour(brokenAtHour(large) ?? 0) },
    {
      triesMost,
      eventsMost,
      attempt(setup) {
        const hour = brokenAtHour(setup);
        const violation = hour === undefined ? undefined : atHour(hour);
        return Promise.resolve({ violation, events: 10 });
      },
      onTry: (setup) => void tried.push(setup),
    },
  );
  return { ...shrunk, tried };
}

const has = (names: readonly string[], needed: string): boolean =>
  needed.split('').every((name) => names.includes(name));

describe('a run that breaks a rule is shrunk', () => {
  test('to the names, the machines and the hours that it needs', async () => {
    const { setup, violation, tries, tried } = await shrunkIn({
      brokenAtHour: ({ machines, hours, faults, users }) =>
        machines >= 6 && hours >= 3.2 && has(faults, 'cn') && has(users, 'y') ? 3.2 : undefined,
    });
    expect(setup).toEqual({ seed: 7, machines: 6, hours: 3.2, faults: ['c', 'n'], users: ['y'] });
    expect(violation).toEqual(atHour(3.2));
    expect(tries).toBe(tried.length);
    expect(tries).toBeLessThan(80);
  });

  test('to nothing at all, where nothing is needed', async () => {
    const { setup } = await shrunkIn({ brokenAtHour: () => 0 });
    expect(setup).toEqual({ seed: 7, machines: 1, hours: 0.02, faults: [], users: [] });
  });

  test('in its end first: it tries no long run where the violation comes early', async () => {
    const { tried } = await shrunkIn({ brokenAtHour: ({ faults }) => (has(faults, 'a') ? 2 : 25) });
    expect(tried[0]).toEqual({ ...large, hours: 2 });
    expect(Math.max(...tried.map(({ hours }) => hours))).toBe(2);
  });

  test('in its hours where the violation comes after them, as that of a world that does not come to rest', async () => {
    const { setup } = await shrunkIn({
      brokenAtHour: ({ hours }) => (hours >= 5 ? hours + 1 : undefined),
    });
    expect(setup.hours).toBeGreaterThanOrEqual(5);
    expect(setup.hours).toBeLessThan(5.5);
  });

  test('once more in what only fewer machines make possible', async () => {
    const { setup } = await shrunkIn({
      brokenAtHour: ({ machines, faults }) =>
        has(faults, 'a') && (machines < 5 || has(faults, 'bcd')) ? 1 : undefined,
    });
    expect(setup.faults).toEqual(['a']);
  });

  test('to the same setup each time, by the same tries', async () => {
    const world: World = {
      brokenAtHour: ({ machines, faults }) =>
        machines > 2 && has(faults, 'ghi') ? 4 - machines / 100 : undefined,
    };
    expect(await shrunkIn(world)).toEqual(await shrunkIn(world));
  });

  test('by no setup that was tried before', async () => {
    const { tried } = await shrunkIn({
      brokenAtHour: ({ faults }) => (has(faults, 'ago') ? 1 : undefined),
    });
    const texts = tried.map((setup) => JSON.stringify(setup));
    expect(new Set(texts).size).toBe(texts.length);
  });
});

const brokenAtHour = ({ faults }: Setup): number | undefined =>
  has(faults, 'aceg') ? 1 : undefined;

describe('shrinking ends', () => {
  test('after so many tries, with the best so far', async () => {
    const { tries, setup } = await shrunkIn({ brokenAtHour, triesMost: 10 });
    expect(tries).toBe(10);
    expect(brokenAtHour(setup)).toBe(1);
    expect(setup.hours).toBeLessThan(24);
  });

  test('after so many events', async () => {
    const { tries } = await shrunkIn({ brokenAtHour, eventsMost: 95 });
    expect(tries).toBe(10);
  });
});
