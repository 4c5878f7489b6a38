import type { KubeObject } from '../../../kube/client/client.ts';
import { LazyReflector } from '../../../kube/cache/lazy-reflector.ts';
import type { CachedObject } from '../../../kube/cache/object-cache.ts';
import { eventually } from '../../support/eventually.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { HandSystem } from '../../support/hand-system.ts';

const aSecret = (namespace: string): object => ({
  kind: 'Secret',
  metadata: { name: 'same', namespace },
});

function reflectorOf(
  client: InMemoryClient,
  idleMs: number,
): LazyReflector<KubeObject, CachedObject> {
  return new LazyReflector({
    client,
    path: '/api/v1/secrets',
    nameOf: ({ namespace = '', name }) => `${namespace}/${name}`,
    transform: ({ metadata: { uid, namespace = '', name, resourceVersion } }) => {
      return { uid, name: `${namespace}/${name}`, resourceVersion };
    },
    onChange: () => undefined,
    onError: () => undefined,
    idleMs,
  });
}

test('a lazy reflector runs from its first use until a while after the last one, and begins anew', async () => {
  const client = new InMemoryClient(aSecret('a'), aSecret('b'));
  const lazy = reflectorOf(client, 200);
  expect([lazy.isRunning, lazy.items, client.calls.length]).toEqual([false, undefined, 0]);
  await lazy.use().synced;
  expect([...(lazy.items?.keys() ?? [])]).toEqual(['a/same', 'b/same']);
  await eventually('it ended', async () => !lazy.isRunning && client.watchCount === 0);
  expect(lazy.items).toBeUndefined();
  await lazy.use().synced;
  expect(lazy.items?.size).toBe(2);
  await lazy.close();
  expect(client.watchCount).toBe(0);
});

test('a lazy reflector runs on while it is used', async () => {
  const client = new InMemoryClient();
  const system = new HandSystem();
  await system.run(async () => {
    const lazy = reflectorOf(client, 300);
    const first = lazy.use();
    for (let now = 200; now <= 1_000; now += 200) {
      await system.to(now);
      expect(lazy.use()).toBe(first);
    }
    await lazy.close();
  });
});
