/**
 * Instances without a Machine: two looks, then they go. Everything else stays. That they keep the
 * last class is in `safety-orphans-class`, by night.
 */
import type { OrphanReport } from '../../../workflows/safety/orphans.ts';
import { runCheck } from '../support/checks.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { classManifest, className } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';
import type { CloudInstance } from '../support/virtual-cloud.ts';

const idsOf = (instances: { providerID: string }[]): string[] =>
  instances.map(({ providerID }) => providerID).toSorted();

describe('an instance', () => {
  // The last flag of a name wins: tests add theirs and start the worker again.
  // Runs are started by hand only.
  const workerFlags = [
    '--machine-safety-orphan-vms-period=24h',
    '--safety-orphans-min-age=0s',
    '--safety-orphans-max-deletions=2',
  ];
  const scenario = useScenario('orphans', { isDoubled: false, workerFlags });
  const { cloud, cluster, workflows, namespace } = scenario;
  let ours: Record<string, string>;

  beforeAll(async () => {
    const path = '/api/v1/namespaces/kube-system';
    const { metadata } = await cluster.kube.get<{ metadata: { uid: string } }>(path);
    ours = {
      'millwright.dev/cluster': metadata.uid,
      'millwright.dev/namespace': namespace,
    };
  });

  async function listing(): Promise<OrphanReport> {
    const run = await runCheck(workflows, 'orphans');
    return await run.result();
  }

  async function orphan(name: string, tags = ours): Promise<CloudInstance> {
    return await cloud.create(scenario.named(name).name, tags);
  }

  async function withFlag(flag: string): Promise<void> {
    const { info } = await workflows.scheduleOf('orphans').describe();
    workerFlags.push(flag);
    await scenario.operator.kill9('worker');
    await eventually(`the schedule knows of ${flag}`, async () => {
      const { lastUpdatedAt } = (await workflows.scheduleOf('orphans').describe()).info;
      expect(lastUpdatedAt?.getTime() ?? 0).toBeGreaterThan(info.lastUpdatedAt?.getTime() ?? 0);
    });
  }

  test('without a Machine is suspected by the first look and deleted by the second', async () => {
    const { providerID, name } = await orphan('lost');
    const first = await listing();
    expect(first).toMatchObject({ suspected: 1, confirmed: 0, deleted: [], errors: [] });
    expect(first.suspects).toEqual([
      expect.objectContaining({ providerID, because: 'noMachine', className }),
    ]);
    expect(idsOf(await cloud.instances())).toEqual([providerID]);
    const second = await listing();
    expect(second).toMatchObject({
      suspects: [],
      deleted: [{ providerID, machineName: name, because: 'noMachine' }],
    });
    expect(await cloud.instances()).toEqual([]);
    await untilEvent(
      scenario,
      { kind: 'MachineClass', name: className },
      {
        reason: 'DeletedOrphan',
        message: `Deleted instance ${providerID}: there is no Machine ${name}`,
      },
    );
  });

  test('of a Machine that is being created, that runs, or that is being deleted stays', async () => {
    await cloud.addFault({
      operation: 'create',
      kind: 'loseAnswer',
      match: `${namespace}-creating`,
    });
    const creating = await createMachine(scenario, 'creating');
    const running = await createMachine(scenario, 'running');
    const deleting = await createMachine(scenario, 'deleting');
    await untilPhase(scenario, running, 'Running');
    await untilPhase(scenario, deleting, 'Running');
    await cloud.addFault({ operation: 'delete', kind: 'error', match: `${namespace}-deleting` });
    await cluster.delete(cluster.pathOf('machines', deleting));
    await untilPhase(scenario, deleting, 'Terminating');
    await eventually('the one that is being created has its instance', async () => {
      expect(await cloud.instances()).toHaveLength(3);
    });
    await listing();
    const report = await listing();
    expect(report).toMatchObject({ suspected: 0, kept: { total: 3 }, deleted: [] });
    expect(await cloud.instances()).toHaveLength(3);
    await cloud.clearFaults();
    await untilPhase(scenario, creating, 'Running');
    for (const name of [creating, running, deleting]) await deleteMachine(scenario, name);
  });

  test('of another cluster or namespace stays', async () => {
    const external = [
      await orphan('other-cluster', { ...ours, 'millwright.dev/cluster': 'another' }),
      await orphan('other-namespace', { ...ours, 'millwright.dev/namespace': 'another' }),
      await orphan('nobodys', {}),
    ];
    await listing();
    expect(await listing()).toMatchObject({ suspected: 0, kept: { total: 0 } });
    expect(idsOf(await cloud.instances())).toEqual(idsOf(external));
    for (const { id } of external) await cloud.delete(id);
  });

  test('too many of a Machine: the one that it names stays', async () => {
    const name = await createMachine(scenario, 'double');
    const machine = await untilPhase(scenario, name, 'Running');
    const { providerID } = await cloud.create(name, ours, 'another');
    await listing();
    expect(await listing()).toMatchObject({ deleted: [{ providerID, because: 'surplus' }] });
    expect(idsOf(await cloud.instances())).toEqual([machine.spec.providerID]);
    await deleteMachine(scenario, name);
  });

  test('among more than the bound stays: nothing is deleted until a person says so', async () => {
    const lost = [await orphan('many-1'), await orphan('many-2'), await orphan('many-3')];
    await listing();
    const report = await listing();
    expect(report).toMatchObject({ suspected: 3, confirmed: 3, deleted: [] });
    expect(report.stopped).toContain('3 instances have no Machine');
    expect(idsOf(await cloud.instances())).toEqual(idsOf(lost));
    await untilEvent(
      scenario,
      { kind: 'MachineClass', name: className },
      { type: 'Warning', reason: 'TooManyOrphans' },
    );
    await withFlag('--safety-orphans-max-deletions=3');
    expect(idsOf((await listing()).deleted)).toEqual(idsOf(lost));
  });

  test('is found whatever is wrong with another class', async () => {
    const broken = { ...scenario.named('broken'), secret: 'missing' };
    await cluster.create('machineclasses', classManifest(broken, broken));
    const { providerID } = await orphan('found');
    await listing();
    const report = await listing();
    expect(idsOf(report.deleted)).toEqual([providerID]);
    expect(report.errors).toEqual([
      {
        where: `provider virtual, MachineClass ${broken.name}`,
        message: expect.stringContaining('Secret "missing" does not exist'),
      },
    ]);
    await cluster.delete(cluster.pathOf('machineclasses', broken.name));
  });

  test('is reported only, with --safety-orphans=report; off: nobody looks', async () => {
    await withFlag('--safety-orphans=report');
    const { id, providerID } = await orphan('reported');
    await listing();
    expect(await listing()).toMatchObject({ mode: 'report', confirmed: 1, deleted: [] });
    expect(idsOf(await cloud.instances())).toEqual([providerID]);
    await cloud.delete(id);
    workerFlags.push('--safety-orphans=off');
    await scenario.operator.kill9('worker');
    await eventually('the schedule is gone', async () => {
      await expect(workflows.scheduleOf('orphans').describe()).rejects.toThrow('not found');
    });
  });
});
