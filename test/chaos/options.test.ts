import { commandOf, parseChaosArguments } from './options.ts';

const defaults = { seed: 42, stateDir: 'here' };

test('a run without options has defaults', () => {
  expect(parseChaosArguments([], defaults)).toEqual({
    help: false,
    options: {
      seed: 42,
      minutes: 5,
      stateDir: 'here',
      settleSeconds: 300,
    },
  });
});

test('the command of a run does the same again', () => {
  const args = ['--minutes', '1.5', '--seed', '7', '--state-dir', 'there'];
  const command = parseChaosArguments(args, defaults);
  if (command.help) throw new Error('expected a run');
  const [, again = ''] = commandOf(command.options).split(' -- ');
  expect(parseChaosArguments(again.split(' '), defaults)).toEqual(command);
});

test.each([
  [['--seed', 'x'], '--seed: "x" is not a whole number of at most 10 digits'],
  [['--minutes', '0'], '--minutes: "0" is not a number above 0'],
  [['--settle-seconds', ''], '--settle-seconds: "" is not a number above 0'],
])('%s is refused', (args, message) => {
  expect(() => parseChaosArguments(args, defaults)).toThrow(message);
});
