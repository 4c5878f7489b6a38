import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { OrphanCheck, OrphanOutcome } from '../../workflows/activities.ts';
import type { ScopeLook, Suspect } from '../../workflows/plan/orphan-sweep.ts';
import { suspectsIn } from '../../workflows/safety-orphans-report.ts';
import { CallLog } from '../support/call-log.ts';
import { TemporalForTests } from '../support/temporal.ts';

let temporal: TemporalForTests;
beforeAll(async () => {
  temporal = await TemporalForTests.start();
}, 60_000);
afterAll(() => temporal.stop());

const suspect = (id: string): Suspect => ({
  providerID: id,
  machineName: `machine-${id}`,
  because: 'noMachine',
  provider: 'local',
  className: 'small',
});

const look = (ids: string[]): ScopeLook => ({
  provider: 'local',
  className: 'small',
  classCount: 2,
  kept: { claimed: 3, creating: 1 },
  suspects: ids.map(suspect),
  omitted: 0,
});

interface Cloud {
  looks?: () => Promise<ScopeLook[]>;
  outcomes?: Record<string, OrphanOutcome>;
}

/** Every 15 minutes, as a schedule does it: each run gets the result of the one before. */
async function withRuns(
  name: string,
  check: Partial<OrphanCheck>,
  cloud: Cloud,
): Promise<{ log: CallLog; reports: unknown[]; failure?: unknown }> {
  const log = new CallLog();
  const { looks = async () => [look(['i-1', 'i-2'])], outcomes = {} } = cloud;
  const kube = log.record({
    findProviders: async () => ['local'],
    tellOfOrphans: async () => {},
  });
  const driver = log.record({
    lookForOrphans: looks,
    deleteOrphan: async ({ suspect: { providerID } }: { suspect: Suspect }) =>
      outcomes[providerID] ?? { outcome: 'deleted' },
  });
  const input: OrphanCheck = {
    namespace: name,
    cluster: 'c',
    mode: 'delete',
    maxDeletions: 2,
    minAgeSeconds: 600,
    ...check,
  };
  const reports: unknown[] = [];
  await temporal.withWorkers(name, { kube, driver }, async () => {
    const handle = await temporal.client.workflow.start('safetyOrphans', {
      taskQueue: name,
      workflowId: name,
      args: [input],
      cronSchedule: '*/15 * * * *',
    });
    for (let runs = 0, runId = handle.firstExecutionRunId; runs < 2; runs += 1) {
      await temporal.skip(900);
      const run = temporal.client.workflow.getHandle(name, runId, { followRuns: false } as never);
      const { events = [] } = await run.fetchHistory();
      const end = events?.at(-1)?.workflowExecutionCompletedEventAttributes;
      const data = end?.result?.payloads?.[0]?.data;
      reports.push(data && JSON.parse(Buffer.from(data).toString()));
      runId = end?.newExecutionRunId ?? runId;
    }
    await temporal.end(name);
  });
  return { log, reports };
}

test('two runs that agree: what the first suspects the second deletes, and says so', async () => {
  const outcomes: Record<string, OrphanOutcome> = {
    'i-2': { outcome: 'failed', message: 'Internal: no' },
  };
  const { log, reports } = await withRuns('agree', {}, { outcomes });
  expect(reports).toMatchObject([
    {
      suspected: 2,
      confirmed: 0,
      deleted: [],
      kept: { total: 4, claimed: 3, creating: 1 },
      suspects: [{ providerID: 'i-1' }, { providerID: 'i-2' }],
    },
    {
      suspected: 2,
      confirmed: 2,
      deleted: [{ providerID: 'i-1', because: 'noMachine' }],
      suspects: [{ providerID: 'i-2' }],
      errors: [{ where: 'i-2', message: 'Internal: no' }],
    },
  ]);
  expect(log.inputsOf('tellOfOrphans')).toMatchObject([
    { namespace: 'agree', deleted: [{ providerID: 'i-1', className: 'small' }] },
  ]);
});

test('too many: nothing is deleted, and the class says why', async () => {
  const { log, reports } = await withRuns('many', { maxDeletions: 1 }, {});
  expect(reports[1]).toMatchObject({ confirmed: 2, deleted: [] });
  expect(reports[1]).toHaveProperty('stopped');
  expect(log.count('deleteOrphan')).toBe(0);
  expect(log.inputsOf('tellOfOrphans')[0]).toMatchObject({
    deleted: [],
    stopped: { className: 'small' },
  });
});

test('a provider that nobody serves is an error of the report, not of the run', async () => {
  let looked = 0;
  const looks = async (): Promise<ScopeLook[]> => {
    looked += 1;
    if (looked > 1) throw new Error('broken');
    return [look(['i-1'])];
  };
  const { reports } = await withRuns('broken', {}, { looks });
  expect(reports[0]).toMatchObject({ suspected: 1 });
  expect(looked).toBeGreaterThan(1);
});

test.each([undefined, null, 'text', {}, { suspects: 1 }, { suspects: [1, null, {}] }])(
  'a last result of another form is no suspicion: %j',
  (lastResult) => {
    expect(suspectsIn(lastResult)).toEqual([]);
  },
);
