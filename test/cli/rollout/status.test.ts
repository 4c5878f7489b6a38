/** What a wait for the end of a rollout bears. */
import { eventually } from '../../support/eventually.ts';
import { status } from '../../../cli/rollout/status.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aMachineDeployment, aMachineSet, controlledBy } from '../../support/builders.ts';

const asked = { name: 'workers', watch: true, timeout: 0, output: 'json' } as const;

function setOf(replicas: number) {
  const metadata = { ownerReferences: controlledBy(aMachineDeployment()) };
  return aMachineSet({ metadata, status: { replicas, availableReplicas: replicas } });
}

function aPlace() {
  const deployment = aMachineDeployment({ status: { observedGeneration: 1 } });
  return { kube: new InMemoryClient(deployment, setOf(1)), namespace: 'shoot' };
}

test('an API server that restarts in the middle does not end it', async () => {
  const said = jest.spyOn(console, 'error').mockReturnValue();
  const place = aPlace();
  const answer = status(place, asked);
  await eventually('it waits', async () => said.mock.calls.length === 1);
  place.kube.fault = () => ({ code: 0, reason: 'Unreachable' });
  await eventually('it says why', async () => said.mock.calls.length === 2);
  place.kube.put(setOf(3));
  place.kube.fault = () => undefined;
  expect(await answer).toMatchObject({ data: { state: 'complete' } });
  expect(said.mock.calls[1]).toEqual([expect.stringContaining('Waiting for the API server')]);
  said.mockRestore();
});

test('one that was never reached ends it at once', async () => {
  const place = aPlace();
  place.kube.fault = () => ({ code: 0, reason: 'Unreachable' });
  await expect(status(place, asked)).rejects.toThrow('Unreachable');
});

test('it ends where a condition stays that it gets no further, and not by one of before', async () => {
  const said = jest.spyOn(console, 'error').mockReturnValue();
  const stalled = {
    type: 'Stalled',
    status: 'True' as const,
    reason: 'InvalidSpec',
    message: 'no',
  };
  const standing = { observedGeneration: 1, conditions: [stalled] };
  const place = {
    kube: new InMemoryClient(aMachineDeployment({ status: standing }), setOf(1)),
    namespace: 'shoot',
  };
  const first = status(place, asked);
  await eventually('it waits', async () => said.mock.calls.length === 1);
  place.kube.put(aMachineDeployment({ status: { observedGeneration: 1 } }));
  place.kube.put(setOf(3));
  expect(await first).toMatchObject({ data: { state: 'complete' } });
  place.kube.put(aMachineDeployment({ status: standing }));
  expect(await status(place, asked)).toMatchObject({ data: { state: 'failed' }, exitCode: 1 });
  said.mockRestore();
});
