/** Instances that came with a Machine from an earlier control cluster. */
import { failureOf } from '../failure-of.ts';
import { aSharedGcpWorld, gcpRequest, idOf, untilOver } from './gcp-world.ts';
import { pendingOf } from '../following.ts';

const world = await aSharedGcpWorld();
const retagging = world.aDriver({}, { allowsRetagging: true });

const labelsOf = (name: string) =>
  world.double.cloud.instances.find((instance) => instance.name === name)?.body.labels;

/** The Machine as it is after the move. */
const moved = (name: string) =>
  gcpRequest(name, {
    cluster: 'cluster-2',
    machine: { namespace: 'shoot', name, uid: 'another-uid' },
    token: 'another-uid-0',
    providerID: idOf(name),
  });

const isListed = async (name: string): Promise<boolean> => {
  const request = { ...moved('any'), namespace: 'shoot' };
  const all = await world.driver.listInstances(request);
  return all.some(({ machineName }) => machineName === name);
};

test('adopted instances get the labels of this cluster, where that is allowed, and are listed again', async () => {
  const { labels: _, ...spec } = { ...Object(gcpRequest('x').providerSpec) };
  const providerSpec = { ...spec, labels: { team: 'a' } };
  await world.driver.createInstance(gcpRequest('renewed', { providerSpec }));
  expect(await retagging.createInstance(moved('renewed'))).toMatchObject({ found: true });
  expect(labelsOf('renewed')).toEqual({
    team: 'a',
    'millwright-cluster': 'cluster-2',
    'millwright-namespace': 'shoot',
    'millwright-machine-uid': 'another-uid',
    'millwright-token': 'another-uid-0',
  });
  expect(await isListed('renewed')).toBe(true);
  const before = world.double.calls.length;
  await retagging.createInstance(moved('renewed'));
  expect(world.double.calls.slice(before).map(({ operation }) => operation)).toEqual(['get']);
});

test('adopted instances keep their labels where retagging is not allowed', async () => {
  await world.driver.createInstance(gcpRequest('kept'));
  await world.driver.createInstance(moved('kept'));
  expect(labelsOf('kept')?.['millwright-cluster']).toBe('cluster-1');
});

test('instances of another Machine keep their labels', async () => {
  await world.driver.createInstance(gcpRequest('foreign'));
  const thief = { ...moved('thief'), providerID: idOf('foreign') };
  const theft = retagging.createInstance(thief);
  expect(await failureOf(theft)).toMatchObject({ code: 'FailedPrecondition' });
  expect(labelsOf('foreign')?.['millwright-cluster']).toBe('cluster-1');
});

test('a refused change of labels is reported, and the Machine keeps its instance', async () => {
  await world.driver.createInstance(gcpRequest('refused'));
  const fault = { kind: 'error', operation: 'setLabels', status: 403 } as const;
  world.double.faults.add({ ...fault, reason: 'forbidden', message: "Required 'setLabels'" });
  expect(await retagging.createInstance(moved('refused'))).toMatchObject({
    found: true,
    lastKnownState: expect.stringMatching(
      /^instance refused keeps the labels of an earlier cluster: .*Required 'setLabels'/,
    ),
  });
});

test('labels that another caller changed first are read and set again', async () => {
  await world.driver.createInstance(gcpRequest('raced'));
  const fault = { kind: 'error', operation: 'setLabels', status: 412 } as const;
  world.double.faults.add({ ...fault, reason: 'conditionNotMet' });
  const first = await pendingOf(retagging.createInstance(moved('raced')));
  expect(first.message).toBe('Google Cloud: labels of instance raced are being set');
  await untilOver((given) => retagging.createInstance({ ...moved('raced'), ...given }));
  expect(labelsOf('raced')?.['millwright-cluster']).toBe('cluster-2');
});
