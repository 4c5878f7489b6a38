import { ApplicationFailure } from '@temporalio/common';
import type { OrphanCheck } from '../../../workflows/contracts/safety-activities.ts';
import type { ScopeListing, Suspect } from '../../../workflows/plan/safety/orphan-sweep.ts';
import type { OrphanReport } from '../../../workflows/safety/orphans.ts';
import { CallLog } from '../../support/call-log.ts';
import { TemporalForTests } from '../../support/temporal.ts';

const temporal = TemporalForTests.ofFile();

const suspect = (id: string): Suspect => ({
  providerID: id,
  machineName: `machine-${id}`,
  because: 'noMachine',
  provider: 'virtual',
  className: 'small',
});

const found: ScopeListing = {
  provider: 'virtual',
  className: 'small',
  classCount: 2,
  kept: { claimed: 3, creating: 1 },
  suspects: [suspect('i-1'), suspect('i-2')],
  omitted: 0,
};

/** The first run of all: there is no result of one before. The e2e tests have more. */
async function firstRun(
  name: string,
  check: Partial<OrphanCheck> & { tells?: () => Promise<void> },
  listing: () => Promise<ScopeListing[]>,
): Promise<{ log: CallLog; report: OrphanReport }> {
  const { tells = async () => {}, ...changes } = check;
  const log = new CallLog();
  const kube = log.record({
    findProviders: async () => ['virtual'],
    reportOrphans: tells,
    reportCredentials: tells,
    signalMissingInstances: tells,
  });
  const driver = log.record({ findOrphans: listing });
  const rules = { mode: 'delete', maxDeletions: 2, minAgeSeconds: 600 } as const;
  const input: OrphanCheck = { namespace: name, cluster: 'c', ...rules, ...changes };
  return await temporal.withWorkers(name, { kube, driver }, async () => {
    const report: OrphanReport = await temporal.client.workflow.execute('safetyOrphans', {
      taskQueue: name,
      workflowId: name,
      args: [input],
    });
    return { log, report };
  });
}

test('a first run suspects and deletes nothing', async () => {
  const { log, report } = await firstRun('first', {}, async () => [found]);
  expect(report).toMatchObject({
    mode: 'delete',
    listings: 1,
    kept: { total: 4, claimed: 3, creating: 1 },
    suspected: 2,
    confirmed: 0,
    suspects: [{ providerID: 'i-1' }, { providerID: 'i-2' }],
    deleted: [],
    errors: [],
  });
  expect(log.inputsOf('findOrphans')).toEqual([
    { namespace: 'first', cluster: 'c', provider: 'virtual', minAgeSeconds: 600 },
  ]);
  expect(log.names()).toEqual(['findProviders', 'findOrphans']);
});

test('too many suspects are reported on the class', async () => {
  const { log, report } = await firstRun('many', { maxDeletions: 1 }, async () => [found]);
  const message = expect.stringContaining('2 instances have no Machine');
  expect(report.stopped).toEqual(message);
  expect(log.inputsOf('reportOrphans')).toEqual([
    { namespace: 'many', deleted: [], stopped: { className: 'small', message } },
  ]);
});

test('a provider that does not answer is an error of the report, not of the run', async () => {
  const { report } = await firstRun('broken', {}, () =>
    Promise.reject(ApplicationFailure.nonRetryable('out of order')),
  );
  expect(report).toMatchObject({
    suspected: 0,
    errors: [{ where: 'provider virtual', message: 'out of order' }],
  });
});

const refuses = (): Promise<void> => Promise.reject(ApplicationFailure.nonRetryable('forbidden'));

test('a listing that was refused is reported on the classes, and costs no report when it cannot be', async () => {
  const credentials = { classNames: ['small'], refusal: 'PermissionDenied: no' };
  const refusedLook = { ...found, suspects: [], error: 'PermissionDenied: no', credentials };
  const listings = async (): Promise<ScopeListing[]> => [refusedLook, found];
  const { log } = await firstRun('told', {}, listings);
  expect(log.inputsOf('reportCredentials')).toEqual([{ namespace: 'told', news: [credentials] }]);
  const { report } = await firstRun('untold', { tells: refuses }, listings);
  expect(report).toMatchObject({ suspected: 2, errors: [{ message: 'PermissionDenied: no' }] });
});

test('Events that cannot be written do not cost the report', async () => {
  const { report } = await firstRun('mute', { maxDeletions: 1, tells: refuses }, async () => [
    found,
  ]);
  expect(report).toMatchObject({
    suspected: 2,
    errors: [{ where: 'Events', message: 'forbidden' }],
  });
});

/** One of a zone, each with two machines. */
function zoneWithout(zone: string, count: number): ScopeListing {
  const missing = Array.from({ length: count }, (_, index) => {
    const name = `${zone}-${index}`;
    return { name, uid: `uid-of-${name}`, providerID: `gce:///p/${zone}/${name}` };
  });
  const search = { machines: 2, unlisted: count, asked: count, missing };
  const listing = { ...found, className: zone, suspects: [], owned: 2 };
  return count === 0 ? listing : { ...listing, missing: search };
}

const allGone = async () => ['a', 'b', 'c'].map((zone) => zoneWithout(zone, 2));

test('most machines of all zones are gone: no machine is signalled, as with credentials of another account', async () => {
  const { log, report } = await firstRun('account', {}, allGone);
  const [told] = log.inputsOf('signalMissingInstances');
  const message = expect.stringContaining('6 of 6 machines of provider virtual');
  const stopped = ['a', 'b', 'c'].map((className) => ({ className, message }));
  expect(told).toEqual({ namespace: 'account', missing: [], stopped });
  expect(report.missing).toMatchObject({ total: 6, stopped });
});

const someGone = async () => [zoneWithout('a', 2), zoneWithout('b', 1), zoneWithout('c', 0)];

test('of machines that are gone in one zone of several each is signalled', async () => {
  const { log } = await firstRun('zone', {}, someGone);
  const names = ['a-0', 'a-1', 'b-0'].map((name) => expect.objectContaining({ name }));
  expect(log.inputsOf('signalMissingInstances')).toMatchObject([{ missing: names, stopped: [] }]);
});
