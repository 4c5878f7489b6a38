/** What the doctor says of the Lease of the watcher. */
import { objectChecks } from '../../../cli/doctor/objects.ts';
import { installFlagsOf } from '../../../cli/install/flags.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const aLease = (name: string, holderIdentity: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'shoot', name },
  spec: { holderIdentity, renewTime: new Date().toISOString() },
});

async function watcherFinding(...leases: object[]) {
  const kube = new InMemoryClient(...leases);
  const common = { kube, target: kube, isSameCluster: true, namespace: 'shoot', release: 'shoot' };
  const flags = installFlagsOf([]);
  const observed = { ...common, ours: [], flags, install: 'shoot', taskQueue: undefined };
  return await objectChecks(observed)
    .find(({ name }) => name === 'watcher')
    ?.run();
}

test('a watcher that leads, none, and MCM in its place', async () => {
  expect(await watcherFinding(aLease('millwright', 'watcher-0'))).toMatchObject({ state: 'ok' });
  expect(await watcherFinding()).toMatchObject({
    state: 'error',
    text: expect.stringMatching(/: nothing is created or deleted$/),
  });
  expect(await watcherFinding(aLease('machine-controller', 'mcm-0'))).toMatchObject({
    state: 'error',
    text: expect.stringMatching(/: MCM acts, mcm-0 holds Lease machine-controller$/),
    repair: expect.stringContaining('millwright migrate check -n shoot'),
  });
});
