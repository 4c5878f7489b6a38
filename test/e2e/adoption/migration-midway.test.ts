/** From the real MCM v0.62.1 to Millwright and back, in the middle of what they do. */
import { labels } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  machinesOf,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { useMcm, type Belongings } from '../support/migration.ts';
import { Workloads } from '../support/workloads.ts';

/** Runs that hand-back ends. */
const causes = [/TERMINATED/i];
const quick = {
  machineControllerFlags: ['--resource-exhausted-retry=1s'],
  workerFlags: ['--resource-exhausted-retry=1s'],
};

describe('in the middle of a rollout', () => {
  const migrated = useMcm('midrollout', { ...quick, causes });
  const { scenario, recorder } = migrated;
  const { cluster, cloud } = scenario;

  const rollTo = async (pool: string, name: string): Promise<void> => {
    const spec = { template: { spec: { class: { kind: 'MachineClass', name } } } };
    await cluster.patch('machinedeployments', pool, { spec });
  };

  const classesOf = async (pool: string): Promise<string[]> =>
    (await machinesOf(scenario, pool)).map(({ spec }) => spec.class?.name ?? '');

  test('it goes on with the machines that there are, both ways', async () => {
    await cluster.create('machineclasses', migrated.classManifest('medium', 'medium'));
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    const from = recorder.mark();

    await rollTo(pool, 'medium');
    await eventually('MCM has begun to delete the first old machine', async () => {
      const going = (await machinesOf(scenario, pool)).filter(
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      expect(going).toHaveLength(1);
    });
    await migrated.run('take-over');
    await eventually('Millwright ends the rollout', async () => {
      expect(await classesOf(pool)).toEqual(['medium', 'medium']);
    });
    await untilRunning(scenario, pool, 2);
    expect(await migrated.belongings()).toMatchObject({ created: 4, deleted: 2 });

    // Keeps the rollout in its middle.
    await cloud.addFault({ kind: 'quota', operation: 'create' });
    await rollTo(pool, 'small');
    await eventually('the cloud has refused the first new machine', async () => {
      const phases = Object.values(await cluster.phases()).toSorted();
      expect(phases).toEqual(['CrashLoopBackOff', 'Running', 'Running']);
    });
    const before = await migrated.belongings();
    await migrated.run('hand-back');
    expect(await migrated.belongings()).toEqual(before);
    await cloud.clearFaults();
    await eventually('MCM ends the rollout', async () => {
      expect(await classesOf(pool)).toEqual(['small', 'small']);
    });
    await untilRunning(scenario, pool, 2);
    expect(await migrated.belongings()).toMatchObject({ created: 6, deleted: 4 });
    migrated.expectBounds({ from, maxTotal: 3, minAvailable: 2 });
  });
});

describe('in the middle of a drain', () => {
  const migrated = useMcm('middrain', { causes });
  const { scenario } = migrated;
  const { cluster, workflows } = scenario;
  const workloads = new Workloads(scenario);

  test('it stays blocked by its budget, and ends when that is gone', async () => {
    const other = await createMachine(scenario, 'other');
    const leaving = await createMachine(scenario, 'leaving');
    for (const name of [other, leaving]) await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'web', nodeName: leaving, replicas: 2 });
    await workloads.guard('web', { app: 'web', minAvailable: 2 });
    const path = cluster.pathOf('machines', leaving);
    await cluster.delete(path);
    await eventually('MCM has cordoned the Node', async () => {
      expect((await migrated.belongings()).nodes[leaving]).toMatch(/cordoned$/);
    });
    const before = await migrated.belongings();
    expect(before.nodes[other]).not.toMatch(/cordoned/);

    await migrated.run('take-over');
    await eventually('the drain of Millwright is refused', async () => {
      const failures = await workflows.pendingFailures('machine', leaving);
      expect(failures['drainNode']).toMatch(/PodDisruptionBudget/);
    });
    expect(await migrated.belongings()).toEqual(before);

    await migrated.run('hand-back');
    expect(await migrated.belongings()).toEqual(before);
    await cluster.delete(workloads.budgets('web'));
    await untilGone(scenario, path);
    expect(await migrated.belongings()).toMatchObject({ created: 2, deleted: 1 });
    expect(Object.keys((await migrated.belongings()).machines)).toEqual([other]);
  });
});

