import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import type { Change, CachedObject } from '../../../kube/cache/object-cache.ts';
import type { BackoffRange } from '../../../kube/client/backoff.ts';
import { KubeError, isTooLarge } from '../../../kube/client/errors.ts';
import { createKubeClient } from '../../../kube/client/http-client.ts';
import { Reflector } from '../../../kube/cache/reflector.ts';
import { sleep } from '../../../activities/system/system.ts';
import { HttpApiServer, status } from '../../support/api-server/http-api-server.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { aThing, thing, things } from '../things.ts';
import { eventually } from '../../support/eventually.ts';

interface SizedThing extends KubeObject {
  size?: number;
}

interface ThingView extends CachedObject {
  size: number;
}

let server: HttpApiServer;
let client: KubeClient;
let changes: Change<ThingView>[];
let errors: unknown[];
let lost: string[];
const reflectors: Reflector<SizedThing, ThingView>[] = [];

beforeEach(async () => {
  server = await HttpApiServer.start();
  client = createKubeClient({ kubeConfig: server.kubeConfig, userAgent: 'test', silenceMs: 1_000 });
  changes = [];
  errors = [];
  lost = [];
});

afterEach(async () => {
  await Promise.all(reflectors.splice(0).map((reflector) => reflector.stop()));
  await client.close();
  await server.stop();
});

function reflect(
  since?: string,
  from = client,
  { mostKept = 1_000_000, ...backoff }: BackoffRange & { mostKept?: number } = {
    firstMs: 5,
    maxMs: 20,
  },
): Reflector<SizedThing, ThingView> {
  const reflector = new Reflector<SizedThing, ThingView>({
    client: from,
    path: things,
    since,
    backoff,
    mostKept,
    transform({ metadata: { uid, name, resourceVersion }, size = 0 }) {
      if (size < 0) throw new Error('a size below zero');
      return { uid, name, resourceVersion, size };
    },
    onChange: (change) => changes.push(change),
    onError: (error) => errors.push(error),
    onHistoryLost: (reason) => lost.push(reason),
  });
  reflectors.push(reflector);
  return reflector;
}

const told = (): string[] =>
  changes.filter(({ isNews }) => isNews).map(({ type, object }) => `${type} ${object.uid}`);

/** Without the question for the version, which asks for one object. */
const fullLists = () =>
  server.requests.filter(({ query }) => query.has('limit') && query.get('limit') !== '1');

const untilWatched = () => eventually('a watch', () => server.watchCount > 0);

test('a reflector lists, then follows the watch', async () => {
  server.put(aThing('a'));
  const reflector = reflect();
  await untilWatched();
  server.put(aThing('b', { size: 2 }));
  server.put(aThing('a', { size: 1 }));
  server.remove(thing('b'));
  await eventually('all changes', () => changes.length === 4);
  expect(told()).toEqual(['live uid-a', 'live uid-b', 'live uid-a', 'gone uid-b']);
  expect(changes.at(2)).toMatchObject({ previous: { size: 0 }, object: { size: 1 } });
  expect([...reflector.items.keys()]).toEqual(['a']);
  expect(reflector.restarts).toBe(0);
});

test.each(['end', 'destroy'] as const)(
  'a reflector resumes where it was after a watch ended (%s)',
  async (how) => {
    const reflector = reflect();
    await untilWatched();
    server.bookmark();
    server.put(aThing('a'));
    await eventually('a change', () => changes.length === 1);
    server.endWatches(how);
    server.put(aThing('b'));
    await eventually('the other change', () => changes.length === 2);
    expect(told()).toEqual(['live uid-a', 'live uid-b']);
    expect(fullLists()).toHaveLength(1);
    expect(server.requests.at(-1)?.query.get('resourceVersion')).toBe('102');
    expect(reflector.restarts).toBe(how === 'destroy' ? 1 : 0);
  },
);

test('a bookmark moves the version at which a reflector resumes', async () => {
  const reflector = reflect();
  await untilWatched();
  server.bookmark();
  await eventually('the bookmark', () => reflector.resourceVersion === '101');
  server.endWatches('end');
  await untilWatched();
  expect(server.requests.at(-1)?.query.get('resourceVersion')).toBe('101');
});

