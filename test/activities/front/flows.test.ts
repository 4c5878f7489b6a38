/** What flows down and up, one by one. */
import { PoolWorld } from './pool-world.ts';
import { aTheirDeployment, aTheirTemplate, namespace, pool } from './their-objects.ts';
import type { WrittenKind } from '../../../workflows/plan/front/writes.ts';

async function aServedPool(): Promise<PoolWorld> {
  const world = new PoolWorld();
  await world.settle();
  return world;
}

interface Edit {
  kind: WrittenKind;
  body: object;
}

/** Of theirs, and what ours is then. The object of each kind is the first. */
test.each<[string, Edit, Edit]>([
  [
    'replicas',
    of('theirDeployment', { spec: { replicas: 3 } }),
    of('deployment', { spec: { replicas: 3 } }),
  ],
  [
    'a pause',
    of('theirDeployment', { spec: { paused: true } }),
    of('deployment', { spec: { paused: true } }),
  ],
  [
    'an option',
    of('theirDeployment', noted('millwright.dev/canary', '1')),
    of('deployment', noted('millwright.dev/canary', '1')),
  ],
  [
    'a policy',
    of('theirSet', { spec: { deletePolicy: 'Oldest' } }),
    of('set', noted('millwright.dev/delete-policy', 'Oldest')),
  ],
  [
    'a mark with a time',
    of('theirMachine', noted('cluster.k8s.io/delete-machine', '2026-01-02 03:04:05 +0000 UTC')),
    of('machine', noted('machine.sapcloud.io/delete-machine', expect.any(String))),
  ],
  [
    'a mark of the autoscaler',
    of('theirMachine', noted('cluster.k8s.io/delete-machine', '2026-01-02T03:04:05Z')),
    of('machine', noted('machine.sapcloud.io/delete-machine', '2026-01-02T03:04:05Z')),
  ],
])('%s flows down', async (_name, theirs, ours) => {
  const world = await aServedPool();
  const [name = ''] = await world.names(theirs.kind);
  await world.patch(theirs.kind, name, theirs.body);
  await world.settle();
  expect(await world.get(ours.kind, name)).toMatchObject(ours.body);
});

/** Of what flows up, or of ours, by a person. */
test.each<[string, WrittenKind, object]>([
  ['replicas of ours', 'deployment', { spec: { replicas: 7 } }],
  ['an option of ours', 'deployment', noted('millwright.dev/canary', '3')],
  ['replicas of a set', 'theirSet', { spec: { replicas: 5 } }],
  [
    'labels of a Machine',
    'theirMachine',
    { metadata: { labels: { 'machine-template-hash': null } } },
  ],
  ['labels of a set', 'theirSet', { metadata: { labels: { 'machine-template-hash': null } } }],
  ['the finalizer of a Machine', 'theirMachine', { metadata: { finalizers: null } }],
  ['the owner of a Machine', 'theirMachine', { metadata: { ownerReferences: null } }],
  ['the owner of a set', 'theirSet', { metadata: { ownerReferences: null } }],
  ['the finalizer of a set', 'theirSet', { metadata: { finalizers: null } }],
  ['the status of a Machine', 'theirMachine', { status: { phase: 'Failed' } }],
])('an edit of the %s is put back', async (_name, kind, body) => {
  const world = await aServedPool();
  const [name = ''] = await world.names(kind);
  const before = contentOf(await world.get(kind, name));
  await world.patch(kind, name, body);
  await world.settle();
  expect(contentOf(await world.get(kind, name))).toEqual(before);
});

test.each(['theirSet', 'theirMachine'] as const)(
  'the deletion of a %s flows down',
  async (kind) => {
    const world = await aServedPool();
    const before = await world.all('machine');
    const [first] = await world.names(kind);
    await world.delete(kind, first);
    await world.settle();
    const after = await world.all('machine');
    expect(after).toHaveLength(2);
    const kept = after.filter(({ metadata }) =>
      before.some((one) => one.metadata.uid === metadata.uid),
    );
    expect(kept).toHaveLength(kind === 'theirSet' ? 0 : 1);
    expect(await world.names('theirMachine')).toEqual(await world.names('machine'));
  },
);

