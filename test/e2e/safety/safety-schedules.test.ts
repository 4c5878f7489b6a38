/** The schedules of the checks: made by the worker, steered by people. */
import type { ScheduleHandle } from '@temporalio/client';
import { Client, Connection, ScheduleOverlapPolicy } from '@temporalio/client';
import { readCommandLine } from '../../../workers/config/config.ts';
import { createLogger } from '../../../workers/log/logger.ts';
import { checksOf } from '../../../workers/checks/checks.ts';
import { ensureSchedules } from '../../../workers/checks/schedules.ts';
import type { SafetyReport } from '../../../workflows/contracts/safety-activities.ts';
import { scheduleIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import { runCheck, untilScheduled } from '../support/checks.ts';
import { eventually } from '../../support/eventually.ts';
import { useScenario } from '../support/scenario.ts';
import { idleActivities } from '../../support/idle-actions.ts';
import { testStack } from '../support/test-stack.ts';

const everyOf = ({ spec }: { spec: { intervals?: { every: unknown }[] } }): unknown[] =>
  spec.intervals?.map(({ every }) => every) ?? [];

/** What a worker does to the schedules at its start, and no worker. */
function installWithoutWorker(name: string) {
  const connection = Connection.lazy({ address: testStack().temporalAddress });
  const client = new Client({ connection });
  const command = readCommandLine({
    component: 'worker',
    argv: [`--namespace=${name}`, '--log-level=error'],
    env: {},
  });
  if (command.kind !== 'run') throw new Error(command.text);
  const identity = { cluster: 'any', name, taskQueue: `millwright/any/${name}` };
  const settings = { ...command.config, namespace: name, identity };
  const log = createLogger({ component: 'worker', ...command.config.log });
  const scheduleOf = (check: string): ScheduleHandle =>
    client.schedule.getHandle(scheduleIdOf(check, { name }));
  return {
    start: () => ensureSchedules(client, settings, log),
    scheduleOf,
    async end() {
      for (const { name: check } of checksOf(settings)) await scheduleOf(check).delete();
      await connection.close();
    },
  };
}

/** A check starts no runs by itself: rounds do. */
const yearMs = 365 * 86_400_000;

describe('the schedule of a check', () => {
  const workerFlags: string[] = [];
  const scenario = useScenario('schedules', { isDoubled: false, workerFlags });
  const { workflows, namespace, operator } = scenario;
  const orphans = workflows.scheduleOf('orphans');

  test('is made by the worker, and says what it is', async () => {
    const { spec, action, policies, state } = await untilScheduled(workflows, 'orphans');
    expect(everyOf({ spec })).toEqual([yearMs]);
    expect(action).toMatchObject({
      workflowType: 'safetyOrphans',
      staticSummary: `Instances without a Machine in ${namespace}`,
      args: [{ namespace, mode: 'delete', maxDeletions: 10, minAgeSeconds: 600 }],
    });
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: yearMs });
    expect(state.paused).toBe(false);
    await untilScheduled(workflows, 'unmanaged-nodes');
  });

  test('is made by several workers that start at once', async () => {
    const { start, scheduleOf, end } = installWithoutWorker(`${namespace}-2`);
    await Promise.all([start(), start(), start()]);
    for (const check of ['orphans', 'unmanaged-nodes']) {
      expect((await scheduleOf(check).describe()).info.lastUpdatedAt).toBeUndefined();
    }
    await end();
  });

  test('starts no more runs after one that no worker took, until there is a worker', async () => {
    const { start, scheduleOf, end } = installWithoutWorker(`${namespace}-3`);
    await start();
    const overshoot = scheduleOf('overshoot');
    await overshoot.update(({ spec, action, policies, state }) => ({
      spec,
      action: { ...action, workflowExecutionTimeout: '1s' },
      policies,
      state,
    }));
    // The result of a run with another policy is nothing to the Schedule.
    await overshoot.trigger(ScheduleOverlapPolicy.SKIP);
    await eventually('Temporal has paused it', async () => {
      const { state } = await overshoot.describe();
      return expect(state.paused).toBe(true);
    });
    await start();
    const { state } = await overshoot.describe();
    expect(state).toMatchObject({ paused: false, note: 'resumed by a worker' });
    await end();
  });

  test('the schedule of a check that is started by hand runs at once, and its run is a small page', async () => {
    const run = await runCheck(workflows, 'orphans');
    const { workflowId } = run;
    expect(workflowId).toMatch(new RegExp(`^safety/orphans/${namespace}-\\d{4}-`));
    const description = await run.describe();
    expect(await description.staticSummary()).toBe(`Instances without a Machine in ${namespace}`);
    expect(description.historyLength).toBeLessThan(30);
    expect(description.priority).toMatchObject({ priorityKey: 1 });
    expect(description.memo).toEqual({ heartbeatSeconds: 4 });
    const page: { currentDetails?: string } = await run.query('__temporal_workflow_metadata');
    expect(page.currentDetails).toContain('### Instances without a Machine');
    await eventually('a search finds it', async () => {
      const found = await workflows.list('WorkflowType="safetyOrphans"');
      expect(found.map((info) => info.workflowId)).toContain(workflowId);
    });
  });

  test.each(Object.entries(idleActivities))(
    'a run of %s that finds nothing has %i activities',
    async (check, activities) => {
      const run = await runCheck(workflows, check);
      const { events = [] } = await run.fetchHistory();
      const scheduled = events?.filter((event) => event.activityTaskScheduledEventAttributes);
      expect(scheduled).toHaveLength(activities);
    },
  );

  test('stays as it is when a worker with the same flags starts', async () => {
    const { info } = await orphans.describe();
    await operator.kill9('worker');
    // The first check of the table comes before the second.
    await workflows.scheduleOf('unmanaged-nodes').delete();
    await untilScheduled(workflows, 'unmanaged-nodes');
    expect((await orphans.describe()).info.lastUpdatedAt).toEqual(info.lastUpdatedAt);
  });

  test('follows the flags of the worker, and stays paused with its note', async () => {
    await orphans.pause('looking into it (Kim)');
    workerFlags.push('--safety-orphans-max-deletions=7');
    await operator.kill9('worker');
    const { state } = await eventually('its runs get the new limit', async () => {
      const description = await orphans.describe();
      expect(description.action.args).toMatchObject([{ maxDeletions: 7 }]);
      return description;
    });
    expect(state).toMatchObject({ paused: true, note: 'looking into it (Kim)' });
    await orphans.unpause('all is well');
  });
});

