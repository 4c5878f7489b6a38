/** `--leader-elect=false`, as in MCM's own tests: the watcher acts at once, and workers may act. */
import type { Lease } from '../../../kube/leases/observed-lease.ts';
import { lease } from '../../../kube/client/paths.ts';
import { createDeployment, deleteDeployment, untilRunning } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';

describe('a watcher without leader election', () => {
  const scenario = useScenario('unelected', {
    isDoubled: false,
    watcherFlags: ['--leader-elect=false'],
  });
  const { cluster, namespace } = scenario;

  test('has machines created, scaled and deleted, and takes no Lease of MCM', async () => {
    const mcm = { holderIdentity: 'mcm', leaseDurationSeconds: 3_600 };
    for (const name of ['machine-controller', 'machine-controller-manager']) {
      await cluster.kube.create(lease(namespace), {
        metadata: { name },
        spec: { ...mcm, renewTime: new Date().toISOString().replace('Z', '000Z') },
      });
    }
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    await cluster.scale(pool, 3);
    await untilRunning(scenario, pool, 3);
    const own = await cluster.kube.get<Lease>(lease(namespace, 'millwright'));
    expect(own.spec?.holderIdentity).toBe('watcher');
    const others = await cluster.kube.get<Lease>(lease(namespace, 'machine-controller'));
    expect(others.spec).toMatchObject(mcm);
    await deleteDeployment(scenario, pool);
  });
});
