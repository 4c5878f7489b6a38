import {
  fateOf,
  nextFault,
  parseFault,
  type Fault,
  type Target,
} from '../../../deploy/local/virtual-cloud/faults.ts';

const create: Target = { operation: 'create', name: 'web-0', zone: 'a' };

function aFault(fields: object): Fault {
  return parseFault(fields, 'f');
}

test('a fault without limits is for every call, always', () => {
  expect(aFault({ kind: 'throttle' })).toEqual({
    id: 'f',
    operation: '*',
    match: '*',
    kind: 'throttle',
    fired: 0,
  });
});

test('what was answered can be put back', () => {
  const fault = aFault({ kind: 'error', code: 'Unavailable', times: 3, fired: 2, message: 'm' });
  expect(parseFault(structuredClone(fault), 'other')).toEqual(fault);
});

test.each([
  ['no kind', {}, 'faults[0].kind: nothing is not one of error, throttle'],
  ['an unknown kind', { kind: 'explode' }, 'faults[0].kind: "explode" is not one of error'],
  [
    'an unknown operation',
    { kind: 'hang', operation: 'reboot' },
    'faults[0].operation: "reboot" is not one of create, list',
  ],
  [
    'a fate for another operation than create',
    { kind: 'vanish', operation: 'delete' },
    'faults[0].operation: "delete" is not create',
  ],
  [
    'a code that MCM does not have',
    { kind: 'error', code: 'Broken' },
    'faults[0].code: "Broken" is not one of Canceled',
  ],
  [
    'a code on another kind than error',
    { kind: 'quota', code: 'Internal' },
    'faults[0].code: "Internal" is not possible here',
  ],
  [
    'half a time',
    { kind: 'hang', times: 1.5 },
    'faults[0].times: 1.5 is not a whole number from 1',
  ],
  ['a misspelt field', { kind: 'hang', time: 1 }, 'faults[0].time: unknown field'],
])('a fault of the virtual cloud is refused by name and value: %s', (_name, fault, says) => {
  expect(() => parseFault(fault, 'f', 'faults[0]')).toThrow(says);
});

test.each([
  { name: 'another name', fault: { kind: 'error', match: 'db-*' }, fires: false },
  { name: 'the same name', fault: { kind: 'error', match: 'web-*' }, fires: true },
  { name: 'another operation', fault: { kind: 'error', operation: 'delete' }, fires: false },
  { name: 'this operation', fault: { kind: 'error', operation: 'create' }, fires: true },
  { name: 'one that is used up', fault: { kind: 'error', times: 2, fired: 2 }, fires: false },
  { name: 'one that is left', fault: { kind: 'error', times: 2, fired: 1 }, fires: true },
])('a call fault for $name fires: $fires', ({ fault, fires }) => {
  expect(nextFault([aFault(fault)], create, 'call') !== undefined).toBe(fires);
});

test('a zone that is full refuses machines of that zone only', () => {
  const faults = [aFault({ kind: 'zoneFull', zone: 'b' })];
  expect(nextFault(faults, create, 'refusal')).toBeUndefined();
  expect(nextFault(faults, { ...create, zone: 'b' }, 'refusal')).toBe(faults[0]);
});

test('the faults that fit decide the fate of a machine together', () => {
  const faults = [
    aFault({ kind: 'vanish', seconds: 9 }),
    aFault({ kind: 'unhealthyLater', seconds: 4 }),
    aFault({ kind: 'neverJoin', match: 'db-*' }),
  ];
  const { fate, fired } = fateOf(faults, create);
  expect(fate).toEqual({
    vanishes: { afterSeconds: 9 },
    sickens: {
      afterSeconds: 4,
      condition: expect.objectContaining({ type: 'KernelDeadlock', status: 'True' }),
    },
  });
  expect(fired.map(({ kind }) => kind)).toEqual(['unhealthyLater', 'vanish']);
});

test('a machine that is to be unready has Ready False', () => {
  const { condition } = aFault({ kind: 'unhealthyLater', condition: { type: 'Ready' } });
  expect(condition).toMatchObject({ type: 'Ready', status: 'False', reason: 'KubeletNotReady' });
});