test('the machine that is marked goes, and is gone on both sides', async () => {
  const world = await aServedPool();
  const [, second = ''] = await world.names('theirMachine');
  await world.patch('theirMachine', second, noted('cluster.k8s.io/delete-machine', 'now'));
  await world.patch('theirDeployment', pool, { spec: { replicas: 1 } });
  await world.settle();
  expect(await world.names('machine')).toHaveLength(1);
  expect(await world.names('machine')).not.toContain(second);
  expect(await world.names('theirMachine')).toEqual(await world.names('machine'));
});

test('a Node that is not to be drained is not', async () => {
  const world = await aServedPool();
  const [name = ''] = await world.names('theirMachine');
  await world.patch('node', name, noted('kubermatic.io/skip-eviction', ''));
  await world.aProcess().syncPool({ ...world.input, readsNodes: true });
  // Before anything goes: which machine does is the core's choice.
  expect(await world.get('machine', name)).toMatchObject(
    noted('millwright.dev/skip-drain', 'true'),
  );
  await world.patch('node', name, {
    metadata: { annotations: { 'kubermatic.io/skip-eviction': null } },
  });
  await world.aProcess().syncPool({ ...world.input, readsNodes: true });
  const { annotations = {} } = (await world.get('machine', name)).metadata;
  expect(annotations).not.toHaveProperty(['millwright.dev/skip-drain']);
});

test('another template makes a rollout, and its end the old class go', async () => {
  const world = await aServedPool();
  const [first = ''] = await world.names('class');
  await world.patch('theirDeployment', pool, {
    spec: { template: aTheirTemplate({ caPublicKey: '' }) },
  });
  await world.settle();
  expect(await world.names('class')).toEqual([first]);
  const versions = { spec: { template: { spec: { versions: { kubelet: '1.35.0' } } } } };
  await world.patch('theirDeployment', pool, versions);
  await world.settle();
  expect(await world.names('class')).toHaveLength(2);
  const { metadata } = await world.get('theirDeployment');
  expect(metadata.annotations?.['machinedeployment.clusters.k8s.io/revision']).toBe('2');
  for (const { metadata: set } of await world.all('set')) {
    const hasMachines = (await world.all('machine')).some(({ metadata: machine }) =>
      machine.ownerReferences?.some(({ uid }) => uid === set.uid),
    );
    if (!hasMachines) await world.delete('set', set.name);
  }
  await world.settle();
  expect(await world.names('class')).toHaveLength(1);
  expect(await world.names('class')).not.toContain(first);
  expect(await world.names('theirSet')).toEqual(await world.names('set'));
});

test.each([
  ['1', { template: { spec: { versions: { kubelet: '1.34.2' } } } }, undefined],
  ['7', { template: { spec: { versions: { kubelet: '1.35.0' } } } }, 'UnknownRevision'],
])('a rollback to revision %s', async (revision, spec, reason) => {
  const world = await aServedPool();
  const versions = { template: { spec: { versions: { kubelet: '1.35.0' } } } };
  await world.patch('theirDeployment', pool, { spec: versions });
  await world.settle();
  await world.patch('theirDeployment', pool, noted('front.millwright.dev/rollback-to', revision));
  await world.settle();
  const after = await world.get('theirDeployment');
  expect(after.spec).toMatchObject(spec);
  expect(after.metadata.annotations).not.toHaveProperty('front.millwright.dev/rollback-to');
  const rolledBack = after.status?.conditions?.find(({ type }) => type === 'RolledBack');
  expect(rolledBack?.reason).toBe(reason);
});

test('a template that cannot be said leaves the machines as they are, and all else flows', async () => {
  const world = await aServedPool();
  const template = aTheirTemplate({ cloudProvider: 'fakee' });
  await world.patch('theirDeployment', pool, { spec: { template, replicas: 3 } });
  await world.settle();
  expect(await world.names('machine')).toHaveLength(3);
  expect(await world.names('class')).toHaveLength(1);
  const { status } = await world.get('theirDeployment');
  expect(status?.conditions).toMatchObject([
    { type: 'Served', status: 'True' },
    {
      type: 'Translated',
      status: 'False',
      message: expect.stringContaining('did you mean "fake"?'),
    },
  ]);
});

