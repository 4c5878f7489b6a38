/** Evictions that the API server refuses for one pod, without a PodDisruptionBudget. */
import { fakeClock } from '../../support/fake-clock.ts';
import { aNode, aPod } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aBudget, Drain, podPath } from './drain-under-test.ts';

const webhook = 'admission webhook "vm.example.com" denied the request: VM default/vm is moved';
const claim = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };

/** Pods web-0, which is refused, and two that are free: one of them has a volume. */
function refusing(fault: { code: number; reason: string; message: string }): Drain {
  const free = aPod({ metadata: { name: 'free' } });
  const spec = { nodeName: 'pool-a', volumes: [claim] };
  const stateful = aPod({ metadata: { name: 'stateful' }, spec });
  const drain = new Drain(new InMemoryClient(aNode(), aPod(), free, stateful));
  drain.target.fault = ({ path }) => (path === `${podPath('web-0')}/eviction` ? fault : undefined);
  return drain;
}

const refusals = {
  'a webhook with 429, as that of KubeVirt': { code: 429, reason: 'HTTP429', message: webhook },
  'a webhook with 429 and its reason': {
    code: 429,
    reason: 'TooManyRequests',
    message: webhook,
  },
  'a webhook with 409': { code: 409, reason: 'Conflict', message: webhook },
  // Its finalizer was taken off by hand: the API server evicts no pod that it left behind.
  'a namespace that is gone': {
    code: 404,
    reason: 'NotFound',
    message: 'namespaces "default" not found',
  },
  // The API server waits for it as long as we wait for the API server.
  'a webhook that does not answer': { code: 0, reason: 'Timeout', message: 'no answer in time' },
};

test.each(Object.entries(refusals))('%s: the pod is named, and the others go', async (_, fault) => {
  const drain = refusing(fault);
  const failure = await drain.run().catch((error: unknown) => error);
  expect(failure).toMatchObject({
    type: 'DrainBlocked',
    message: expect.stringContaining(fault.message),
  });
  expect(drain.reports.at(-1)?.blockers).toMatchObject([{ blockedBy: 'Pod/default/web-0' }]);
  expect(['web-0', 'free', 'stateful'].map((name) => drain.has(name))).toEqual([
    true,
    false,
    false,
  ]);
});

test.each(Object.entries(refusals))('%s: the pod is deleted after its time', async (_, fault) => {
  const drain = refusing(fault);
  await expect(drain.run()).rejects.toThrow(fault.message);
  expect(await drain.run({ maxEvictRetries: 0 }, {}, { isFirstAttempt: true })).toMatchObject({
    isForced: false,
  });
  expect(drain.has('web-0')).toBe(false);
});

test('a webhook that refuses with 429 is not taken for a budget that takes the pod', async () => {
  const drain = refusing(refusals['a webhook with 429 and its reason']);
  drain.target.put(aBudget('web', { currentHealthy: 1 }));
  await expect(drain.run()).rejects.toThrow(webhook);
  expect(drain.reports.at(-1)?.blockers).toMatchObject([{ blockedBy: 'Pod/default/web-0' }]);
});

test('an API server that has too much to do fails the pass', async () => {
  const drain = refusing({ code: 429, reason: 'Throttled', message: 'Too many requests' });
  await expect(drain.run()).rejects.toThrow('429 Throttled');
  expect(drain.reports).toEqual([]);
});

test('an API server that does not answer any more fails the pass', async () => {
  const drain = refusing(refusals['a webhook that does not answer']);
  const asks = drain.target.fault;
  drain.target.fault = (call) => {
    const isRead = call.path === podPath('').slice(0, -1);
    return isRead ? { code: 0, reason: 'Timeout', message: 'no answer' } : asks?.(call);
  };
  await expect(drain.run()).rejects.toMatchObject({ type: 'ApiServerUnreachable' });
  expect(drain.reports).toEqual([]);
});

test('a pass does not wait for a webhook at each pod: the next pass asks the others', async () => {
  const clock = fakeClock({ toFake: ['Date'] });
  const spec = { nodeName: 'pool-a', volumes: [claim] };
  const pods = [1, 2, 3, 4].map((index) => aPod({ metadata: { name: `db-${index}` }, spec }));
  const drain = new Drain(new InMemoryClient(aNode(), ...pods));
  const asked: string[] = [];
  drain.target.fault = ({ path }) => {
    if (!path.endsWith('/eviction')) return undefined;
    asked.push(path.split('/').at(-2) ?? '');
    clock.setSystemTime(Date.now() + 10_000);
    return refusals['a webhook that does not answer'];
  };
  await expect(drain.run()).rejects.toMatchObject({ type: 'DrainBlocked' });
  expect(asked).toEqual(['db-1', 'db-2']);
  await expect(drain.run()).rejects.toMatchObject({ type: 'DrainBlocked' });
  expect(asked).toEqual(['db-1', 'db-2', 'db-1', 'db-3']);
  clock.uninstall();
});