describe('the schedule of the rounds', () => {
  const workerFlags: string[] = [];
  const scenario = useScenario('rounds-schedule', { isDoubled: false, workerFlags });
  const { workflows, namespace, operator } = scenario;
  const rounds = workflows.scheduleOf('all');

  test('starts a round each minute, which is for the install', async () => {
    const { spec, action } = await untilScheduled(workflows, 'all');
    expect(everyOf({ spec })).toEqual([60_000]);
    expect(action).toMatchObject({
      workflowType: 'safety',
      staticSummary: `Safety checks of install ${namespace}`,
      args: [{ everySeconds: 60 }],
    });
  });

  test('starts one by hand, which checks everything and says what it found', async () => {
    // One that begins in the second of an interval is taken for a regular one.
    const { run, report } = await eventually('a round by hand', async () => {
      const byHand = await runCheck(workflows, 'all');
      const result: SafetyReport = await byHand.result();
      expect(result).toMatchObject({ namespaces: 1, made: 5, postponed: 0 });
      return { run: byHand, report: result };
    });
    const page: { currentDetails?: string } = await run.query('__temporal_workflow_metadata');
    expect(page.currentDetails).toContain('### 5 checks of 1 namespaces');
    for (const { check } of report.last[0]?.checks ?? [])
      expect(page.currentDetails).toContain(`\`${check}\` at 20`);
    const { events = [] } = await run.fetchHistory();
    const scheduled = events?.filter((event) => event.activityTaskScheduledEventAttributes);
    expect(scheduled).toHaveLength(1);
  });

  test('follows the shortest period of the flags when a worker starts', async () => {
    workerFlags.push('--machine-safety-overshooting-period=40s');
    await operator.kill9('worker');
    await eventually('rounds come every 40 s', async () => {
      expect(everyOf(await rounds.describe())).toEqual([40_000]);
    });
  });
});
