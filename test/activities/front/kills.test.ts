/** A process that dies at any write, another that works at the same time, and edits in between. */
import type { KubeClient } from '../../../kube/client/client.ts';
import { instancesOf, PoolWorld, stateOf } from './pool-world.ts';
import { anOldPool, aTheirDeployment, pool } from './their-objects.ts';

type Scenario = [name: string, arrange: () => Promise<PoolWorld>];

const scenarios: Scenario[] = [
  ['a new deployment', async () => new PoolWorld([aTheirDeployment()])],
  [
    'a rollout',
    async () => {
      const world = new PoolWorld();
      await world.settle();
      const template = { spec: { versions: { kubelet: '1.35.0' } } };
      await world.patch('theirDeployment', pool, { spec: { template } });
      return world;
    },
  ],
  [
    'a deletion',
    async () => {
      const world = new PoolWorld();
      await world.settle();
      await world.delete('theirDeployment');
      return world;
    },
  ],
  [
    'a deletion with --cascade=orphan',
    async () => {
      const world = new PoolWorld();
      await world.settle();
      await world.delete('theirDeployment', pool, { propagationPolicy: 'Orphan' });
      const [set = ''] = await world.names('theirSet');
      await world.patch('theirSet', set, { metadata: { ownerReferences: null } });
      const finalizers = ['front.millwright.dev/mirror'];
      await world.patch('theirDeployment', pool, { metadata: { finalizers } });
      return world;
    },
  ],
  ['a take-over', async () => new PoolWorld(anOldPool({ isTakenOver: true }))],
  [
    'a hand-back',
    async () => {
      const world = new PoolWorld();
      await world.settle();
      const annotations = { 'front.millwright.dev/hand-back': 'true' };
      await world.patch('theirDeployment', pool, { metadata: { annotations } });
      return world;
    },
  ],
];

describe.each(scenarios)('%s', (_name, arrange) => {
  test('ends alike whichever write is the last of a process', async () => {
    const calm = await arrange();
    const writes = await writesUntilRest(calm);
    const end = await stateOf(calm);
    expect(writes).toBeGreaterThan(0);
    for (let killedAt = 1; killedAt <= writes; killedAt += 1) {
      for (const isAnswerLost of [false, true]) {
        const world = await arrange();
        await settleWithKill(world, { killedAt, isAnswerLost });
        expect({ killedAt, isAnswerLost, end: await stateOf(world) }).toEqual({
          killedAt,
          isAnswerLost,
          end,
        });
      }
    }
  }, 600_000);

  test('ends alike with two processes at once', async () => {
    const calm = await arrange();
    await calm.settle();
    const world = await arrange();
    const other = world.aProcess();
    for (let rounds = 0; rounds < 8; rounds += 1) {
      await Promise.all([world.sync(), other.syncPool(world.input)]);
      await world.act();
    }
    await world.settle();
    expect(await stateOf(world)).toEqual(await stateOf(calm));
  });
});

class Killed extends Error {}

/** The count is that of writes of the front alone. */
async function settleWithKill(
  world: PoolWorld,
  { killedAt, isAnswerLost }: { killedAt: number; isAnswerLost: boolean },
): Promise<void> {
  let left = killedAt;
  const dies = async <T>(write: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left !== 0) return await write();
    if (isAnswerLost) await write();
    throw new Killed();
  };
  const mortal = world.aProcess({}, guarded(world.api, dies));
  for (let before = -1; before !== world.api.writes().length;) {
    before = world.api.writes().length;
    try {
      await mortal.syncPool(world.input);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      break;
    }
    await world.act();
  }
  await world.settle();
}

async function writesUntilRest(world: PoolWorld): Promise<number> {
  let writes = 0;
  const process = world.aProcess(
    {},
    guarded(world.api, async (write) => {
      writes += 1;
      return await write();
    }),
  );
  for (let before = -1; before !== world.api.writes().length;) {
    before = world.api.writes().length;
    await process.syncPool(world.input);
    await world.act();
  }
  return writes;
}

function guarded(api: KubeClient, through: <T>(write: () => Promise<T>) => Promise<T>): KubeClient {
  return {
    get: async (path, query) => await api.get(path, query),
    list: async (path, query) => await api.list(path, query),
    watch: (path, query, signal) => api.watch(path, query, signal),
    close: async () => await api.close(),
    update: async (path, body) => await through(async () => await api.update(path, body)),
    create: async (path, body) => await through(async () => await api.create(path, body)),
    patch: async (path, type, body) => await through(async () => await api.patch(path, type, body)),
    delete: async (path, body) => await through(async () => await api.delete(path, body)),
  };
}

test('a take-over keeps every instance, and at no time would the core make one', async () => {
  const world = new PoolWorld(anOldPool({ isTakenOver: true }));
  const before = await instancesOf(world);
  const made: string[] = [];
  const process = world.aProcess(
    {},
    guarded(world.api, async (write) => {
      const answer = await write();
      await world.act();
      made.push(...world.core.made.splice(0));
      return answer;
    }),
  );
  for (let rounds = 0; rounds < 10; rounds += 1) await process.syncPool(world.input);
  await world.settle();
  expect(made).toEqual([]);
  expect(await instancesOf(world)).toEqual(before);
  const { metadata, status } = await world.get('theirDeployment');
  expect(metadata.annotations).not.toHaveProperty('front.millwright.dev/take-over');
  expect(status?.conditions?.find(({ type }) => type === 'Served')?.status).toBe('True');
  for (const machine of await world.all('theirMachine')) {
    expect(machine.metadata.finalizers).toEqual(['front.millwright.dev/mirror']);
  }
});

test('a pool that is deleted in the middle of its take-over goes with every instance', async () => {
  for (let count = 1; ; count += 1) {
    const world = new PoolWorld(anOldPool({ isTakenOver: true }));
    let left = count;
    const killed = world.aProcess(
      {},
      guarded(world.api, async (write) => {
        left -= 1;
        if (left < 0) throw new Error('killed');
        return await write();
      }),
    );
    const isWhole = await killed.syncPool(world.input).then(
      () => true,
      () => false,
    );
    await world.delete('theirDeployment');
    expect({ count, ...(await world.settle()) }).toMatchObject({ count, state: 'gone' });
    expect(await world.names('machine')).toEqual([]);
    expect(await world.names('theirMachine')).toEqual([]);
    if (isWhole) break;
  }
});

test('an edit between read and write wins, and is not lost', async () => {
  const world = new PoolWorld();
  await world.settle();
  await world.patch('theirDeployment', pool, { spec: { replicas: 3 } });
  let isEdited = false;
  const process = world.aProcess(
    {},
    guarded(world.api, async (write) => {
      if (!isEdited) {
        isEdited = true;
        await world.patch('deployment', pool, { spec: { paused: true } });
        await world.patch('theirDeployment', pool, { spec: { replicas: 4 } });
      }
      return await write();
    }),
  );
  await process.syncPool(world.input);
  expect((await world.get('deployment')).spec).toMatchObject({ replicas: 4 });
  expect((await world.get('deployment')).spec).not.toHaveProperty('paused');
});
