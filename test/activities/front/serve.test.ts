import { PoolWorld } from './pool-world.ts';

test('a MachineDeployment of theirs becomes machines, and its status says so', async () => {
  const world = new PoolWorld();
  const outcome = await world.settle();
  expect(outcome.state).toBe('current');
  const ours = await world.names('machine');
  expect(ours).toHaveLength(2);
  expect(await world.names('theirMachine')).toEqual(ours);
  expect(await world.names('theirSet')).toEqual(await world.names('set'));
  const { status, metadata } = await world.get('theirDeployment');
  expect(status).toMatchObject({
    observedGeneration: metadata.generation,
    replicas: 2,
    readyReplicas: 2,
    selector: 'app=pool',
    conditions: [
      { type: 'Served', status: 'True' },
      { type: 'Translated', status: 'True' },
    ],
  });
  const [machine] = await world.all('theirMachine');
  const { name = '', uid } = machine?.metadata ?? {};
  expect(machine?.spec).toMatchObject({ providerID: `virtual:///${name}`, metadata: { name } });
  expect(machine?.status).toMatchObject({
    phase: 'Running',
    nodeRef: { name },
    versions: { kubelet: '1.34.2' },
    addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
  });
  expect((await world.get('node', name)).metadata).toMatchObject({
    annotations: { 'cluster.k8s.io/machine': `kube-system/${name}` },
    labels: { 'machine-controller/owned-by': uid },
  });
});

test('it goes with all that was made for it, and last', async () => {
  const world = new PoolWorld();
  await world.settle();
  await world.delete('theirDeployment');
  const outcome = await world.settle();
  expect(outcome.state).toBe('gone');
  for (const kind of ['machine', 'set', 'deployment', 'class', 'secret'] as const) {
    expect(await world.names(kind)).toEqual([]);
  }
  for (const kind of ['theirMachine', 'theirSet', 'theirDeployment'] as const) {
    expect(await world.names(kind)).toEqual([]);
  }
  expect(await world.names('configMap')).toEqual(['user-data']);
});
