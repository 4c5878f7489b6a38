import { ApplicationFailure } from '@temporalio/common';
import type { DrainContext } from '../../../activities/drain/context.ts';
import { stopped } from '../../../activities/runtime/failures.ts';
import type { KubeList, Query } from '../../../kube/client/client.ts';
import { pause } from '../../../kube/client/pause.ts';
import { customResource, node as nodePath } from '../../../kube/client/paths.ts';
import type { PassWatch } from '../../../activities/drain/wake-ups/freed-pods.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import type { DrainRequest } from '../../../workflows/contracts/drain-activities.ts';
import type { Pause } from '../../../workflows/values/pauses.ts';
import { aMachine, aNode, aPod, namespace } from '../../support/builders.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import {
  aBudget,
  blocking,
  Drain,
  noWatch,
  podPath,
  providerID,
  refusal,
  removal,
} from './drain-under-test.ts';
import { drainOptions, finalizers, labels } from '../../../workflows/api/constants.ts';

test('a drain cordons its Node, marks it Terminating, and evicts the pods that may be evicted', async () => {
  const elsewhere = aPod({ metadata: { name: 'far' }, spec: { nodeName: 'pool-b' } });
  const drain = new Drain(new InMemoryClient(aNode(), aPod(), elsewhere));
  expect(await drain.run()).toEqual({ evictedPods: 1, isForced: false });
  const node = await drain.target.read<Node>(nodePath('pool-a'));
  expect(node.spec?.unschedulable).toBe(true);
  expect(node.status?.conditions).toMatchObject([
    { type: 'Terminating', status: 'True', reason: 'ScaleDown' },
    { type: 'Ready', status: 'True' },
  ]);
  expect([drain.has('web-0'), drain.has('far')]).toEqual([false, true]);
  expect(drain.reports).toEqual([]);
});

test('a pass that watches pods leave ends before its first heartbeat, in half of 30 s', async () => {
  const clock = fakeClock();
  try {
    const deletionTimestamp = new Date(Date.now() + 60_000).toISOString();
    const leaving = aPod({ metadata: { deletionTimestamp, finalizers: ['x/y'] } });
    const drain = new Drain(new InMemoryClient(aNode(), leaving));
    const deadline = Date.now() + 3_600_000;
    const begunAt = Date.now();
    const ran = drain.run({ deadline }, {}, { podPollMs: 500 }).catch(() => Date.now() - begunAt);
    await clock.tickAsync(20_000);
    const milliseconds = Number(await ran);
    expect(milliseconds).toBeGreaterThan(10_000);
    expect(milliseconds).toBeLessThan(15_000);
  } finally {
    clock.uninstall();
  }
});

describe('the time that a drain took', () => {
  const countsFrom = Date.now() - 90_000;

  test.each([
    { isForced: false, result: 'drained' },
    { isForced: true, result: 'forced' },
  ])('is told once it is over: $result', async ({ isForced, result }) => {
    const drain = new Drain(new InMemoryClient(aNode(), aPod()));
    await drain.control.patch(customResource('machines', namespace, 'pool-a'), 'merge', {
      metadata: { labels: { name: 'pool' } },
    });
    const drained = jest.fn<void, Parameters<NonNullable<DrainContext['drained']>>>();
    await drain.run({ isForced, countsFrom }, {}, { drained });
    expect(drained.mock.calls).toEqual([
      [{ result, labels: { name: 'pool' }, seconds: expect.closeTo(90, -2) }],
    ]);
  });

  test('is not told of a pass that leaves pods', async () => {
    const drained = jest.fn<void, Parameters<NonNullable<DrainContext['drained']>>>();
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run({}, {}, { drained })).rejects.toThrow('1 pod left');
    expect(drained).not.toHaveBeenCalled();
  });
});

