/** A command is an annotation, written with the rights of the caller. */
import { expect, test } from 'vitest';
import { signed } from '../../cli/written-command/command.ts';
import { readArguments } from '../support/command-line.ts';

const read = (...words: string[]) => readArguments(['command', ...words]);

test.each([
  [['machine/pool-a', 'skipDrain'], 'machines', 'skipDrain'],
  [['machine/pool-a', 'extendDrain', '--minutes=30'], 'machines', 'extendDrain minutes=30'],
  [
    ['machinedeployment/pool', 'setReplicas', '--replicas=0'],
    'machinedeployments',
    'setReplicas replicas=0',
  ],
])('%j is written on %s as "%s"', (words, resource, text) => {
  expect(read(...words, '-n', 'shoot', '--by=ada')).toMatchObject({
    resource,
    text,
    by: 'ada',
    namespace: 'shoot',
  });
});

test.each([
  [['pool-a', 'skipDrain'], 'Allowed: machine/NAME, machinedeployment/NAME'],
  [['machineset/pool-a', 'skipDrain'], 'Allowed: machine/NAME, machinedeployment/NAME'],
  [['machine/pool-a', 'pause'], 'must be one of retryNow'],
  [['machine/pool-a', 'extendDrain', '--minutes=soon'], 'must be minutes=NUMBER'],
  [['machine/pool-a', 'skipDrain', 'now'], 'too many arguments'],
  [['machine/pool-a', 'skipDrain', '--by=a b'], 'without blanks'],
])('%j is refused', (words, message) => {
  expect(() => read(...words)).toThrow(message);
});

test('a name of a caller that is too long is left out', () => {
  expect(signed('pause', 'ada')).toBe('pause by=ada');
  expect(signed('pause', undefined)).toBe('pause');
  expect(signed('pause', 'a'.repeat(300))).toBe('pause');
});
