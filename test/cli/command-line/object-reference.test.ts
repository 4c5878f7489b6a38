import { kindOf, readReference } from '../../../cli/command-line/object-reference.ts';

test.each([
  [['machine/pool-1'], 'machine', 'pool-1'],
  [['machines', 'pool-1'], 'machine', 'pool-1'],
  [['mc/pool-1'], 'machine', 'pool-1'],
  [['Machine/pool-1'], 'machine', 'pool-1'],
  [['machine.machine.sapcloud.io/pool-1'], 'machine', 'pool-1'],
  [['mcs', 'pool'], 'machineset', 'pool'],
  [['machinedeployments.machine.sapcloud.io/pool'], 'machinedeployment', 'pool'],
  [['mcd/pool'], 'machinedeployment', 'pool'],
  [['no/ip-10-0-0-1.eu.internal'], 'node', 'ip-10-0-0-1.eu.internal'],
])('%j', (words, kind, name) => {
  expect(readReference(words)).toEqual({ kind, name });
});

test.each([
  [[], 'An object is missing'],
  [['pool-1'], '"pool-1" names no object'],
  [['machine/'], '"machine/" names no object'],
  [['machine', 'a', 'b'], '"machine a b" names no object'],
  [['machine/a', 'machine/b'], '"machine/a machine/b" names no object'],
  [['machine', 'b/c'], '"machine b/c" names no object'],
  [['pod/a'], '"pod" in "pod/a" is no kind for this command'],
  [['machine/A_b'], '"A_b" in "machine/A_b" is no name'],
])('%j is refused', (words, message) => {
  expect(() => readReference(words)).toThrow(message);
});

test('says what is allowed', () => {
  expect(() => readReference(['node/a'], ['machine', 'machinedeployment'])).toThrow(
    '"node" in "node/a" is no kind for this command. Allowed: machine/NAME (mc, ma), machinedeployment/NAME (mcd, md).',
  );
  expect(kindOf('node.machine.sapcloud.io')).toBeUndefined();
});