/** Its memory is of the time before any pod. */
class ServerWithOldMemory extends InMemoryClient {
  override async list<T>(path: string, query: Query = {}): Promise<KubeList<T>> {
    const found = await super.list<T>(path, query);
    return query['resourceVersion'] === '0' ? { ...found, items: [] } : found;
  }
}

describe('the Node of a machine that goes with the drain', () => {
  const metadata = { finalizers: ['example.com/kept', finalizers.node] };
  const taints = [{ key: 'dedicated', value: 'db', effect: 'NoExecute' }];
  const spec = { providerID, taints };

  test('is closed and released by one write when no pod is on it', async () => {
    const drain = new Drain(new InMemoryClient(aNode({ metadata, spec })));
    await drain.run({ removal });
    expect(drain.target.writes()).toEqual([`PATCH ${nodePath('pool-a')}`]);
    const node = await drain.target.read<Node>(nodePath('pool-a'));
    expect(node.metadata.finalizers).toEqual(['example.com/kept']);
    expect(node.spec).toEqual({
      providerID,
      unschedulable: true,
      taints: [...taints, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
    });
    expect(node.status?.conditions).toMatchObject([{ type: 'Ready' }]);
  });

  test('keeps the finalizer, and says Terminating, while pods are on it', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await drain.target.patch(nodePath('pool-a'), 'merge', { metadata });
    await expect(drain.run({ removal })).rejects.toThrow('1 pod left');
    const node = await drain.target.read<Node>(nodePath('pool-a'));
    expect(node.metadata.finalizers).toEqual(metadata.finalizers);
    expect(node.status?.conditions).toMatchObject([{ type: 'Terminating' }, { type: 'Ready' }]);
  });

  test('gets the finalizer back when a pod came in between', async () => {
    const drain = new Drain(new ServerWithOldMemory(aNode({ metadata }), aPod(), aBudget('web')));
    drain.target.fault = ({ path }) => (path.endsWith('/eviction') ? refusal : undefined);
    await expect(drain.run({ removal })).rejects.toThrow('1 pod left');
    const node = await drain.target.read<Node>(nodePath('pool-a'));
    expect(node.metadata.finalizers).toEqual(metadata.finalizers);
  });
});

const isToNode = (call: string): boolean => call.includes(nodePath('pool-a'));

test('a Node is read and closed by two writes, and only read by a later attempt', async () => {
  const drain = blocking(aPod(), aBudget('web'));
  await expect(drain.run()).rejects.toThrow('1 pod left');
  const read = `GET ${nodePath('pool-a')}`;
  const closing = [read, `PATCH ${nodePath('pool-a')}`, `PATCH ${nodePath('pool-a')}/status`];
  expect(drain.target.calls.filter(isToNode)).toEqual(closing);
  await expect(drain.run()).rejects.toThrow('1 pod left');
  expect(drain.target.calls.filter(isToNode)).toEqual([...closing, read]);
});

test('a Node that somebody opened in the middle is closed again', async () => {
  const drain = blocking(aPod(), aBudget('web'));
  await expect(drain.run()).rejects.toThrow('1 pod left');
  await drain.target.patch(nodePath('pool-a'), 'merge', { spec: { unschedulable: null } });
  await expect(drain.run()).rejects.toThrow('1 pod left');
  const node = await drain.target.read<Node>(nodePath('pool-a'));
  expect(node.spec?.unschedulable).toBe(true);
});

test('pods of DaemonSets and mirror pods stay; those that have ended go', async () => {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true };
  const daemon = aPod({ metadata: { name: 'daemon', ownerReferences: [owner] } });
  const annotations = { 'kubernetes.io/config.mirror': 'x' };
  const mirror = aPod({ metadata: { name: 'mirror', annotations } });
  const ended = aPod({ metadata: { name: 'ended' }, status: { phase: 'Succeeded' } });
  const drain = new Drain(new InMemoryClient(aNode(), daemon, mirror, ended));
  expect(await drain.run()).toEqual({ evictedPods: 1, isForced: false });
  expect(['daemon', 'mirror', 'ended'].map((name) => drain.has(name))).toEqual([true, true, false]);
});

