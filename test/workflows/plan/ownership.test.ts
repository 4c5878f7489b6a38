import fc from 'fast-check';
import type { Claim, Claimant, Claimed } from '../../../workflows/plan/ownership.ts';
import { planClaim, selectorFaults } from '../../../workflows/plan/ownership.ts';

const selector = { matchLabels: { pool: 'a' } };
const set: Claimant = { uid: 'set', isDeleting: false, selector, isFaulty: false };
const orphan: Claimed = { isDeleting: false, labels: { pool: 'a' } };
const owned: Claimed = { ...orphan, controllerUid: 'set' };
const other = { pool: 'b' };

test.each<{
  name: string;
  set?: Partial<Claimant>;
  machine: Claimed;
  action: Claim['action'];
}>([
  { name: 'its own', machine: owned, action: 'keep' },
  { name: 'its own that is going', machine: { ...owned, isDeleting: true }, action: 'keep' },
  { name: 'its own while it goes', set: { isDeleting: true }, machine: owned, action: 'keep' },
  { name: 'its own with a wrong spec', set: { isFaulty: true }, machine: owned, action: 'keep' },
  {
    name: 'its own when the selector asks for nothing',
    set: { selector: {} },
    machine: { ...owned, labels: other },
    action: 'keep',
  },
  {
    name: 'its own when the selector is missing',
    set: { selector: undefined, isFaulty: true },
    machine: { ...owned, labels: other },
    action: 'keep',
  },
  {
    name: 'one that does not fit any more',
    machine: { ...owned, labels: other },
    action: 'release',
  },
  {
    name: 'one that does not fit any more, of a deployment',
    set: { keepsAll: true },
    machine: { ...owned, labels: other },
    action: 'keep',
  },
  {
    name: 'one that does not fit and is going',
    machine: { ...owned, labels: other, isDeleting: true },
    action: 'leave',
  },
  {
    name: 'one that does not fit, while the set goes',
    set: { isDeleting: true },
    machine: { ...owned, labels: other },
    action: 'leave',
  },
  {
    name: 'one that does not fit a wrong spec',
    set: { isFaulty: true },
    machine: { ...owned, labels: other },
    action: 'leave',
  },
  { name: 'an orphan', machine: orphan, action: 'adopt' },
  { name: 'an orphan unlike it', machine: { ...orphan, labels: other }, action: 'leave' },
  { name: 'an orphan that is going', machine: { ...orphan, isDeleting: true }, action: 'leave' },
  { name: 'an orphan while it goes', set: { isDeleting: true }, machine: orphan, action: 'leave' },
  {
    name: 'an orphan with a wrong spec',
    set: { isFaulty: true },
    machine: orphan,
    action: 'leave',
  },
  {
    name: 'an orphan when the selector asks for nothing',
    set: { selector: { matchLabels: {}, matchExpressions: [] } },
    machine: orphan,
    action: 'leave',
  },
  { name: "another's", machine: { ...orphan, controllerUid: 'other' }, action: 'leave' },
])('a set decides on a machine, $name: $action', ({ set: changes, machine, action }) => {
  expect(planClaim({ ...set, ...changes }, machine).action).toBe(action);
});

const anyLabels = fc.constantFrom({}, { pool: 'a' }, { pool: 'b' });
const anySet: fc.Arbitrary<Claimant> = fc.record({
  uid: fc.constant('set'),
  isDeleting: fc.boolean(),
  selector: anyLabels.map((matchLabels) => ({ matchLabels })),
  isFaulty: fc.boolean(),
});
const anyMachine: fc.Arbitrary<Claimed> = fc.record(
  {
    controllerUid: fc.constantFrom('set', 'other'),
    isDeleting: fc.boolean(),
    labels: anyLabels,
  },
  { requiredKeys: ['isDeleting', 'labels'] },
);

/** The machine as the claim leaves it. */
function settled({ controllerUid: _before, ...machine }: Claimed, action: string): Claimed {
  return action === 'adopt' ? { ...machine, controllerUid: 'set' } : machine;
}

test('a claim is settled by one write: what was adopted is kept, what was let go is not taken again', () => {
  fc.assert(
    fc.property(anySet, anyMachine, (claimant, machine) => {
      const { action } = planClaim(claimant, machine);
      fc.pre(action === 'adopt' || action === 'release');
      const next = planClaim(claimant, settled(machine, action)).action;
      expect(next).toBe(action === 'adopt' ? 'keep' : 'leave');
    }),
  );
});

test('no machine is adopted or released while the set goes, its spec is wrong, or another object owns the machine', () => {
  fc.assert(
    fc.property(anySet, anyMachine, (claimant, machine) => {
      const isForeign = machine.controllerUid === 'other';
      fc.pre(claimant.isDeleting || claimant.isFaulty || isForeign);
      expect(['keep', 'leave']).toContain(planClaim(claimant, machine).action);
    }),
  );
});

const where = (operator: string, key: string, values?: string[]) => ({
  matchExpressions: [{ operator, key, ...(values && { values }) }],
});

test.each([
  { name: 'that it matches', given: selector, isFine: true },
  { name: 'that nothing is asked of', given: {}, isFine: true },
  { name: 'that an expression matches', given: where('In', 'pool', ['a']), isFine: true },
  { name: 'that an expression refuses', given: where('NotIn', 'pool', ['a']), isFine: false },
  { name: 'without a label that it asks for', given: where('Exists', 'zone'), isFine: false },
])('a template $name: fine is $isFine', ({ given, isFine }) => {
  expect(selectorFaults(given, { pool: 'a' })).toHaveLength(isFine ? 0 : 1);
});

describe('a selector that no list takes', () => {
  const has = { matchLabels: { pool: 'a' } };
  const wants = (key: string, operator: string, values?: string[]) => ({
    ...has,
    matchExpressions: [{ key, operator, ...(values && { values }) }],
  });

  test.each([
    [{ matchLabels: { 'a b': 'c' } }, 'spec.selector.matchLabels: Invalid value: "a b"'],
    [{ matchLabels: { a: 'c d' } }, 'spec.selector.matchLabels: Invalid value: "c d"'],
    [{ matchLabels: { 'a/b/c': 'd' } }, 'spec.selector.matchLabels: Invalid value: "a/b/c"'],
    [wants('', 'Exists'), 'spec.selector.matchExpressions[0].key: Invalid value: ""'],
    [wants('a', 'Gt', ['1']), 'spec.selector.matchExpressions[0].operator: Invalid value: "Gt"'],
    [wants('a', 'NotIn', []), 'spec.selector.matchExpressions[0].values: Required value'],
    [wants('a', 'NotIn', [',']), 'spec.selector.matchExpressions[0].values: Invalid value: ","'],
  ])('%j has a fault that names the field', (wrong, fault) => {
    const labels = { pool: 'a', ...wrong.matchLabels };
    expect(selectorFaults(wrong, labels)).toEqual([expect.stringContaining(fault)]);
  });

  test.each([has, wants('example.com/a', 'DoesNotExist'), wants('b', 'NotIn', ['c', ''])])(
    '%j has none',
    (right) => {
      expect(selectorFaults(right, { pool: 'a' })).toEqual([]);
    },
  );
});
