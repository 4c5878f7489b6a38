import { monotonicMs } from '../../../activities/system/system.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { limitRate, type RateLimit } from '../../../workers/kube/clients.ts';
import { HandSystem } from '../../support/hand-system.ts';

const notUsed = (): never => {
  throw new Error('This call is not part of the test.');
};

/** A client that deletes and watches, and notes when, in milliseconds. */
function aClient(times: number[]): KubeClient {
  return {
    get: notUsed,
    list: notUsed,
    create: notUsed,
    update: notUsed,
    patch: notUsed,
    async delete() {
      times.push(monotonicMs());
      return {};
    },
    async *watch() {
      times.push(monotonicMs());
      yield* [];
    },
    close: () => Promise.resolve(),
  };
}

interface World {
  system: HandSystem;
  times: number[];
  client: KubeClient;
  /** So many deletions at once, an hour long. */
  deletions(count: number): Promise<void>;
}

function aWorld(limit: RateLimit): World {
  const system = new HandSystem();
  const times: number[] = [];
  const client = limitRate(aClient(times), limit);
  const deletions = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) void system.run(() => client.delete('/'));
    await system.to(system.monotonic() + 3_600_000);
  };
  return { system, times, client, deletions };
}

test('a burst goes out at once, the rest at the rate', async () => {
  const { times, deletions } = aWorld({ qps: 4, burst: 3 });
  await deletions(6);
  expect(times).toEqual([0, 0, 0, 250, 500, 750]);
});

test('after a pause there is a burst again, and no longer one', async () => {
  const { times, deletions } = aWorld({ qps: 4, burst: 3 });
  await deletions(3);
  await deletions(5);
  const start = 3_600_000;
  expect(times.slice(3)).toEqual([start, start, start, start + 250, start + 500]);
});

test('a burst of 0 still lets one request through at a time', async () => {
  const { times, deletions } = aWorld({ qps: 10, burst: 0 });
  await deletions(3);
  expect(times).toEqual([0, 100, 200]);
});

test('a watch waits for its turn as well', async () => {
  const { system, times, client } = aWorld({ qps: 2, burst: 1 });
  const { signal } = new AbortController();
  void system.run(() => client.delete('/'));
  const watching = system.run(() => client.watch('/', {}, signal)[Symbol.asyncIterator]().next());
  await system.to(10_000);
  expect(await watching).toMatchObject({ done: true });
  expect(times).toEqual([0, 500]);
});