describe('a budget that refuses', () => {
  test('is named in a benign failure, and reported once', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    const failure = {
      type: 'DrainBlocked',
      category: 'BENIGN',
      message: expect.stringMatching(
        /^1 pod left: default\/web-0 since \S+Z: PodDisruptionBudget default\/web: The disruption budget web needs 1 healthy pods and has 1, next try \S+Z; by force after \S+Z$/,
      ),
      stack: '',
    };
    await expect(drain.run()).rejects.toMatchObject(failure);
    await expect(drain.run()).rejects.toMatchObject(failure);
    expect(drain.reports).toMatchObject([
      { podsLeft: 1, blockers: [{ blockedBy: 'PodDisruptionBudget/default/web' }] },
    ]);
  });

  test('is not asked before the time, unless somebody resets the activity', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run()).rejects.toThrow('1 pod left');
    await expect(drain.run()).rejects.toThrow('1 pod left');
    expect(drain.evictions()).toBe(1);
    drain.attempt = 0;
    await expect(drain.run()).rejects.toThrow('1 pod left');
    expect(drain.evictions()).toBe(2);
  });

  test('a budget that refuses and never can allow is called misconfigured, and asked at most each minute', async () => {
    const drain = blocking(aPod(), aBudget('web', { currentHealthy: 1, disruptionsAllowed: 0 }));
    const started = Date.now();
    await expect(drain.run()).rejects.toThrow('PodDisruptionBudget default/web is misconfigured');
    const [known] = Object.values(drain.progress?.refusals ?? {});
    expect(known?.nextTryAt).toBeGreaterThanOrEqual(started + 60_000);
  });

  test('together with another one is reported with both names', async () => {
    const drain = blocking(aPod(), aBudget('web'), aBudget('db'));
    const message =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    drain.target.fault = ({ path }) =>
      path.endsWith('/eviction') ? { code: 500, reason: 'InternalError', message } : undefined;
    await expect(drain.run()).rejects.toThrow('default/db, default/web; keep one of them');
  });

  test('is asked once for all pods that it refuses alike, and for all of them when it allows', async () => {
    const pods = ['web-0', 'web-1', 'web-2'].map((name) => aPod({ metadata: { name } }));
    const conditions = [{ type: 'Ready', status: 'True' }];
    const ready = aPod({ metadata: { name: 'ready' }, status: { conditions } });
    const drain = blocking(...pods, ready, aBudget('web'));
    await expect(drain.run()).rejects.toThrow('4 pods left');
    expect(drain.evictions()).toBe(4);
    drain.attempt = 0;
    await expect(drain.run()).rejects.toThrow('4 pods left');
    expect(drain.evictions()).toBe(6);
    const times = Object.values(drain.progress?.refusals ?? {}).map(({ nextTryAt }) => nextTryAt);
    expect(new Set(times).size).toBeLessThanOrEqual(2);
    drain.target.fault = () => undefined;
    drain.attempt = 0;
    expect(await drain.run()).toEqual({ evictedPods: 4, isForced: false });
    expect(drain.evictions()).toBe(10);
  });

  test('is not asked any more after maxEvictRetries times 20 s, counted over workers', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run({ maxEvictRetries: 2 })).rejects.toThrow('1 pod left');
    const [known] = Object.values(drain.progress?.refusals ?? {});
    if (!known) throw new Error('no refusal was noted');
    known.since -= 40_000;
    known.nextTryAt = 0;
    expect(await drain.run({ maxEvictRetries: 2 })).toEqual({ evictedPods: 1, isForced: false });
    expect(drain.has('web-0')).toBe(false);
    expect(drain.evictions()).toBe(1);
  });
});

