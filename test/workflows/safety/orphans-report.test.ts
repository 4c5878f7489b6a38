import type { OrphanCheck, OrphanOutcome } from '../../../workflows/contracts/safety-activities.ts';
import type { ScopeListing, Suspect } from '../../../workflows/plan/safety/orphan-sweep.ts';
import { planSweep } from '../../../workflows/plan/safety/orphan-sweep.ts';
import { detailsOf, reportOf, suspectsIn } from '../../../workflows/safety/orphans.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const check: OrphanCheck = {
  namespace: 'shoot',
  cluster: 'c',
  mode: 'delete',
  maxDeletions: 10,
  minAgeSeconds: 600,
};

const suspect = (id: string): Suspect => ({
  providerID: id,
  machineName: `machine-${id}`,
  because: id.endsWith('surplus') ? 'surplus' : 'noMachine',
  provider: 'virtual',
  className: 'small',
});

const lookAt = (ids: string[], changes: Partial<ScopeListing> = {}): ScopeListing => ({
  provider: 'virtual',
  className: 'small',
  classCount: 1,
  kept: {},
  suspects: ids.map(suspect),
  omitted: 0,
  ...changes,
});

function run(listings: ScopeListing[], outcomes: Record<string, OrphanOutcome> = {}) {
  const earlier = listings
    .flatMap(({ suspects }) => suspects)
    .map((one) => ({ ...one, firstSeen: now - 900_000 }));
  const plan = planSweep({ listings, earlier, rules: check, now });
  return reportOf({ check, listings, plan, outcomes: new Map(Object.entries(outcomes)) });
}

test('what is deleted, gone or has a Machine is suspected no more; what failed is', () => {
  const outcomes: Record<string, OrphanOutcome> = {
    'i-1': { outcome: 'deleted' },
    'i-2': { outcome: 'gone' },
    'i-3': { outcome: 'kept', because: 'creating' },
    'i-4': { outcome: 'failed', message: 'Internal: no' },
  };
  const report = run([lookAt(Object.keys(outcomes))], outcomes);
  expect(report).toMatchObject({
    suspected: 4,
    confirmed: 4,
    deleted: [{ providerID: 'i-1', machineName: 'machine-i-1', because: 'noMachine' }],
    errors: [{ where: 'i-4', message: 'Internal: no' }],
  });
  expect(report.suspects).toEqual([{ ...suspect('i-4'), firstSeen: '2026-01-01T00:45:00.000Z' }]);
});

test('kept instances are counted over all listings', () => {
  const listings = [
    lookAt([], { kept: { claimed: 2 } }),
    lookAt([], { kept: { claimed: 1, young: 1 } }),
  ];
  expect(run(listings).kept).toEqual({ total: 4, claimed: 3, young: 1 });
});

test('a report is bounded', () => {
  const ids = Array.from({ length: 300 }, (_, index) => `i-${index}`);
  const broken = Array.from({ length: 50 }, () => lookAt([], { error: 'x'.repeat(5_000) }));
  const report = run([lookAt(ids, { omitted: 40 }), ...broken]);
  expect(report.suspected).toBe(340);
  expect(report.suspects).toHaveLength(200);
  expect(report.errors).toHaveLength(20);
  expect(JSON.stringify(report).length).toBeLessThan(60_000);
  expect(detailsOf(check, report).length).toBeLessThan(20_000);
});

test('the page says what was found, what was done and what comes next', () => {
  const listings = [
    lookAt(['i-1', 'i-2-surplus'], { kept: { claimed: 3 } }),
    lookAt([], { error: 'no' }),
  ];
  const outcomes: Record<string, OrphanOutcome> = { 'i-1': { outcome: 'deleted' } };
  expect(detailsOf(check, run(listings, outcomes)).split('\n')).toEqual([
    '### Instances without a Machine in shoot: 2',
    '- **Kept:** 3 (3 claimed), in 2 listings',
    '- **Deleted** `i-1`: there is no Machine machine-i-1',
    '- **Suspected** since 2026-01-01T00:45:00.000Z `i-2-surplus`: Machine machine-i-2-surplus has another instance',
    '- **Failed** at provider virtual, MachineClass small: no',
    '- **Next:** the next run deletes those that it still suspects after the minimum age',
  ]);
});

describe('the result of the run before', () => {
  test('is read as it was written', () => {
    const report = run([lookAt(['i-1'])]);
    const read: unknown = JSON.parse(JSON.stringify(report));
    expect(suspectsIn(read)).toEqual([{ ...suspect('i-1'), firstSeen: now - 900_000 }]);
  });

  test.each([
    { lastResult: undefined },
    { lastResult: null },
    { lastResult: 'text' },
    { lastResult: {} },
    { lastResult: { suspects: 1 } },
    { lastResult: { suspects: [1, null, {}, { ...suspect('i-1'), firstSeen: 'once' }] } },
  ])('of another form is no suspicion: %j', ({ lastResult }) => {
    expect(suspectsIn(lastResult)).toEqual([]);
  });
});