test.each([
  [
    'initializers',
    { metadata: noted('machine-controller.kubermatic.io/initializers', 'x').metadata },
  ],
  ['no provider', { spec: { providerSpec: {} } }],
  ['no spec', { spec: null }],
  ['a spec that is a text', { spec: 'x' }],
  ['a provider spec that is a list', { spec: { providerSpec: { value: [] } } }],
])('a new template with %s is not served, and says so', async (_name, change) => {
  const template = { ...aTheirTemplate(), ...change };
  const world = new PoolWorld([aTheirDeployment({ spec: Object({ template }) })]);
  await world.settle();
  expect(await world.names('deployment')).toEqual([]);
  const { status } = await world.get('theirDeployment');
  expect(status?.conditions).toMatchObject([
    { type: 'Served', status: 'False' },
    { type: 'Translated', status: 'False' },
  ]);
  await world.delete('theirDeployment');
  expect(await world.settle()).toMatchObject({ state: 'gone' });
});

const secret = { name: 'credentials', namespace: 'other', key: 'token' };

test('a credential that changes is written, and rolls nothing; no value is said anywhere', async () => {
  const token = { secretKeyRef: secret };
  const template = aTheirTemplate({
    cloudProvider: 'hetzner',
    cloudProviderSpec: { token, serverType: 'cx22', location: 'fsn1', image: 'ubuntu-24.04' },
  });
  const world = new PoolWorld([aTheirDeployment({ spec: { template } })]);
  expect(await world.settle()).toMatchObject({ state: 'waits' });
  expect(await world.names('deployment')).toEqual([]);
  world.api.put(aSecret('first-token'));
  await world.settle();
  const before = await world.names('machine');
  expect(before).toHaveLength(2);
  const [own = ''] = await ownSecrets(world);
  expect(await dataOf(world, own)).toContain('first-token');
  await world.api.patch('/api/v1/namespaces/other/secrets/credentials', 'merge', {
    data: { token: Buffer.from('second-token').toString('base64') },
  });
  await world.settle();
  expect(await dataOf(world, own)).toContain('second-token');
  expect(await world.names('machine')).toEqual(before);
  await world.api.delete('/api/v1/namespaces/other/secrets/credentials');
  await world.settle();
  expect(await dataOf(world, own)).toContain('second-token');
  expect(await world.names('machine')).toEqual(before);
  for (const kind of ['theirDeployment', 'class', 'deployment', 'theirMachine'] as const) {
    expect(JSON.stringify(await world.all(kind))).not.toMatch(/(first|second)-token/);
  }
  // The old one deletes no instance any more.
  await world.delete('theirDeployment');
  world.api.put(aSecret('third-token'));
  await world.sync();
  expect(await dataOf(world, own)).toContain('third-token');
});

function aSecret(token: string): object {
  const data = { token: Buffer.from(token).toString('base64') };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { ...secret, key: undefined }, data };
}

async function ownSecrets(world: PoolWorld): Promise<string[]> {
  return (await world.names('secret')).filter((name) => name.startsWith(pool));
}

async function dataOf(world: PoolWorld, name: string): Promise<string> {
  const { data } = await world.get('secret', name);
  return Object.values(Object(data))
    .map((text) => Buffer.from(String(text), 'base64').toString())
    .join('\n');
}

function noted(key: string, value: string) {
  return { metadata: { annotations: { [key]: value } } };
}

function of(kind: WrittenKind, body: object): Edit {
  return { kind, body };
}

function contentOf(object: object): unknown {
  const { metadata, ...content } = Object(object);
  const { resourceVersion: _version, generation: _generation, ...kept } = metadata;
  const { lastUpdated: _at, observedGeneration: _observed, ...status } = Object(content.status);
  return { ...content, metadata: kept, status };
}

test('nothing outside the namespace of the pool is written', async () => {
  const world = await aServedPool();
  expect(
    world.api
      .writes()
      .filter((call) => !call.includes(`/${namespace}/`) && !call.includes('/nodes/')),
  ).toEqual([]);
});
