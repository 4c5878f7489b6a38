import { expect, test } from 'vitest';
import type { KubeClient } from '../../../activities/kube/client/client.ts';
import { limitRate, type RateLimit } from '../../../workers/kube/rate-limit.ts';

const notUsed = (): never => {
  throw new Error('This call is not part of the test.');
};

/** A client that only deletes, and notes when. */
function aClient(times: number[]): KubeClient {
  return {
    get: notUsed,
    list: notUsed,
    create: notUsed,
    patch: notUsed,
    async delete() {
      times.push(performance.now());
      return {};
    },
    watch: notUsed,
    close: () => Promise.resolve(),
  };
}

/** Milliseconds until each of several calls at once came through. */
async function timesOf(limit: RateLimit, calls: number): Promise<number[]> {
  const times: number[] = [];
  const client = limitRate(aClient(times), limit);
  const start = performance.now();
  await Promise.all(Array.from({ length: calls }, () => client.delete('/')));
  return times.map((time) => time - start);
}

test('a burst goes out at once, the rest at the rate', async () => {
  const times = await timesOf({ qps: 100, burst: 3 }, 6);
  const [first = 0, , third = 0, fourth = 0, , sixth = 0] = times;
  expect(third - first).toBeLessThan(8);
  expect(fourth).toBeGreaterThan(8);
  expect(sixth).toBeGreaterThan(28);
});

test('a burst of 0 still lets one request through at a time', async () => {
  const [, second = 0] = await timesOf({ qps: 100, burst: 0 }, 2);
  expect(second).toBeGreaterThan(8);
});
