import fc from 'fast-check';
import type {
  InstanceFact,
  MachineClaim,
} from '../../../../workflows/plan/safety/orphan-claims.ts';
import { claimsOf, verdictAt, verdictOn } from '../../../../workflows/plan/safety/orphan-claims.ts';

const instance: InstanceFact = {
  providerID: 'cloud:///zone-1/i-1',
  machineName: 'pool-a',
  token: 'uid-a-0',
};

const aMachine = (changes: Partial<MachineClaim> = {}): MachineClaim => ({
  name: 'pool-a',
  uid: 'uid-a',
  isDeleting: false,
  ...changes,
});

test.each<{ when: string; machines: MachineClaim[]; expected: object }>([
  {
    when: 'its Machine names it',
    machines: [aMachine({ providerID: instance.providerID })],
    expected: { kept: 'claimed' },
  },
  {
    when: 'its Machine names it by region instead of zone',
    machines: [aMachine({ providerID: 'cloud:///region/i-1' })],
    expected: { kept: 'claimed' },
  },

  {
    when: 'the Machine of its token has none yet',
    machines: [aMachine({ name: 'renamed' })],
    expected: { kept: 'creating' },
  },
  {
    when: 'its Machine has another and stays',
    machines: [aMachine({ providerID: 'cloud:///zone-1/i-2' })],
    expected: { orphan: 'surplus' },
  },
  {
    when: 'its Machine has another and is being deleted',
    machines: [aMachine({ providerID: 'cloud:///zone-1/i-2', isDeleting: true })],
    expected: { kept: 'deleting' },
  },
])('the verdict on an instance when $when', ({ machines, expected }) => {
  expect(verdictOn(instance, claimsOf(machines))).toEqual(expected);
});

test('an instance of MCM has no token: its name counts', () => {
  const { token: _none, ...older } = instance;
  expect(verdictOn(older, claimsOf([aMachine()]))).toEqual({ kept: 'creating' });
  expect(verdictOn(older, claimsOf([]))).toEqual({ orphan: 'noMachine' });
});

test.each([
  { createdAt: 41_000, expected: { kept: 'young' } },
  { createdAt: 40_000, expected: { orphan: 'noMachine' } },
  { createdAt: undefined, expected: { orphan: 'noMachine' } },
])(
  'an instance that was created at $createdAt, at 100 s and a minimum age of 60 s',
  ({ createdAt, expected }) => {
    const fact = { ...instance, ...(createdAt !== undefined && { createdAt }) };
    const rules = { claims: claimsOf([]), minAgeSeconds: 60 };
    expect(verdictAt(100_000, fact, rules)).toEqual(expected);
  },
);

const anyName = fc.constantFrom('a', 'b', 'c');
const anyProviderID = fc.constantFrom('c:///z/i-1', 'c:///z/i-2', 'c:///y/i-1', 'c:///z/i-3');
const anyMachine: fc.Arbitrary<MachineClaim> = fc.record(
  {
    name: anyName,
    uid: fc.constantFrom('u-1', 'u-2', 'u-3'),
    isDeleting: fc.boolean(),
    providerID: anyProviderID,
  },
  { requiredKeys: ['name', 'uid', 'isDeleting'] },
);
const anyInstance: fc.Arbitrary<InstanceFact> = fc.record(
  {
    providerID: anyProviderID,
    machineName: anyName,
    token: fc.constantFrom('u-1-0', 'u-2-7', 'u-9-0', ''),
  },
  { requiredKeys: ['providerID', 'machineName'] },
);

const last = (id: string): string => id.slice(id.lastIndexOf('/'));

test('no Machine ever loses the instance that it names, or may yet find', () => {
  fc.assert(
    fc.property(anyInstance, fc.array(anyMachine, { maxLength: 5 }), (fact, machines) => {
      const unique = [...new Map(machines.map((machine) => [machine.name, machine])).values()];
      const verdict = verdictOn(fact, claimsOf(unique));
      const isNeeded = unique.some(
        ({ name, providerID }) =>
          (providerID === undefined && name === fact.machineName) ||
          (providerID !== undefined && last(providerID) === last(fact.providerID)),
      );
      expect(isNeeded && 'orphan' in verdict).toBe(false);
    }),
  );
});

test('another Machine never makes an instance an orphan', () => {
  fc.assert(
    fc.property(
      anyInstance,
      fc.array(anyMachine, { maxLength: 4 }),
      anyMachine,
      (fact, some, one) => {
        const known = new Set(some.flatMap(({ name, uid }) => [name, uid]));
        fc.pre(!known.has(one.name) && !known.has(one.uid));
        fc.pre(new Set(some.map(({ name }) => name)).size === some.length);
        fc.pre(new Set(some.map(({ uid }) => uid)).size === some.length);
        const isKept = 'kept' in verdictOn(fact, claimsOf(some));
        const isKeptBeside = 'kept' in verdictOn(fact, claimsOf([...some, one]));
        expect(isKept && !isKeptBeside).toBe(false);
      },
    ),
  );
});