describe('while pods are refused for an hour', () => {
  const never = { currentHealthy: 1, disruptionsAllowed: 0 };
  const webhook = { code: 403, reason: 'Forbidden', message: 'a webhook' };

  test.each([
    { name: 'a budget that may allow', status: {}, answer: refusal, attempts: 55 },
    { name: 'a budget that never can', status: never, answer: refusal, attempts: 45 },
    { name: 'a webhook', status: {}, answer: webhook, attempts: 95 },
  ])('each attempt asks, and there are few: $name', async ({ status, answer, attempts }) => {
    const system = new HandSystem();
    const drain = blocking(aPod(), aBudget('web', status));
    drain.target.fault = ({ path }) => (path.endsWith('/eviction') ? answer : undefined);
    const request = { countsFrom: system.now(), deadline: system.now() + 7_200_000 };
    while (system.monotonic() < 3_600_000) {
      const failure = await system.run(() => drain.run(request)).catch((error: unknown) => error);
      if (!(failure instanceof ApplicationFailure)) throw failure;
      await system.to(system.monotonic() + Number(failure.nextRetryDelay));
    }
    expect(drain.evictions()).toBe(drain.attempt);
    expect(drain.attempt).toBeLessThanOrEqual(attempts);
    expect(drain.heartbeats).toBe(1);
  });
});

describe('what people ask on the Machine', () => {
  test.each([
    {
      name: 'to wait longer',
      metadata: { annotations: { [drainOptions.until]: '2100-01-01T00:00:00Z' } },
    },
    { name: 'to skip it', metadata: { annotations: { [drainOptions.skip]: 'true' } } },
    { name: 'to use force', metadata: { labels: { [labels.forceDeletion]: 'True' } } },
  ])('ends a pass that runs: $name', async ({ metadata }) => {
    const deletionTimestamp = new Date(Date.now() + 3_600_000).toISOString();
    const going = aPod({ metadata: { name: 'going', deletionTimestamp, finalizers: ['x/y'] } });
    const drain = new Drain(new InMemoryClient(aNode(), going));
    let looks = 0;
    const requireActiveWatcher = async (): Promise<void> => {
      looks += 1;
      if (looks !== 2) return;
      await drain.control.patch(customResource('machines', namespace, 'pool-a'), 'merge', {
        metadata,
      });
    };
    await expect(
      drain.run({}, {}, { requireActiveWatcher, ordersPollMs: 0 }),
    ).rejects.toMatchObject({
      type: 'Draining',
      message: 'the Machine asks for something else by now',
      nextRetryDelay: 1_000,
    });
    expect(looks).toBe(2);
  });
});

const asks = (name: string) => (call: { path: string }) =>
  call.path === `${podPath(name)}/eviction`;

test('an eviction meets only the pod that was listed: another of its name stays', async () => {
  const target = new InMemoryClient(aNode(), aPod());
  const drain = new Drain(target);
  target.fault = (call) => {
    // A StatefulSet was faster: it made the next pod of this name, on another Node.
    const uid = 'uid-of-the-next';
    const spec = { nodeName: 'pool-b' };
    if (asks('web-0')(call)) target.put(aPod({ metadata: { name: 'web-0', uid }, spec }));
    return undefined;
  };
  expect(await drain.run()).toEqual({ evictedPods: 1, isForced: false });
  expect(await target.read<Node>(podPath('web-0'))).toMatchObject({
    metadata: { uid: 'uid-of-the-next' },
  });
});

test('a stop that comes in the middle of a pass ends it before another pod is asked', async () => {
  const deletionTimestamp = new Date(Date.now() + 20_000).toISOString();
  const going = aPod({ metadata: { name: 'going', deletionTimestamp, finalizers: ['x/y'] } });
  const drain = new Drain(new InMemoryClient(aNode(), going));
  let looks = 0;
  const requireActiveWatcher = async (): Promise<void> => {
    looks += 1;
    if (looks === 1) return;
    drain.target.put(aPod());
    throw stopped('stopped by ConfigMap');
  };
  await expect(drain.run({}, {}, { requireActiveWatcher })).rejects.toMatchObject({
    type: 'Stopped',
  });
  expect(looks).toBe(2);
  expect(drain.evictions()).toBe(0);
});

