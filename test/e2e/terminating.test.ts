/**
 * A namespace that is being deleted takes no new object, no Event and no Lease either, and goes
 * when its machines are gone.
 */
import { describe, expect, test } from 'vitest';
import type { Lease } from '../../activities/kube/leases/observed-lease.ts';
import { lease } from '../../activities/kube/client/paths.ts';
import { createDeployment, untilGone, untilRunning } from './support/machines.ts';
import { useScenario } from './support/scenario.ts';

describe('a namespace that is being deleted', () => {
  const flags = ['--leader-elect-resource-namespace=default'];
  const scenario = useScenario('terminating', {
    isDoubled: false,
    watcherFlags: flags,
    workerFlags: flags,
  });
  const { cluster, cloud, namespace } = scenario;

  test('loses its machines and goes, where the Lease of the watcher is in another one', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    const own = await cluster.kube.get<Lease>(lease('default', `millwright-${namespace}`));
    expect(own.spec?.holderIdentity).toBe('watcher');
    expect(await cluster.find(lease(namespace, 'millwright'))).toBeUndefined();

    const path = `/api/v1/namespaces/${namespace}`;
    await cluster.delete(path);
    await untilGone(scenario, path, { timeoutSeconds: 120 });
    expect(await cloud.instances()).toEqual([]);
    expect(await cluster.nodes()).toEqual([]);
  });
});
