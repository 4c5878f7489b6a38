/**
 * A namespace that is being deleted takes no new object, no Event and no Lease either, and goes
 * when its machines are gone.
 */
import { randomBytes } from 'node:crypto';
import type { Lease } from '../../../kube/leases/observed-lease.ts';
import { lease } from '../../../kube/client/paths.ts';
import { createDeployment, untilGone, untilRunning } from '../support/machines.ts';
import { grantEverywhere } from '../support/rights.ts';
import { useScenario } from '../support/scenario.ts';
import { kubeconfigFileOf } from '../support/service-accounts.ts';
import { testStack } from '../support/test-stack.ts';

describe.each([
  { place: 'in it', flags: [], name: 'terminating' },
  {
    place: 'in another one',
    flags: ['--leader-elect-resource-namespace=default'],
    name: 'terminating-elsewhere',
  },
])('a namespace that is being deleted, the Lease of the watcher $place,', ({ flags, name }) => {
  // Roles and RoleBindings go with their namespace at once: these rights outlast it.
  const account = { namespace: 'default', name: `terminating-${randomBytes(2).toString('hex')}` };
  const { virtualCloud } = testStack();
  const access = () => ({ kubeconfig: kubeconfigFileOf(account), virtualCloud });
  const scenario = useScenario(name, {
    isDoubled: false,
    watcherFlags: flags,
    workerFlags: flags,
    watcherAccess: access,
    workerAccess: access,
    grant: ({ cluster: own }) => grantEverywhere(own, account),
  });
  const { cluster, cloud, namespace } = scenario;

  test('loses its machines and goes', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    const isElsewhere = flags.length > 0;
    const place = isElsewhere
      ? lease('default', `millwright-${namespace}`)
      : lease(namespace, 'millwright');
    const own = await cluster.kube.get<Lease>(place);
    expect(own.spec?.holderIdentity).toBe('watcher');
    const inIt = await cluster.find(lease(namespace, 'millwright'));
    expect(inIt === undefined).toBe(isElsewhere);

    const path = `/api/v1/namespaces/${namespace}`;
    await cluster.delete(path);
    await untilGone(scenario, path);
    expect(await cloud.instances()).toEqual([]);
    expect(await cluster.nodes()).toEqual([]);
  });
});
