/**
 * Temporal loses its database, or gets an old one back: objects and instances are as they are, and
 * everything goes on. Runs alone.
 */
import { lease } from '../../../kube/client/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { runCheck } from '../support/checks.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  machinesOf,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { changeClass, createClass, untilComplete } from '../support/rollouts.ts';
import { useScenario } from '../support/scenario.ts';
import { emptyTemporal, restoreTemporal, saveTemporal } from '../support/temporal-database.ts';
import { Workloads } from '../support/workloads.ts';

const uidOf = ({ metadata }: Machine): string => metadata.uid;

describe('Temporal', () => {
  const scenario = useScenario('memory', { isDoubled: false });
  const { cluster, cloud, workflows, operator, namespace } = scenario;
  const workloads = new Workloads(scenario);

  /** Stops everything of ours, exchanges the database, starts again. */
  async function exchange(database: () => Promise<void>): Promise<void> {
    await operator.retire('worker');
    await operator.retire('watcher');
    await database();
    operator.start();
  }

  async function instanceNames(): Promise<string[]> {
    return (await cloud.instances()).map(({ id }) => id).toSorted();
  }

  async function expectOneInstancePerName(): Promise<void> {
    const { createsPerName } = await cloud.calls();
    expect(Object.entries(createsPerName).filter(([, count]) => count !== 1)).toEqual([]);
  }

  /** A machine that runs, with a pod that must not go, being deleted. */
  async function drainOf(short: string): Promise<string> {
    const name = await createMachine(scenario, short);
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: short, nodeName: name });
    await workloads.guard(short, { app: short, minAvailable: 1 });
    await cluster.delete(cluster.pathOf('machines', name));
    await eventually('its drain is blocked', async () => {
      const blocked = await workflows.running('State="DrainBlocked"');
      expect(blocked).toContain(`machine/${namespace}/${name}`);
    });
    return name;
  }

  async function releaseDrain(short: string): Promise<void> {
    await cluster.delete(workloads.budgets(short));
    await workloads.end(short);
    await untilGone(scenario, cluster.pathOf('machines', scenario.named(short).name));
  }

  async function untilHeld(count: number): Promise<void> {
    await eventually(`hooks hold ${count} deletions`, async () => {
      expect(await workflows.running('BlockedBy STARTS_WITH "Hook/"')).toHaveLength(count);
    });
  }

  async function untilAllWork(): Promise<void> {
    await eventually('each object has its workflow again', async () => {
      const all = [
        ...(await cluster.machines()),
        ...(await cluster.sets()),
        ...(await cluster.deployments()),
      ];
      const ofObjects = 'WorkflowType IN ("machine", "machineSet", "machineDeployment")';
      expect(await workflows.running(ofObjects)).toHaveLength(all.length);
    });
  }

  test('with an empty database: nothing is made twice, nothing is torn down, everything goes on', async () => {
    const kept = await createDeployment(scenario, 'kept', { replicas: 2 });
    const rolling = await createDeployment(scenario, 'rolling', { replicas: 3 });
    const keptUids = (await untilRunning(scenario, kept, 2)).map(uidOf);
    await untilRunning(scenario, rolling, 3);
    const leaving = await drainOf('leaving');
    await cloud.addFault({ operation: 'create', kind: 'loseAnswer', match: `${namespace}-late` });
    await cloud.addFault({ operation: 'create', kind: 'throttle' });
    await changeClass(scenario, rolling, await createClass(scenario, 'medium'));
    const late = await createMachine(scenario, 'late');
    await eventually(
      'the rollout has begun, and the instance of the late one is there',
      async () => {
        expect(await machinesOf(scenario, rolling)).toHaveLength(4);
        expect(await cloud.instances()).toHaveLength(7);
      },
    );
    const before = { ids: await instanceNames(), uids: (await cluster.machines()).map(uidOf) };

    await exchange(emptyTemporal);

    await untilAllWork();
    expect((await cluster.machine(leaving)).metadata.deletionTimestamp).toBeDefined();
    expect({
      ids: await instanceNames(),
      uids: (await cluster.machines()).map(uidOf),
    }).toEqual(before);
    await runCheck(workflows, 'lost-workflows');
    await runCheck(workflows, 'orphans');
    expect(await instanceNames()).toEqual(before.ids);

    await cloud.clearFaults();
    await untilPhase(scenario, late, 'Running');
    await releaseDrain('leaving');
    await untilComplete(scenario, rolling);
    await untilRunning(scenario, rolling, 3);
    expect((await untilRunning(scenario, kept, 2)).map(uidOf)).toEqual(keptUids);
    await expectOneInstancePerName();
    for (const pool of [kept, rolling]) await deleteDeployment(scenario, pool);
    await deleteMachine(scenario, late);
  });

  test('with an empty database: hooks hold as before, and their end is heard', async () => {
    const hooks = {
      drain: 'pre-drain.delete.hook.machine.cluster.x-k8s.io/traffic',
      instance: 'suspend-instance-deletion.node.machine.sapcloud.io/etcd',
    };
    const held = await Promise.all(
      Object.entries(hooks).map(async ([short, annotation]) => {
        const name = await createMachine(scenario, `held-${short}`);
        await untilPhase(scenario, name, 'Running');
        const metadata = { annotations: { [annotation]: 'etcd-druid' } };
        await cluster.patch('machines', name, { metadata });
        await cluster.delete(cluster.pathOf('machines', name));
        return { name, annotation };
      }),
    );
    await untilHeld(2);
    const before = await instanceNames();

    await exchange(emptyTemporal);

    await untilAllWork();
    await untilHeld(2);
    expect(await instanceNames()).toEqual(before);
    for (const { name, annotation } of held) {
      await cluster.patch('machines', name, { metadata: { annotations: { [annotation]: null } } });
      await untilGone(scenario, cluster.pathOf('machines', name));
    }
  });

  test('with the database of some time ago: what happened since holds', async () => {
    const pool = await createDeployment(scenario, 'aged', { replicas: 2 });
    const [first] = await untilRunning(scenario, pool, 2);
    const gone = await createMachine(scenario, 'gone');
    const stays = await createMachine(scenario, 'stays');
    for (const name of [gone, stays]) await untilPhase(scenario, name, 'Running');
    saveTemporal();
    await deleteMachine(scenario, gone);
    await cluster.delete(cluster.pathOf('machines', first?.metadata.name));
    await untilGone(scenario, cluster.pathOf('machines', first?.metadata.name));
    await cluster.scale(pool, 4);
    const uids = (await untilRunning(scenario, pool, 4)).map(uidOf);
    const leaving = await drainOf('leaving-2');
    const ids = await instanceNames();

    await exchange(async () => {
      await restoreTemporal();
      // As docs/safety.md says: the watcher cannot know that what it told is forgotten.
      await cluster.kube.patch(lease(namespace, 'millwright'), 'merge', {
        metadata: { annotations: { 'millwright.dev/checkpoint': null } },
      });
    });

    await runCheck(workflows, 'lost-workflows');
    await untilAllWork();
    await eventually('the drain is taken up', async () => {
      const blocked = await workflows.running('State="DrainBlocked"');
      expect(blocked).toContain(`machine/${namespace}/${leaving}`);
    });
    expect((await untilRunning(scenario, pool, 4)).map(uidOf)).toEqual(uids);
    expect(await instanceNames()).toEqual(ids);
    await untilPhase(scenario, stays, 'Running');
    await releaseDrain('leaving-2');
    await expectOneInstancePerName();
    await deleteDeployment(scenario, pool);
    await deleteMachine(scenario, stays);
  });
});
