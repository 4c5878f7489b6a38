/** Workflows, drains and a driver in processes of their own, of which one dies at a time. */
import { namespaced } from '../../../kube/client/paths.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { secretName } from '../support/manifests.ts';
import { createCounts } from '../support/moments.ts';
import { useScenario } from '../support/scenario.ts';
import { queuesByProcess } from '../support/task-owners.ts';
import { Workloads } from '../support/workloads.ts';

/** Looks often: the moment must not pass unseen. */
async function until(words: string, holds: () => Promise<boolean>): Promise<void> {
  const closely = { pollMilliseconds: 10 };
  await eventually(words, async () => expect(await holds()).toBe(true), closely);
}

describe('workers of which each serves a part', () => {
  const scenario = useScenario('split', {
    isDoubled: false,
    workers: [
      { name: 'worker-core', flags: ['--serve=core'], user: 'millwright-core' },
      {
        name: 'worker-drain',
        flags: ['--serve=drain', '--providers=none'],
        user: 'millwright-drain',
      },
      {
        name: 'worker-driver',
        flags: ['--serve=driver:virtual', '--providers=virtual'],
        user: 'millwright-driver',
      },
    ],
  });
  const { cluster, cloud, operator, workflows } = scenario;
  const workloads = new Workloads(scenario);

  test('lose nothing and make nothing twice while they die one after the other', async () => {
    // The core makes the token, and the driver reads it.
    const secret = namespaced('secrets', scenario.namespace, secretName);
    const stringData = { userData: 'join <<BOOTSTRAP_TOKEN>>' };
    await cluster.kube.patch(secret, 'merge', { stringData });
    const pool = await createDeployment(scenario, 'pool', { replicas: 4 });
    await until('the first VM was created', async () => (await cloud.instances()).length > 0);
    await operator.kill9('worker-driver');
    await until('the first Node has joined', async () => (await cluster.nodes()).length > 0);
    await operator.kill9('worker-core');
    await untilRunning(scenario, pool, 4);
    expect(await createCounts(scenario, pool)).toEqual([1, 1, 1, 1]);

    const name = await createMachine(scenario, 'busy');
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'web', nodeName: name, replicas: 2 });
    await workloads.guard('web', { app: 'web', minAvailable: 2 });
    await cluster.delete(cluster.pathOf('machines', name));
    await until('its drain is blocked', async () => {
      const blocked = await workflows.running('State="DrainBlocked"');
      return blocked.some((id) => id.endsWith(`/${name}`));
    });
    // The workflow hears of it first.
    await eventually('the Machine says so', async () => {
      const machine = await cluster.machine(name);
      expect(machine?.status?.lastOperation).toMatchObject({ state: 'Failed' });
    });
    await operator.kill9('worker-drain');
    await cluster.delete(workloads.budgets('web'));
    await untilGone(scenario, cluster.pathOf('machines', name));
    expect(await workloads.podsOn(name)).toEqual([]);
    await workloads.end('web');
    await deleteDeployment(scenario, pool);
    expect(queuesByProcess(await workflows.runs(), await scenario.taskQueue())).toEqual({
      'worker-core': [''],
      'worker-drain': ['/drain'],
      'worker-driver': ['create', 'delete', 'read'].map((call) => `/driver/virtual/${call}`),
    });
  });
});
