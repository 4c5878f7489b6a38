/** Two watchers, one Lease. */
import { lease } from '../../../kube/client/paths.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, deleteDeployment, untilRunning } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';

interface Lease {
  spec: { holderIdentity?: string };
}

describe('a watcher that stands by', () => {
  const scenario = useScenario('standby', { isDoubled: false });

  async function expectHolder(identity: string): Promise<void> {
    const { cluster, namespace } = scenario;
    const found = await cluster.find<Lease>(lease(namespace, 'millwright'));
    expect(found?.spec.holderIdentity).toBe(identity);
  }

  test('takes over from one that ends, and nothing is missed', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    await expectHolder('watcher');
    scenario.operator.startStandby();
    const retired = scenario.operator.retire('watcher');
    const path = scenario.cluster.pathOf('machinedeployments', pool);
    await scenario.cluster.kube.patch(path, 'merge', { spec: { replicas: 4 } });
    await retired;
    await eventually('the other watcher leads', () => expectHolder('standby'));
    expect(await untilRunning(scenario, pool, 4)).toHaveLength(4);
    await deleteDeployment(scenario, pool);
  });
});
