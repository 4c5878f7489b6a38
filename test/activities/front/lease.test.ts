/** Nothing is served anew while machine-controller holds its Lease. */
import { holderAnnotation } from '../../../kube/leases/observed-lease.ts';
import { aCluster, PoolWorld } from './pool-world.ts';
import { aTheirDeployment } from './their-objects.ts';

const { name, namespace } = aCluster.machineControllerLease;

function heldBy(holderIdentity: string, annotations: Record<string, string> = {}): object {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace, annotations },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
  };
}

test.each([
  ['machine-controller', heldBy('mc-1'), false],
  ['machine-controller, after a watcher', heldBy('mc-1', { [holderAnnotation]: 'vm' }), false],
  ['a watcher that serves this namespace', heldBy('vm', { [holderAnnotation]: 'vm' }), true],
])('a Lease of %s', async (_who, lease, isServed) => {
  const world = new PoolWorld([aTheirDeployment(), lease]);
  await world.sync();
  expect(await world.names('deployment')).toHaveLength(isServed ? 1 : 0);
});