test('many pods are counted, some are named', async () => {
  const pods = Array.from({ length: 7 }, (_, index) =>
    aPod({ metadata: { name: `web-${index}` } }),
  );
  await expect(blocking(...pods).run()).rejects.toThrow(/^7 pods left: .*web-4.* and 2 more;/);
});

const minutesAgo = (minutes: number): string =>
  new Date(Date.now() - minutes * 60_000).toISOString();
const sick = (type: string, status: 'True' | 'False' | 'Unknown', minutes: number) =>
  aNode({
    status: { conditions: [{ type, status, lastTransitionTime: minutesAgo(minutes) }] },
  });

describe('force', () => {
  test.each<{ name: string; changes?: Partial<DrainRequest>; node?: object }>([
    { name: 'after its deadline', changes: { deadline: Date.now() - 1 } },
    { name: 'when it was asked for', changes: { isForced: true } },
    { name: 'on a Node that is not Ready', node: sick('Ready', 'Unknown', 6) },
    { name: 'on a read-only file system', node: sick('ReadonlyFilesystem', 'True', 6) },
  ])('asks no budget $name', async ({ changes, node }) => {
    const drain = blocking(aPod(), ...(node ? [node] : []));
    expect(await drain.run(changes)).toEqual({ evictedPods: 1, isForced: true });
    expect(drain.has('web-0')).toBe(false);
    expect(drain.evictions()).toBe(0);
  });

  test.each([
    { name: 'Ready is False for 4 minutes', node: sick('Ready', 'False', 4) },
    { name: 'the file system was read-only', node: sick('ReadonlyFilesystem', 'False', 60) },
  ])('is not used when $name', async ({ node }) => {
    await expect(blocking(aPod(), node).run()).rejects.toMatchObject({ type: 'DrainBlocked' });
  });

  test('is not used on a Node whose API server was away since then: it could not report', async () => {
    const until = Date.now() - 5_000;
    const period = { from: until - 600_000, until };
    for (const reason of ['target', 'watcher'] as const) {
      const drain = blocking(aPod(), sick('Ready', 'Unknown', 8));
      const pauses: Pause[] = [{ reason, ...period }];
      await expect(drain.run({}, {}, { pauses })).rejects.toMatchObject({ type: 'DrainBlocked' });
      expect(drain.has('web-0')).toBe(true);
    }
    const forced = { isForced: true };
    const byStop: Pause[] = [{ reason: 'stop', ...period }];
    const silent = blocking(aPod(), sick('Ready', 'Unknown', 8));
    expect(await silent.run({}, {}, { pauses: byStop })).toMatchObject(forced);
    // It was ill for long enough before that.
    const away: Pause[] = [{ reason: 'target', ...period }];
    const ill = blocking(aPod(), sick('Ready', 'Unknown', 30));
    expect(await ill.run({}, {}, { pauses: away })).toMatchObject(forced);
  });

  test('is not used when a pause since the deletion moved the deadline, however often it is asked', async () => {
    const now = Date.now();
    const countsFrom = now - 7_200_000;
    const pauses: Pause[] = [
      { reason: 'stop', from: countsFrom, until: countsFrom + 3_600_000 },
      { reason: 'worker', from: now - 1_800_000, until: now - 1_200_000 },
    ];
    const changes = { countsFrom, deadline: now - 600_000 };
    const drain = blocking(aPod());
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await expect(drain.run(changes, {}, { pauses })).rejects.toMatchObject({
        type: 'DrainBlocked',
      });
    }
    expect(drain.has('web-0')).toBe(true);
    expect(drain.reports.map(({ deadline }) => deadline)).toEqual([now + 3_600_000]);
  });

  test('is used at the deadline although the cluster of the Nodes was away', async () => {
    const now = Date.now();
    const pauses: Pause[] = [{ reason: 'target', from: now - 50_000, until: now - 10_000 }];
    const changes = { countsFrom: now - 60_000, deadline: now - 1 };
    expect(await blocking(aPod()).run(changes, {}, { pauses })).toMatchObject({ isForced: true });
  });

  test('does not wait for a pod that keeps a finalizer', async () => {
    const drain = new Drain(
      new InMemoryClient(aNode(), aPod({ metadata: { finalizers: ['x/y'] } })),
    );
    expect(await drain.run({ isForced: true })).toEqual({ evictedPods: 1, isForced: true });
    expect(drain.has('web-0')).toBe(true);
  });
});

