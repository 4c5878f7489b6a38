import fc from 'fast-check';
import type {
  ScopeListing,
  Suspect,
  SweepInput,
  TrackedSuspect,
} from '../../../../workflows/plan/safety/orphan-sweep.ts';
import { planSweep } from '../../../../workflows/plan/safety/orphan-sweep.ts';

const now = 10_000_000;
const minAgeSeconds = 600;
const rules = { mode: 'delete', maxDeletions: 2, minAgeSeconds } as const;

const suspect = (id: string, provider = 'virtual'): Suspect => ({
  providerID: id,
  machineName: `machine-${id}`,
  because: 'noMachine',
  provider,
  className: 'small',
});

const listing = (suspects: Suspect[], changes: Partial<ScopeListing> = {}): ScopeListing => ({
  provider: 'virtual',
  className: 'small',
  classCount: 1,
  kept: {},
  suspects,
  omitted: 0,
  ...changes,
});

const since = (one: Suspect, secondsAgo: number): TrackedSuspect => ({
  ...one,
  firstSeen: now - secondsAgo * 1_000,
});

const plan = (changes: Partial<SweepInput>) =>
  planSweep({ listings: [], earlier: [], rules, now, ...changes });

const idsOf = (some: readonly Suspect[]): string[] => some.map(({ providerID }) => providerID);

describe('two looks', () => {
  const one = suspect('i-1');

  test.each([
    { secondsAgo: 599, expected: [] },
    { secondsAgo: 600, expected: ['i-1'] },
  ])('the second, $secondsAgo s later, deletes $expected', ({ secondsAgo, expected }) => {
    const earlier = [since(one, secondsAgo)];
    const { deletions, suspects } = plan({ listings: [listing([one])], earlier });
    expect(idsOf(deletions)).toEqual(expected);
    // The first look counts, not the last.
    expect(suspects).toEqual(earlier);
  });

  test('with a look between them that cleared it begin anew', () => {
    const cleared = plan({ listings: [listing([])], earlier: [since(one, 900)] });
    expect(cleared.suspects).toEqual([]);
    const again = plan({ listings: [listing([one])], earlier: cleared.suspects });
    expect(again.deletions).toEqual([]);
  });

  test('with a failed listing between them go on where they were', () => {
    const earlier = [since(one, 900), since(suspect('i-2', 'other'), 900)];
    const failed = plan({ listings: [listing([], { error: 'no' })], earlier });
    // The other provider was looked at, or has no class any more.
    expect(failed).toMatchObject({ suspects: [earlier[0]], confirmed: [], deletions: [] });
    const next = plan({ listings: [listing([one])], earlier: failed.suspects });
    expect(idsOf(next.deletions)).toEqual(['i-1']);
  });
});

test('what two credentials reach is one instance', () => {
  const both = [listing([suspect('i-1')]), listing([suspect('i-1')], { className: 'large' })];
  expect(plan({ listings: both })).toMatchObject({ suspectedCount: 1, suspects: [{}] });
});

test('report mode confirms and deletes nothing, however many there are', () => {
  const many = ['i-1', 'i-2', 'i-3'].map((id) => suspect(id));
  const earlier = many.map((one) => since(one, 900));
  const reported = plan({
    listings: [listing(many)],
    earlier,
    rules: { ...rules, mode: 'report' },
  });
  expect(reported.confirmed).toHaveLength(3);
  expect(reported.deletions).toEqual([]);
  expect(reported.stopped).toBeUndefined();
});

test.each([
  { count: 2, omitted: 0, deleted: 2 },

  { count: 2, omitted: 1, deleted: 0 },
])('of $count suspects and $omitted more, with 2 allowed, $deleted are deleted', (row) => {
  const some = Array.from({ length: row.count }, (_, index) => suspect(`i-${index}`));
  const earlier = some.map((one) => since(one, 900));
  const result = plan({ listings: [listing(some, { omitted: row.omitted })], earlier });
  expect(result.deletions).toHaveLength(row.deleted);
  expect(result.stopped !== undefined).toBe(row.deleted === 0);
});