test('a version that is forgotten leads to a new list, which reveals what is gone', async () => {
  server.put(aThing('a'));
  server.put(aThing('b'));
  const reflector = reflect();
  await untilWatched();
  server.respond = ({ query }) => (query.has('watch') ? status(500, 'InternalError') : undefined);
  server.endWatches('destroy');
  server.remove(thing('a'));
  server.put(aThing('b', {}, 'uid-b2'));
  server.forget(Number(server.version));
  server.respond = () => undefined;
  await eventually('all changes', () => changes.length >= 5);
  expect(told().slice(2).toSorted()).toEqual(['gone uid-a', 'gone uid-b', 'live uid-b2']);
  expect([...reflector.items.values()].map(({ uid }) => uid)).toEqual(['uid-b2']);
});

test('a server in trouble is asked again and again', async () => {
  server.put(aThing('a'));
  const faults = [
    status(500, 'InternalError'),
    status(403, 'Forbidden'),
    'reset' as const,
    { code: 200, body: 'hello' },
  ];
  server.respond = () => faults.shift();
  const reflector = reflect();
  await reflector.synced;
  expect(told()).toEqual(['live uid-a']);
  expect(reflector.restarts).toBeGreaterThanOrEqual(3);
  expect(reflector.isBroken).toBe(true);
  server.put(aThing('b'));
  await eventually('it is told of what comes', () => !reflector.isBroken);
  expect(errors).toHaveLength(reflector.restarts);
});

test('a connection that went silent is given up', async () => {
  const reflector = reflect();
  await untilWatched();
  // The watch stays open and says nothing, as behind a dead load balancer.
  await eventually('another watch', () => reflector.restarts === 1);
  await untilWatched();
  server.put(aThing('a'));
  await eventually('a change', () => changes.length === 1);
  expect(told()).toEqual(['live uid-a']);
});

test('a load balancer that ends quiet watches before a bookmark comes delays nothing', async () => {
  const system = new HandSystem();
  let watches = 0;
  const balanced: KubeClient = {
    ...client,
    // oxlint-disable-next-line require-yield -- nothing happens
    async *watch(path) {
      watches += 1;
      // As in kubeadm's example for HAProxy.
      await sleep(35_000);
      const cut = { code: 0, reason: 'Unreachable', message: 'other side closed' };
      throw new KubeError({ ...cut, method: 'WATCH', path });
    },
    async get<T>() {
      const empty: T = JSON.parse('{"metadata":{"resourceVersion":"100"},"items":[]}');
      return empty;
    },
  };
  const reflector = system.run(() => reflect(undefined, balanced, { firstMs: 200, maxMs: 30_000 }));
  await system.to(600_000);
  expect(watches).toBe(18);
  expect([reflector.isBroken, reflector.awaySince]).toEqual([false, undefined]);
  expect(system.run(() => reflector.lastEventAgeSeconds)).toBeLessThan(60);
  void reflector.stop();
  await system.to(700_000);
});

test('a list that gets no answer holds up no end, and is no news after it', async () => {
  server.put(aThing('a'));
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  const slow: KubeClient = {
    ...client,
    async get(...call) {
      asked += 1;
      await answer.promise;
      return await client.get(...call);
    },
  };
  // The server is behind it, as one that was restored.
  const reflector = reflect('999', slow);
  await eventually('a list', () => asked > 0);
  await reflector.stop();
  answer.resolve();
  await client.get(things);
  await nextTurn();
  expect([lost, changes, errors]).toEqual([[], [], []]);
});

test('an object that cannot be read hides no other', async () => {
  server.put(aThing('bad', { size: -1 }));
  server.put(aThing('good'));
  const reflector = reflect();
  await untilWatched();
  server.put(aThing('bad', { size: -2 }));
  server.put(aThing('good', { size: 3 }));
  await eventually('a change', () => changes.length === 2);
  expect(errors).toHaveLength(2);
  expect([...reflector.items.keys()]).toEqual(['good']);
});

test('old and doubled watch events change nothing', async () => {
  reflect();
  await untilWatched();
  const first = { type: 'ADDED', object: server.put(aThing('a')) };
  server.put(aThing('a', { size: 1 }));
  server.raw(`${JSON.stringify(first)}\n`);
  server.put(aThing('b'));
  await eventually('b', () => changes.length === 3);
  expect(told()).toEqual(['live uid-a', 'live uid-a', 'live uid-b']);
});

