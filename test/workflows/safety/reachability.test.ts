import type { ReachabilityReport } from '../../../workflows/contracts/safety-activities.ts';
import type { Server } from '../../../workflows/plan/safety/reachability.ts';
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import { outageIn } from '../../../workflows/safety/reachability.ts';
import { CallLog } from '../../support/call-log.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';

const temporal = TemporalForTests.ofFile();

async function run(
  name: string,
  away: () => Server[],
  body: (log: CallLog) => Promise<void>,
): Promise<ReachabilityReport> {
  const log = new CallLog();
  const kube = log.record({ checkServers: async () => ({ away: away() }) });
  return await temporal.withWorkers(name, { kube }, async () => {
    const handle = await temporal.client.workflow.start('safetyReachability', {
      taskQueue: name,
      workflowId: name,
      args: [{ namespace: name, timeoutSeconds: 30, periodSeconds: 60 }],
    });
    await log.until('checkServers');
    await body(log);
    const report: ReachabilityReport = await resultOf(handle);
    return report;
  });
}

test('the check of reachability ends after one read when both clusters answer', async () => {
  const report = await run(
    'well',
    () => [],
    async (log) => expect(log.count('checkServers')).toBe(1),
  );
  expect(report).toMatchObject({ away: [], isFrozen: false });
});

async function attributes() {
  const { typedSearchAttributes } = await temporal.client.workflow.getHandle('away').describe();
  return [typedSearchAttributes.get(keys.Attention), typedSearchAttributes.get(keys.BlockedBy)];
}

test('an outage is found by the search after the timeout, and no more when it is over', async () => {
  let away: Server[] = ['target'];
  const report = await run(
    'away',
    () => away,
    async () => {
      expect(await attributes()).toEqual([undefined, undefined]);
      await temporal.skip(40);
      expect(await attributes()).toEqual(['external', 'frozen: target']);
      away = [];
      await temporal.skip(70);
    },
  );
  expect(report).toMatchObject({ away: [], isFrozen: false });
  expect(await attributes()).toEqual(['none', undefined]);
});

test.each([undefined, 'oops', { away: [] }, { away: ['target'], since: 'x', checkedAt: 'y' }])(
  'the result %j of the run before says nothing',
  (result) => {
    expect(outageIn(result)).toBeUndefined();
  },
);

test('a run ends before its limit: the next one goes on from its report', async () => {
  const report = await run(
    'long',
    () => ['control'],
    async () => {
      await temporal.skip(600);
    },
  );
  expect(report).toMatchObject({ away: ['control'], isFrozen: true, since: expect.any(String) });
});
