/** What the doctor says of the Lease of the watcher, and of DisruptionPolicies. */
import { objectChecks } from '../../../cli/doctor/objects.ts';
import { installFlagsOf } from '../../../cli/install/flags.ts';
import { policies } from '../../../cli/doctor/policies.ts';
import { aDisruptionPolicy } from '../../support/builders.ts';
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

const found = async (kube: InMemoryClient) => await policies({ kube, namespace: 'shoot' });

describe('DisruptionPolicies', () => {
  const forbid = { code: 403, reason: 'Forbidden' };
  test('are fine where there is no such kind, whatever the rights are', async () => {
    const kube = new InMemoryClient();
    const none = [{ state: 'ok', text: 'their CRD is not installed: rollouts wait for none' }];
    expect(await found(kube)).toMatchObject(none);
    kube.fault = ({ path }) => (path.includes('disruptionpolicies') ? forbid : undefined);
    expect(await found(kube)).toMatchObject(none);
  });

  test('that are invalid are named, with the repair', async () => {
    const accepted = {
      type: 'Accepted',
      status: 'False',
      reason: 'Invalid',
      message: 'no such zone',
      lastTransitionTime: new Date().toISOString(),
    } as const;
    const metadata = { namespace: 'shoot', name: 'weekend' };
    const status = { conditions: [accepted] };
    const kube = new InMemoryClient(aDisruptionPolicy({ metadata, status }));
    expect(await found(kube)).toMatchObject([
      {
        state: 'warning',
        text: 'weekend holds what it selects: no such zone',
        repair: 'kubectl -n shoot edit disruptionpolicy weekend',
      },
    ]);
  });
});