describe('in the middle of creates that fail', () => {
  const migrated = useMcm('midcreate', { ...quick, causes });
  const { scenario } = migrated;
  const { cluster, cloud } = scenario;

  /** The cloud makes the instance, and whoever asked for it does not come to know. */
  const loseOne = async (name: string): Promise<void> => {
    // Silent for so long that it is still waited for when the search is broken, below.
    const lost = { kind: 'loseAnswer', operation: 'create', times: 1, seconds: 15 };
    await cloud.addFault({ ...lost, match: name });
    await createMachine(scenario, name.slice(scenario.namespace.length + 1));
    await eventually(`there is an instance for ${name}`, async () => {
      const made = (await cloud.instances()).map((instance) => instance.name);
      expect(made).toContain(name);
    });
    // Both search before they ask for another one, 2 s after the end of the first create.
    await cloud.addFault({ kind: 'error', operation: 'list', match: name, code: 'Unavailable' });
    expect((await cluster.machine(name)).spec.providerID).toBeUndefined();
  };

  test('the same Machines go on to be tried, and get one instance each', async () => {
    await cloud.addFault({ kind: 'quota', operation: 'create' });
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRefused(2);
    const { machines } = await migrated.belongings();
    await migrated.run('take-over');
    const tries = await createsTried();
    await eventually('Millwright tries as well', async () => {
      expect(await createsTried()).toBeGreaterThan(tries);
    });
    await untilRefused(2);
    expect(await migrated.belongings()).toMatchObject({ machines, created: 0, deleted: 0 });
    await migrated.run('hand-back');
    expect(await migrated.belongings()).toMatchObject({ machines, created: 0, deleted: 0 });
    await cloud.clearFaults();
    await untilRunning(scenario, pool, 2);
    expect(await migrated.belongings()).toMatchObject({ machines, created: 2, deleted: 0 });
  });

  test('an instance whose creator died is found by the other one', async () => {
    const ofMcm = scenario.named('of-mcm').name;
    await loseOne(ofMcm);
    await migrated.run('take-over');
    await cloud.clearFaults();
    await untilPhase(scenario, ofMcm, 'Running');
    expect(await cloud.instances()).toHaveLength(3);

    const ofMillwright = scenario.named('of-millwright').name;
    await loseOne(ofMillwright);
    await migrated.run('hand-back');
    await cloud.clearFaults();
    await untilPhase(scenario, ofMillwright, 'Running');
    expect(await migrated.belongings()).toMatchObject({ created: 2 + 2, deleted: 0 });
  });

  async function createsTried(): Promise<number> {
    return (await cloud.happenings()).filter(({ operation }) => operation === 'create').length;
  }

  async function untilRefused(count: number): Promise<void> {
    await eventually(`${count} creates were refused`, async () => {
      const phases = Object.values(await cluster.phases());
      expect(phases).toEqual(Array.from({ length: count }, () => 'CrashLoopBackOff'));
    });
  }
});

describe('while a MachineSet is frozen', () => {
  const migrated = useMcm('midfreeze', {
    managerFlags: ['--machine-safety-overshooting-period=1s'],
    workerFlags: ['--machine-safety-overshooting-period=1s'],
  });
  const { scenario } = migrated;
  const { cluster } = scenario;

  const frozenSets = async (): Promise<string[]> =>
    (await cluster.sets())
      .filter(({ metadata }) => metadata.labels?.[labels.freeze] === 'True')
      .map(({ metadata }) => metadata.name);

  test('the freeze is taken over, and ends when there are no longer too many', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 1 });
    await untilRunning(scenario, pool, 1);
    const [set] = await cluster.sets();
    // More of its machines than it may have. MCM deletes them, and counts them until they are gone.
    for (const extra of ['a', 'b', 'c', 'd']) {
      await cluster.create('machines', {
        apiVersion: 'machine.sapcloud.io/v1alpha1',
        kind: 'Machine',
        metadata: {
          name: `${set?.metadata.name}-${extra}`,
          labels: set?.spec.template?.metadata?.labels,
        },
        spec: set?.spec.template?.spec,
      });
    }
    await eventually('MCM freezes the set', async () => {
      expect(await frozenSets()).toEqual([set?.metadata.name]);
    });
    const checked = await migrated.run('check');
    expect(checked).toMatchObject({ exitCode: 0 });
    expect(checked.text).toMatch(/frozen: .*pool/);
    const [kept] = Object.entries(await livingOf(migrated.belongings()));
    await migrated.run('take-over');
    await eventually('one is left, and the freeze is over', async () => {
      expect(await frozenSets()).toEqual([]);
      expect(Object.entries(await livingOf(migrated.belongings()))).toEqual([kept]);
    });
    await untilRunning(scenario, pool, 1);
  });
});

async function livingOf(belongings: Promise<Belongings>): Promise<Record<string, string>> {
  const { machines } = await belongings;
  return Object.fromEntries(Object.entries(machines).filter(([, uid]) => !uid.endsWith('going')));
}