describe('properties', () => {
  const anySuspect = fc
    .constantFrom('i-1', 'i-2', 'i-3', 'i-4')
    .chain((id) => fc.constantFrom('virtual', 'other').map((provider) => suspect(id, provider)));
  const anyLook = fc
    .record({
      provider: fc.constantFrom('virtual', 'other'),
      suspects: fc.array(anySuspect, { maxLength: 4 }),
      omitted: fc.constantFrom(0, 0, 5),
      fails: fc.boolean(),
    })
    .map(({ provider, suspects, omitted, fails }) =>
      fails ? listing([], { provider, error: 'no' }) : listing(suspects, { provider, omitted }),
    );
  const anyInput: fc.Arbitrary<SweepInput> = fc.record({
    listings: fc.array(anyLook, { maxLength: 4 }),
    earlier: fc.array(
      fc.tuple(anySuspect, fc.integer({ min: 0, max: 2_000 })).map(([one, ago]) => since(one, ago)),
      { maxLength: 4 },
    ),
    rules: fc.record({
      mode: fc.constantFrom('delete', 'report'),
      maxDeletions: fc.integer({ min: 0, max: 5 }),
      minAgeSeconds: fc.constantFrom(0, 600),
    }),
    now: fc.constant(now),
  });

  test('what is deleted was seen now and before, long enough ago, and is within the bound', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { deletions } = planSweep(input);
        const seen = new Set(input.listings.flatMap(({ suspects }) => idsOf(suspects)));
        const before = new Set(idsOf(input.earlier));
        const { mode, maxDeletions } = input.rules;
        expect(deletions.length).toBeLessThanOrEqual(mode === 'report' ? 0 : maxDeletions);
        for (const { providerID, firstSeen } of deletions) {
          expect(seen.has(providerID) && before.has(providerID)).toBe(true);
          expect(now - firstSeen).toBeGreaterThanOrEqual(input.rules.minAgeSeconds * 1_000);
        }
      }),
    );
  });

  test('the order of the looks is of no matter', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const turned = planSweep({ ...input, listings: input.listings.toReversed() });
        expect(idsOf(turned.deletions)).toEqual(idsOf(planSweep(input).deletions));
      }),
    );
  });
});

describe('while the listing of one class fails', () => {
  const one = { ...suspect('i-1'), className: 'healthy' };
  const failed = listing([], {
    className: 'revoked',
    error: 'Unauthenticated',
    unlistedClasses: ['revoked'],
  });
  const healthy = (suspects: Suspect[], changes: Partial<ScopeListing> = {}): ScopeListing =>
    listing(suspects, { className: 'healthy', ...changes });

  test('a suspect of another class, which its own listing clears, starts from zero', () => {
    const earlier = [since(one, 86_400)];
    const { suspects } = plan({ listings: [failed, healthy([])], earlier });
    expect(suspects).toEqual([]);
    const again = plan({ listings: [failed, healthy([one])], earlier: suspects });
    expect({ suspects: again.suspects, deletions: again.deletions }).toEqual({
      suspects: [{ ...one, firstSeen: now }],
      deletions: [],
    });
  });

  test('a suspect of the failed class that another listing clears starts from zero', () => {
    const earlier = [since({ ...one, className: 'revoked' }, 86_400)];
    const listings = [failed, healthy([], { cleared: ['i-1'] })];
    expect(plan({ listings, earlier }).suspects).toEqual([]);
  });

  test('its suspects count against the bound, so that the others are not deleted', () => {
    const lost = ['i-2', 'i-3'].map((id) => ({ ...suspect(id), className: 'revoked' }));
    const earlier = [one, ...lost].map((each) => since(each, 86_400));
    const result = plan({ listings: [failed, healthy([one])], earlier });
    expect(result).toMatchObject({ suspectedCount: 3, deletions: [] });
    expect(result.stopped).toContain('3 instances have no Machine');
  });

  test('a provider that did not answer at all clears none of its suspects', () => {
    const silent = listing([], { className: '', error: 'no answer' });
    expect(idsOf(plan({ listings: [silent], earlier: [since(one, 60)] }).suspects)).toEqual([
      'i-1',
    ]);
  });
});
