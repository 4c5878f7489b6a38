/** What the doctor says of the Lease of the watcher, and of DisruptionPolicies. */
import { objectChecks } from '../../../cli/doctor/objects.ts';
import { installFlagsOf } from '../../../cli/install/flags.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aDisruptionPolicy } from '../../support/builders.ts';

const aLease = (name: string, holderIdentity: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'shoot', name },
  spec: { holderIdentity, renewTime: new Date().toISOString() },
});

async function findingOf(check: string, kube: InMemoryClient) {
  const common = { kube, target: kube, isSameCluster: true, namespace: 'shoot', release: 'shoot' };
  const flags = installFlagsOf([]);
  const observed = { ...common, ours: [], flags, install: 'shoot', taskQueue: undefined };
  return await objectChecks(observed)
    .find(({ name }) => name === check)
    ?.run();
}

const watcherFinding = async (...leases: object[]) =>
  await findingOf('watcher', new InMemoryClient(...leases));

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

const anAccepted = (status: 'True' | 'False', message: string) => ({
  status: {
    conditions: [
      {
        type: 'Accepted',
        status,
        reason: 'x',
        message,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
});

describe('DisruptionPolicies', () => {
  const fault = 'spec.windows[0].timeZone: Invalid value: "Europe/Brlin": must be a time zone';
  test('are not served, or fine', async () => {
    expect(await findingOf('policies', new InMemoryClient())).toMatchObject({
      state: 'ok',
      text: expect.stringContaining('not served'),
    });
    const fine = new InMemoryClient(aDisruptionPolicy(anAccepted('True', 'it is followed')));
    expect(await findingOf('policies', fine)).toMatchObject({ state: 'ok' });
  });

  test('one that is closed by a fault is named, with what is wrong', async () => {
    const kube = new InMemoryClient(aDisruptionPolicy(anAccepted('False', fault)));
    expect(await findingOf('policies', kube)).toEqual([
      {
        what: 'policies',
        state: 'warning',
        text: `DisruptionPolicy weekend is closed: ${fault}`,
        repair: 'kubectl edit dp weekend -n shoot',
      },
    ]);
  });

  test('who may not list them is told so', async () => {
    const kube = new InMemoryClient();
    kube.fault = () => ({ code: 403, reason: 'Forbidden' });
    expect(await findingOf('policies', kube)).toMatchObject({ state: 'skipped' });
  });
});
