import { commandOf } from './command.ts';
import { parseArguments, usageOf } from './options.ts';

const kinds = { faults: ['lostCalls', 'kills', 'outages'], users: ['scale', 'edit'] };
const defaults = { seed: 42, kinds };

test('a run without options has one seed and everything that can go wrong', () => {
  expect(parseArguments([], defaults)).toEqual({
    setup: { seed: 42, machines: 10, hours: 6, faults: kinds.faults, users: kinds.users },
    seeds: 1,
    cpuMinutes: Infinity,
    jobs: 1,
    isBailing: false,
    isShrinking: true,
    replay: undefined,
    output: 'text',
  });
});

test('the command of the issue is understood', () => {
  const args = '--seed 7 --machines 50 --hours 24 --faults all'.split(' ');
  expect(parseArguments(args, defaults)).toMatchObject({
    setup: { seed: 7, machines: 50, hours: 24, faults: kinds.faults },
  });
});

test('minutes without a number of seeds take as many as there is time for', () => {
  expect(parseArguments(['--minutes', '60'], defaults)).toMatchObject({
    seeds: Infinity,
    cpuMinutes: 60,
  });
  expect(parseArguments(['--minutes', '60', '--seeds', '5'], defaults)).toMatchObject({ seeds: 5 });
  expect(parseArguments(['--minutes', '60', '--replay', 'a.json'], defaults)).toMatchObject({
    seeds: 1,
    replay: 'a.json',
  });
});

test.each([
  ['all', ['lostCalls', 'kills', 'outages']],
  ['none', []],
  ['outages,lostCalls', ['lostCalls', 'outages']],
])('--faults %s: %j, in the order of the kinds', (text, faults) => {
  expect(parseArguments(['--faults', text], defaults)).toMatchObject({ setup: { faults } });
});

test.each([
  { machines: 3, hours: 1.25, faults: ['kills'], users: [] },
  { machines: 50, hours: 24, faults: kinds.faults, users: kinds.users },
])('the command of %j runs the same again', (rest) => {
  const setup = { seed: 7, ...rest };
  const [, again = ''] = commandOf(setup, kinds).split(' -- ');
  expect(parseArguments(again.split(' '), defaults)).toMatchObject({ setup });
});

test.each([
  [['--seed', 'x'], '--seed: "x" is not a whole number from 0 to 4294967295'],
  [['--seed', '4294967296'], '--seed: "4294967296" is not a whole number from 0 to 4294967295'],
  [['--seeds', '0'], '--seeds: "0" is not a whole number from 1 to 1000000000'],
  [['--machines', '1.5'], '--machines: "1.5" is not a whole number from 1 to 1000'],
  [['--jobs', '65'], '--jobs: "65" is not a whole number from 1 to 64'],
  [['--hours', '0'], '--hours: "0" is not a number above 0'],
  [['--minutes', ''], '--minutes: "" is not a number above 0'],
  [['--faults', 'rain'], '--faults: "rain" is not one of all, none, lostCalls, kills, outages'],
  [['--users', 'scale,'], '--users: "" is not one of all, none, scale, edit'],
  [['-o', 'yaml'], '--output: "yaml" is neither text nor json'],
  [
    ['--replay', 'a.json', '--seed', '1'],
    '--replay: "a.json" has its seed in it; leave out --seed and --seeds',
  ],
])('%j is refused', (args, message) => {
  expect(() => parseArguments(args, defaults)).toThrow(message);
});

describe('help', () => {
  test('comes before anything is checked, and names all kinds', () => {
    expect(parseArguments(['--help'], defaults)).toBe('help');
    expect(usageOf(kinds)).toContain('lostCalls,kills,outages');
  });

  test('names only options that exist', () => {
    const words = [...usageOf(kinds).matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)];
    const names = words.map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(10);
    const understood = names.filter((name) => name !== '--defects');
    for (const name of understood) {
      expect(() => parseArguments([name, '--help'], defaults)).not.toThrow(/Unknown option/);
    }
  });
});