test('a reflector takes only deletions for news of what is not newer than its checkpoint', async () => {
  server.put(aThing('old'));
  server.put(aThing('vanished'));
  server.put(aThing('replaced', {}, 'uid-first'));
  const checkpoint = server.version;
  server.put(aThing('new'));
  server.remove(thing('vanished'));
  server.remove(thing('replaced'));
  server.put(aThing('replaced', {}, 'uid-second'));
  const reflector = reflect(checkpoint);
  await eventually('the deletions', () => told().length === 4);
  expect(told().toSorted()).toEqual([
    'gone uid-first',
    'gone uid-vanished',
    'live uid-new',
    'live uid-second',
  ]);
  expect([...reflector.items.values()].map(({ uid }) => uid).toSorted()).toEqual([
    'uid-new',
    'uid-old',
    'uid-second',
  ]);
});

test('a checkpoint that is forgotten is as good as a list', async () => {
  server.put(aThing('old'));
  const checkpoint = server.version;
  server.put(aThing('new'));
  server.forget(Number(server.version));
  const reflector = reflect(checkpoint);
  await eventually('a watch that holds', () => server.watchCount > 0);
  expect(told()).toEqual(['live uid-new']);
  expect([...reflector.items.keys()]).toEqual(['new', 'old']);
  expect(lost).toEqual([`${things}: the server has forgotten what came after 101`]);
});

test('a version that is forgotten later loses nothing, because the copy knows what was there', async () => {
  server.put(aThing('a'));
  reflect(server.version);
  await untilWatched();
  server.bookmark();
  server.put(aThing('b'));
  await eventually('b', () => changes.length === 2);
  server.forget(Number(server.version) + 1);
  server.put(aThing('c'));
  server.endWatches('end');
  await eventually('c', () => changes.length === 3);
  expect(lost).toEqual([]);
});

/** Two things, of which a change, a new one and a deletion are forgotten. */
async function restoreWhileWatched(): Promise<Reflector<SizedThing, ThingView>> {
  server.put(aThing('changed', { size: 1 }));
  server.put(aThing('deleted'));
  const restore = server.backup();
  server.put(aThing('changed', { size: 2 }));
  server.put(aThing('new'));
  server.remove(thing('deleted'));
  const reflector = reflect();
  await untilWatched();
  changes = [];
  restore();
  return reflector;
}

describe('a server whose database was restored to an older state', () => {
  const restored = `${things}: the server is at 102 and was at 105: it was restored`;

  test('is noticed when the watch resumes, and listed anew', async () => {
    const reflector = await restoreWhileWatched();
    await eventually('it is noticed', () => lost.length === 1);
    expect(lost).toEqual([restored]);
    expect(told().toSorted()).toEqual(['gone uid-new', 'live uid-changed', 'live uid-deleted']);
    expect(reflector.items.get('changed')).toMatchObject({ size: 1 });
    await untilWatched();
    server.put(aThing('changed', { size: 3 }));
    await eventually('what comes is heard', () => reflector.items.get('changed')?.size === 3);
  });

  test('is listed as it is where its versions were raised above the old ones, as etcd advises', async () => {
    server.put(aThing('changed', { size: 1 }));
    server.put(aThing('again', {}, 'uid-again-1'));
    const restore = server.backup();
    server.put(aThing('changed', { size: 2 }));
    server.remove(thing('again'));
    server.put(aThing('again', {}, 'uid-again-2'));
    const reflector = reflect();
    await untilWatched();
    changes = [];
    restore();
    // etcdutl snapshot restore --bump-revision ... --mark-compacted
    for (let write = 0; write < 50; write += 1) server.bookmark();
    server.forget(Number(server.version));
    await untilWatched();
    expect(told()).toEqual(['gone uid-again-2', 'live uid-again-1', 'live uid-changed']);
    expect(reflector.items.get('changed')).toMatchObject({ size: 1 });
    expect(reflector.items.get('again')).toMatchObject({ uid: 'uid-again-1' });
  });

  test('is noticed when the watch ended in the orderly way', async () => {
    server.put(aThing('a'));
    const restore = server.backup();
    server.put(aThing('a', { size: 5 }));
    const reflector = reflect();
    await untilWatched();
    server.endWatches('end');
    restore();
    await eventually('it is noticed', () => lost.length === 1);
    expect(reflector.items.get('a')).toMatchObject({ size: 0 });
  });

  test('is noticed when it says that a version is too large', async () => {
    server.put(aThing('a'));
    const message = 'Too large resource version: 900, current: 101';
    const tooLarge = { kind: 'Status', code: 504, reason: 'Timeout', message };
    const faults = [{ code: 504, body: tooLarge }];
    server.respond = ({ query }) => (query.has('watch') ? faults.shift() : undefined);
    reflect();
    await untilWatched();
    expect(fullLists()).toHaveLength(2);
  });

  test('is noticed at the start, when the checkpoint is ahead of it', async () => {
    server.put(aThing('a'));
    const reflector = reflect('900');
    await untilWatched();
    expect(told()).toEqual(['live uid-a']);
    expect(reflector.resourceVersion).toBe(server.version);
    expect(lost).toEqual([`${things}: the server is at 101 and was at 900: it was restored`]);
  });
});