describe('a Node that is kept', () => {
  const keepsNode = true;

  test('is neither cordoned nor marked, and its pods are asked', async () => {
    const drain = new Drain(new InMemoryClient(aNode(), aPod()));
    expect(await drain.run({ keepsNode })).toEqual({ evictedPods: 1, isForced: false });
    const node = await drain.target.read<Node>(nodePath('pool-a'));
    expect(node.spec?.unschedulable).toBeUndefined();
    expect(node.status?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
    expect(drain.evictions()).toBe(1);
  });

  test('pods that nobody can delete are a failure that names them', async () => {
    const drain = new Drain(new InMemoryClient(aNode(), aPod()));
    drain.target.fault = ({ method }) =>
      method === 'DELETE' ? { code: 403, reason: 'Forbidden', message: 'a webhook' } : undefined;
    const run = drain.run({ keepsNode, isForced: true });
    await expect(run).rejects.toMatchObject({
      nonRetryable: true,
      message: expect.stringMatching(/^1 pods could not be deleted: default\/web-0: /),
    });
  });

  test('keeps its pods when they may not be listed, and that is a failure too', async () => {
    const drain = new Drain(new InMemoryClient(aNode()));
    drain.target.fault = ({ path }) =>
      path.startsWith('/api/v1/pods') ? { code: 403, reason: 'Forbidden' } : undefined;
    await expect(drain.run({ keepsNode })).rejects.toMatchObject({ nonRetryable: true });
  });
});

test('a pass that waits for a pod to end goes over to force when its deadline comes', async () => {
  const metadata = {
    name: 'slow',
    deletionTimestamp: new Date().toISOString(),
    finalizers: ['example.org/held'],
  };
  const drain = new Drain(new InMemoryClient(aNode(), aPod({ metadata })));
  const deadline = Date.now() + 300;
  let rests = 0;
  const watch: PassWatch = {
    ...noWatch,
    pause: async (_milliseconds, signal) => {
      rests += 1;
      await pause(Math.max(deadline - Date.now(), 20), signal);
    },
  };
  expect(await drain.run({ deadline }, {}, { watch })).toMatchObject({ isForced: true });
  // One rest lasts until the deadline; a timer may be a millisecond early.
  expect(rests).toBeLessThanOrEqual(2);
});

describe('a drain that was asked for by hand', () => {
  test.each([
    ['a Machine that lives', 'Running', {}],
    ['one that lives, by force', 'Running', { isForced: true }],
    ['one that lives and keeps its Node', 'Running', { keepsNode: true }],
    ['one that has failed, with its Node', 'Failed', {}],
  ] as const)('leaves %s alone', async (_what, phase, change) => {
    const drain = new Drain(new InMemoryClient(aNode(), aPod()));
    drain.control.put(aMachine({ phase }));
    expect(await drain.run(change)).toEqual({ evictedPods: 0, isForced: false });
    expect(drain.target.writes()).toEqual([]);
    expect(drain.has('web-0')).toBe(true);
  });

  test('evicts from a preserved machine, which has failed and keeps its Node', async () => {
    const drain = new Drain(new InMemoryClient(aNode(), aPod()));
    drain.control.put(aMachine({ phase: 'Failed' }));
    expect(await drain.run({ keepsNode: true })).toMatchObject({ evictedPods: 1 });
  });
});
