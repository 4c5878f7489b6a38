/** kill -9 of what all scenarios share. The stack starts it again; runs alone, after the others. */
import { kill9 } from '../support/components.ts';
import { eventually } from '../../support/eventually.ts';
import { expectOneInstancePerToken } from '../support/invariants.ts';
import { createDeployment, machinesOf, untilRunning } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

const replicas = 5;

/** The moment must not pass unseen. */
const closely = { pollMilliseconds: 10 };

describe.each([
  ['the Temporal server', 'temporal', 'temporal'],
  ['the API server', 'kube-apiserver', 'apiserver'],
  ['etcd', 'etcd', 'etcd'],
  ['the virtual cloud', 'virtual-cloud', 'vcloud'],
])('kill -9 of %s', (_words, component, name) => {
  const scenario = useScenario(`outage-${name}`);
  const { cluster, cloud } = scenario;

  async function expectRight(pool: string): Promise<void> {
    await eventually('the API server answers', () => cluster.machines());
    await eventually('the virtual cloud answers', () => cloud.instances());
    await untilRunning(scenario, pool, replicas);
    const { createsPerName } = await cloud.calls();
    const ofPool = Object.entries(createsPerName).filter(([vm]) => vm.startsWith(`${pool}-`));
    expect(ofPool.map(([, count]) => count)).toEqual(Array.from({ length: replicas }, () => 1));
    await expectOneInstancePerToken(cloud);
  }

  test('while machines are created, and while they are deleted, ends right', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas });
    await eventually(
      'the first VM is there',
      async () => expect((await cloud.instances()).length).toBeGreaterThan(0),
      closely,
    );
    await kill9(testStack().layout.stateDir, component);
    await expectRight(pool);
    await cluster.delete(cluster.pathOf('machinedeployments', pool));
    await kill9(testStack().layout.stateDir, component);
    await eventually('nothing is left', async () => {
      expect(await cluster.deployments()).toEqual([]);
      expect(await machinesOf(scenario, pool)).toEqual([]);
      expect(await cloud.instances()).toEqual([]);
    });
  });
});