test('more objects than there is room for are not kept, until they are fewer', async () => {
  for (let index = 0; index < 50; index += 1) server.put(aThing(`thing-${index}`));
  const reflector = reflect(undefined, client, { firstMs: 5, maxMs: 20, mostKept: 3_000 });
  await eventually('two errors', () => errors.length > 1);
  expect(errors.every(isTooLarge)).toBe(true);
  expect(String(errors[0])).toContain(`LIST ${things}: 413 TooLarge: more than 3000 bytes to keep`);
  expect([reflector.isSynced, reflector.items.size]).toEqual([false, 0]);
  for (let index = 1; index < 50; index += 1) server.remove(thing(`thing-${index}`));
  await reflector.synced;
  expect(reflector.items.size).toBe(1);
  for (let index = 1; index < 50; index += 1) server.put(aThing(`thing-${index}`));
  await eventually('they are told of', () => !reflector.isSynced);
});

describe('objects near the size limit', () => {
  const count = 500;
  const size = 14_000;

  test('are listed in pages that fit into the longest answer', async () => {
    const longestAnswerBytes = 20 * size;
    await client.close();
    client = createKubeClient({
      kubeConfig: server.kubeConfig,
      userAgent: 'test',
      longestAnswerBytes,
    });
    for (let index = 0; index < count; index += 1) {
      server.put(aThing(`thing-${index}`, { text: 'x'.repeat(size) }));
    }
    const reflector = reflect();
    await reflector.synced;
    expect(reflector.items.size).toBe(count);
    expect(errors).toEqual([]);
    expect((await client.list(things)).items).toHaveLength(count);
  });

  test('are listed in smaller pages where the server is too slow for large ones', async () => {
    await client.close();
    client = createKubeClient({
      kubeConfig: server.kubeConfig,
      userAgent: 'test',
      callTimeoutMs: 150,
    });
    for (let index = 0; index < count; index += 1) server.put(aThing(`thing-${index}`));
    server.respond = ({ query }) => (Number(query.get('limit')) > 60 ? 'hang' : undefined);
    const reflector = reflect();
    await reflector.synced;
    expect(reflector.items.size).toBe(count);
    expect(errors).toEqual([]);
    const limits = fullLists().map(({ query }) => Number(query.get('limit')));
    expect(limits.slice(0, 5)).toEqual([500, 250, 125, 62, 31]);
    expect(Math.max(...limits.slice(5))).toBeGreaterThan(31);
  });

  test('are refused one by one where even one is too large', async () => {
    await client.close();
    client = createKubeClient({
      kubeConfig: server.kubeConfig,
      userAgent: 'test',
      longestAnswerBytes: 10_000,
    });
    server.put(aThing('huge', { text: 'x'.repeat(size) }));
    reflect();
    await eventually('an error', () => errors.length > 0);
    expect(String(errors[0])).toContain('413 AnswerTooLarge: the answer has more than 10000 bytes');
  });
});
