import type { ListedMachine } from '../../../../workflows/plan/safety/missing-instances.ts';
import {
  findUnlisted,
  isMassLoss,
  missingByProvider,
} from '../../../../workflows/plan/safety/missing-instances.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const scope = { classNames: new Set(['small']), listed: new Set(['i-0']) };
const rules = { now, settleSeconds: 30 };

const machine = (changes: Partial<ListedMachine> = {}): ListedMachine => ({
  name: 'a',
  uid: 'uid-a',
  className: 'small',
  phase: 'Running',
  isDeleting: false,
  createdAt: now - 60_000,
  providerID: 'local:///zone-1/i-1',
  ...changes,
});

test('a machine whose instance is not listed is to be asked for', () => {
  expect(findUnlisted([machine()], scope, rules).unlisted).toEqual([
    { name: 'a', uid: 'uid-a', providerID: 'local:///zone-1/i-1' },
  ]);
});

test.each(['InPlaceUpdating', 'InPlaceUpdateSuccessful', 'InPlaceUpdateFailed'] as const)(
  'also one that is %s: no agent answers for a machine that is gone',
  (phase) => {
    expect(findUnlisted([machine({ phase })], scope, rules).unlisted).toHaveLength(1);
  },
);

test.each<[string, Partial<ListedMachine>]>([
  ['listed, in whatever zone', { providerID: 'local:///elsewhere/i-0' }],
  ['of a class of another scope', { className: 'large' }],
  ['being deleted', { isDeleting: true }],
  ['too young', { createdAt: now - 29_000 }],
  ['Failed already', { phase: 'Failed' }],
])('a machine that is %s is not asked for', (_words, changes) => {
  expect(findUnlisted([machine(changes)], scope, rules).unlisted).toEqual([]);
});

test('a machine that has no instance yet is not asked for', () => {
  const { providerID: _none, ...creating } = machine();
  expect(findUnlisted([creating], scope, rules)).toEqual({ owned: [], unlisted: [] });
});

const missing = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `${index}`, uid: '', providerID: '' }));

describe('a mass loss', () => {
  test.each([
    { gone: 3, of: 5, isMass: true },
    { gone: 3, of: 6, isMass: false },
    { gone: 2, of: 2, isMass: false },
  ])('$gone of $of: $isMass', ({ gone, of, isMass }) => {
    const look = { machines: of, unlisted: gone, asked: gone, missing: missing(gone) };
    expect(isMassLoss(look)).toBe(isMass);
  });
});

test('what all scopes of a provider miss counts together, with those that miss none', () => {
  const lost = { machines: 2, unlisted: 2, asked: 2, missing: missing(2) };
  const zones = ['a', 'b'].map(() => ({ provider: 'gcp', owned: 2, missing: lost }));
  const well = { provider: 'gcp', owned: 3 };
  const failed = { provider: 'gcp' };
  const others = { provider: 'aws', owned: 9 };
  const ofGcp = missingByProvider([...zones, well, failed, others]).get('gcp');
  expect(ofGcp).toEqual({
    machines: 7,
    unlisted: 4,
    asked: 4,
    missing: missing(2).concat(missing(2)),
  });
  expect(ofGcp && isMassLoss(ofGcp)).toBe(true);
});
