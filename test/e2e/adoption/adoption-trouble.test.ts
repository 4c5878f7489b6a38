/**
 * Takes over from MCM v0.62.1 where something is in the way: a cloud that refuses, a budget that
 * allows no eviction, a deletion.
 */
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { eventually } from '../../support/eventually.ts';
import { untilGone, untilPhase } from '../support/machines.ts';
import { useTakeover } from '../support/mcm-takeover.ts';
import type { Scenario } from '../support/scenario.ts';

/** The cloud goes on to say what it said to MCM. */
async function refuseCreates({ cloud, namespace }: Scenario): Promise<void> {
  await cloud.addFault({
    match: `${namespace}-quota-*`,
    kind: 'quota',
    message: 'quota of 0 instances exceeded in zone a',
  });
  await cloud.addFault({
    match: `${namespace}-forbidden-*`,
    operation: 'create',
    kind: 'error',
    code: 'PermissionDenied',
    message: 'credentials are not allowed to create instances',
  });
}

const isRefused = (name: string): boolean => /-(quota|forbidden)-/.test(name);

describe('what MCM left at 07-create-errors', () => {
  const takeover = useTakeover('adopt07', '07-create-errors', {
    workerFlags: ['--resource-exhausted-retry=1s'],
  });
  const { scenario } = takeover;

  test('goes on to be tried with the same Machines, and succeeds once the cloud allows it', async () => {
    await refuseCreates(scenario);
    await takeover.begin();
    const before = takeover.machineNames.filter(isRefused);
    await eventually('each create was tried twice', async () => {
      const calls = await scenario.cloud.happenings();
      const tried = calls.filter(({ operation }) => operation === 'create');
      const counts = before.map((name) => tried.filter((call) => call.name === name).length);
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(2);
    });
    // The cluster autoscaler reads errorCode ResourceExhausted, which must not vanish with each
    // attempt. (A refused attempt is counted in an annotation.)
    const writes = await takeover.writesOn('machines');
    expect(writes.filter((line) => line.includes('/status'))).toEqual([]);
    await takeover.untilAsIn(takeover.recording);
    expect(await takeover.machines()).toEqual(takeover.remaining());
    await scenario.cloud.clearFaults();
    for (const name of before) await untilPhase(scenario, name, 'Running');
    expect(await takeover.machines()).toEqual(takeover.remaining());
    expect(takeover.everyMachine).toEqual(takeover.machineNames);
    expect(await takeover.instances()).toEqual({ created: takeover.machineNames, deleted: [] });
    expect(await takeover.sets()).toEqual(takeover.handedOverSets);
    await eventually('no failure is reported any more', async () => {
      const deployments = await scenario.cluster.deployments();
      expect(deployments.flatMap(({ status }) => status?.failedMachines ?? [])).toEqual([]);
    });
  });
});

describe('what MCM left at 08-drain-blocked-by-pdb', () => {
  const takeover = useTakeover('adopt08', '08-drain-blocked-by-pdb');
  const { scenario } = takeover;
  const { cluster, namespace } = scenario;
  const pool = scenario.named('pool').name;
  const leaving = `${pool}-77cfc-9ndsq`;
  const budget = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;

  beforeAll(async () => {
    await refuseCreates(scenario);
    // Bound by hand, as the Node is cordoned already.
    await eventually('the pod is accepted: its service account is there', async () => {
      await cluster.kube.create(namespaced('pods', namespace), {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', labels: { app: 'web' } },
        spec: { nodeName: leaving, containers: [{ name: 'app', image: 'nothing' }] },
      });
    });
    await cluster.kube.create(budget, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await eventually('the budget counts its pod', async () => {
      const { status } = await cluster.kube.get<{ status?: object }>(`${budget}/web`);
      expect(status).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
    });
  });

  test('stays Terminating while the budget is there, with a limit that runs from its deletion', async () => {
    await takeover.begin();
    await eventually('the pending drain says what is in the way', async () => {
      const failures = await scenario.workflows.pendingFailures('machine', leaving);
      expect(failures['drainNode']).toMatch(/web .*PodDisruptionBudget .*web is misconfigured/);
    });
    const { metadata, status } = await cluster.machine(leaving);
    expect(status?.currentStatus?.phase).toBe('Terminating');
    expect(status?.lastOperation?.type).toBe('Delete');
    const limit = Date.parse(metadata.deletionTimestamp ?? '') + 2 * 3_600_000;
    expect(await scenario.workflows.allHistories()).toContain(`"deadline":${limit}`);
    await expectOthersUntouched();
    expect(await takeover.instances()).toMatchObject({ deleted: [] });
  });

  test('ends when the budget is gone', async () => {
    await cluster.delete(`${budget}/web`);
    await untilGone(scenario, cluster.pathOf('machines', leaving));
    await takeover.untilAsIn(takeover.recordingOf('09-after-scale-down'), pool);
    await takeover.untilNodesAsIn(takeover.recordingOf('09-after-scale-down'));
    expect(await takeover.machines()).toEqual(takeover.remaining());
    await expectOthersUntouched();
    const created = takeover.machineNames.filter((name) => name.startsWith(pool));
    expect(await takeover.instances()).toEqual({ created, deleted: [leaving] });
  });

  async function expectOthersUntouched(): Promise<void> {
    expect(await takeover.machines()).toMatchObject(takeover.remaining());
    expect(takeover.everyMachine).toEqual(takeover.machineNames);
    expect(await takeover.sets()).toEqual(takeover.handedOverSets);
    const writes = (await takeover.writesOn('machines')).filter((line) => line.includes(pool));
    expect(writes.filter((line) => !line.includes(leaving))).toEqual([]);
  }
});

describe('what MCM left at 09-after-scale-down', () => {
  const takeover = useTakeover('adopt09', '09-after-scale-down');
  const { scenario } = takeover;
  const { cluster } = scenario;
  const pool = scenario.named('pool').name;

  test('ends what is being deleted, asks for no VM, and leaves the rest alone', async () => {
    // Nothing refuses a create: one that was sent would be seen.
    await takeover.begin();
    await eventually('only the pool is left', async () => {
      const left: KubeObject[] = [...(await cluster.deployments()), ...(await cluster.sets())];
      const names = left.map(({ metadata }) => metadata.name);
      expect(names.filter((name) => !name.startsWith(pool))).toEqual([]);
      expect(await takeover.machines()).toEqual(takeover.remaining());
    });
    await takeover.untilQuiet();
    await takeover.untilAsIn(takeover.recording, pool);
    await takeover.untilNodesAsIn(takeover.recording);
    expect(takeover.everyMachine).toEqual(takeover.machineNames);
    const created = Object.keys(takeover.remaining()).toSorted();
    expect(await takeover.instances()).toEqual({ created, deleted: [] });
    const writes = await takeover.writesOn('machines');
    expect(writes.filter((line) => line.includes(pool))).toEqual([]);
  });
});
