/** What a Machine says of its drain. */
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { beginTeardown } from '../../../activities/machine/teardown.ts';
import { aMachine, namespace, aNode, aPod } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import type { Fault } from '../../support/api-server/in-memory-client.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aWorld, lifeOf } from '../../support/world.ts';
import { gardenerCodesOf } from '../drivers/gardener-error-codes.ts';
import { aBudget, blocking, Drain } from './drain-under-test.ts';

interface EventList {
  items: { type: string; reason: string; message: string; involvedObject: { kind: string } }[];
}

async function eventsIn(kube: InMemoryClient, where: string): Promise<EventList['items']> {
  return (await kube.list<EventList['items'][number]>(namespaced('events', where))).items;
}

describe('a drain that a budget blocks', () => {
  test('is Failed on its Machine, in the words of MCM, written once', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run()).rejects.toThrow('1 pod left');
    expect(await drain.operation()).toMatchObject({
      state: 'Failed',
      type: 'Delete',
      description:
        'Drain failed due to - 1 pod left: default/web-0: PodDisruptionBudget default/web: The disruption budget web needs 1 healthy pods and has 1. Will retry in next sync. Initiate node drain',
    });
    await expect(drain.run()).rejects.toThrow('1 pod left');
    drain.attempt = 0;
    await expect(drain.run()).rejects.toThrow('1 pod left');
    expect(drain.operations()).toBe(1);
  });

  test('says it again where a late write said that the deletion begins', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run()).rejects.toThrow('1 pod left');
    const said = await drain.operation();
    const late = { ...aWorld(), control: drain.control };
    await beginTeardown(late, { machine: lifeOf('pool-a') });
    expect(await drain.operation()).toMatchObject({ state: 'Processing' });
    await expect(drain.run()).rejects.toThrow('1 pod left');
    const again = { ...said, lastUpdateTime: expect.any(String) };
    expect(await drain.operation()).toEqual(again);
    expect(drain.operations()).toBe(3);
  });

  test('is not said of a machine whose deletion was undone, and the drain ends', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run()).rejects.toThrow('1 pod left');
    drain.control.put(aMachine({ phase: 'Running' }));
    expect(await drain.run()).toEqual({ evictedPods: 0, isForced: false });
    expect(await drain.operation()).toBeUndefined();
  });

  test('removes the code that an earlier failure left on its Machine', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    const lastOperation = { description: 'no answer', errorCode: 'Unavailable', state: 'Failed' };
    const status = { lastOperation };
    const path = `${customResource('machines', namespace, 'pool-a')}/status`;
    await drain.control.patch(path, 'merge', { status });
    expect(await drain.operation()).toHaveProperty('errorCode', 'Unavailable');
    await expect(drain.run()).rejects.toThrow('1 pod left');
    expect((await drain.operation())?.description).toContain('1 pod left');
    expect(await drain.operation()).not.toHaveProperty('errorCode');
  });

  test('for good has the words by which Gardener tells the owner, also when that shows later', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run()).rejects.toThrow('1 pod left');
    const { description: before = '' } = (await drain.operation()) ?? {};
    expect(gardenerCodesOf('aws', before)).toEqual([]);
    drain.target.put(aBudget('web', { currentHealthy: 1, disruptionsAllowed: 0 }));
    drain.attempt = 0;
    await expect(drain.run()).rejects.toThrow('is misconfigured');
    const { description = '', state } = (await drain.operation()) ?? {};
    expect(state).toBe('Failed');
    expect(gardenerCodesOf('aws', description)).toEqual(['ERR_RETRYABLE_CONFIGURATION_PROBLEM']);
    expect(drain.reports).toMatchObject([{}, { blockers: [{ isHopeless: true }] }]);
  });

  test('has an Event on Machine and budget', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run()).rejects.toThrow('1 pod left');
    const ofDrain = { type: 'Warning', reason: 'DrainBlocked' };
    await eventually('both are written', async () => {
      const events = [
        ...(await eventsIn(drain.control, namespace)),
        ...(await eventsIn(drain.target, 'default')),
      ];
      return events.length === 2;
    });
    expect(await eventsIn(drain.control, namespace)).toMatchObject([
      { ...ofDrain, involvedObject: { kind: 'Machine' } },
    ]);
    expect(await eventsIn(drain.target, 'default')).toMatchObject([
      { ...ofDrain, involvedObject: { kind: 'PodDisruptionBudget' } },
    ]);
  });

  test('a drain whose budget no longer blocks is Processing again', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run()).rejects.toThrow('1 pod left');
    drain.target.fault = () => undefined;
    drain.attempt = 0;
    await drain.run();
    expect(await drain.operation()).toMatchObject({
      state: 'Processing',
      description:
        'Nothing blocks the drain any more: the worker goes on evicting pods. Initiate node drain',
    });
  });

  test('goes on when its Machine takes no status, and says it later', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    const refused = { code: 403, reason: 'Forbidden', message: 'a webhook' };
    drain.control.fault = ({ method }) => (method === 'PATCH' ? refused : undefined);
    await expect(drain.run()).rejects.toThrow('1 pod left');
    expect(drain.warnings).toMatchObject([{ code: 403 }]);
    expect(drain.reports).toHaveLength(1);
    drain.control.fault = () => undefined;
    await expect(drain.run()).rejects.toThrow('1 pod left');
    expect(drain.reports).toHaveLength(1);
    expect(await drain.operation()).toMatchObject({ state: 'Failed' });
  });

  test('of a machine that is kept leaves its last operation as it is', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run({ keepsNode: true })).rejects.toThrow('1 pod left');
    expect(drain.operations()).toBe(0);
  });
});

test('a drain without trouble writes nothing on its Machine', async () => {
  const drain = new Drain(new InMemoryClient(aNode(), aPod()));
  await drain.run();
  expect(drain.operations()).toBe(0);
});

const forbidden = { code: 403, reason: 'Forbidden', message: 'nodes is forbidden' };
const unreachable = { code: 0, reason: 'Unreachable', message: 'connect ECONNREFUSED' };

const faults: { name: string; fault: Fault; words: RegExp }[] = [
  {
    name: 'that may not write the Node',
    fault: ({ method }) => (method === 'PATCH' ? forbidden : undefined),
    words:
      /^PATCH \/api\/v1\/nodes\/pool-a: 403 Forbidden: nodes is forbidden; since \S+Z, by force/,
  },
  {
    name: 'that may not list pods',
    fault: ({ path }) => (path === '/api/v1/pods' ? forbidden : undefined),
    words: /^GET \/api\/v1\/pods: 403 Forbidden/,
  },
  {
    name: 'whose server fails',
    fault: ({ path }) =>
      path === '/api/v1/pods' ? { code: 500, reason: 'InternalError' } : undefined,
    words: /^GET \/api\/v1\/pods: 500 InternalError/,
  },
  {
    name: 'whose target cluster is out of reach',
    fault: () => unreachable,
    words:
      /^the target cluster is out of reach: GET \/api\/v1\/nodes\/pool-a: Unreachable: connect ECONNREFUSED; since \S+Z, by force after \S+Z$/,
  },
];

describe('a drain', () => {
  test.each(faults)(
    '$name is Failed on its Machine, with the reason, written once',
    async (row) => {
      const drain = new Drain(new InMemoryClient(aNode(), aPod()));
      drain.target.fault = row.fault;
      const failure = expect.objectContaining({ message: expect.stringMatching(row.words) });
      await expect(drain.run()).rejects.toEqual(failure);
      const first = await drain.operation();
      expect(first?.state).toBe('Failed');
      const [, words = '', end] =
        /^Drain failed due to - (.*)\. (Will retry in next sync\. Initiate node drain)$/.exec(
          first?.description ?? '',
        ) ?? [];
      expect(words).toMatch(row.words);
      expect(end).toBeDefined();
      await expect(drain.run()).rejects.toEqual(failure);
      expect(drain.operations()).toBe(1);
      drain.target.fault = () => undefined;
      expect(await drain.run()).toEqual({ evictedPods: 1, isForced: false });
      expect((await drain.operation())?.state).toBe('Processing');
    },
  );
});

const isForcing = ({ reason }: { reason: string }): boolean => reason === 'DrainForced';

/** On what, and in which words. */
async function untilSaid({ control, target }: Drain, count: number): Promise<string[]> {
  let said: string[] = [];
  await eventually('it is said', async () => {
    const all = [...(await eventsIn(control, namespace)), ...(await eventsIn(target, 'default'))];
    said = all.filter(isForcing).map((one) => `${one.involvedObject.kind}: ${one.message}`);
    expect(said).toHaveLength(count);
  });
  return said.toSorted();
}

describe('pods that are deleted without asking', () => {
  const lastTransitionTime = new Date(Date.now() - 360_000).toISOString();
  const conditions = [{ type: 'Ready', status: 'Unknown' as const, lastTransitionTime }];
  const sick = aNode({ status: { conditions } });
  const pods = [aPod(), aPod({ metadata: { name: 'web-1' } })];

  test.each([
    { name: 'its deadline is over', changes: { deadline: 1 }, why: 'drainTimeout' },
    { name: 'it was asked for', changes: { isForced: true }, why: 'force was asked for' },
    { name: 'its Node is sick', changes: {}, node: sick, why: 'Ready is Unknown for over 5' },
  ])('are Events on Machine, pods and budget, where $name', async ({ changes, node, why }) => {
    const drain = blocking(...pods, aBudget('web'), ...(node ? [node] : []));
    await drain.run(changes);
    const because = expect.stringContaining(why);
    const said = await untilSaid(drain, 4);
    expect(said).toEqual([because, because, because, because]);
    expect(said.map((text) => text.split(':', 1)[0])).toEqual([
      'Machine',
      'Pod',
      'Pod',
      'PodDisruptionBudget',
    ]);
    expect(said.at(-1)).toContain('2 pods: default/web-0, default/web-1');
  });

  test('are said also of one whose evictions were refused for too long', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run({ maxEvictRetries: 2 })).rejects.toThrow('1 pod left');
    const [known] = Object.values(drain.progress?.refusals ?? {});
    if (!known) throw new Error('no refusal was noted');
    known.since -= 40_000;
    known.nextTryAt = 0;
    await drain.run({ maxEvictRetries: 2 });
    const because = expect.stringContaining('maxEvictRetries');
    expect(await untilSaid(drain, 3)).toEqual([because, because, because]);
  });

  test('none are no Event; one that could not be asked is', async () => {
    const empty = blocking();
    await empty.run({ isForced: true });
    const lost = blocking(aPod());
    lost.target.fault = () => unreachable;
    await lost.run({ isForced: true });
    lost.target.fault = () => undefined;
    expect(await untilSaid(lost, 1)).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect((await eventsIn(empty.control, namespace)).filter(isForcing)).toEqual([]);
  });
});

describe('a forced drain', () => {
  const isForced = true;

  test.each([{ isForced }, { deadline: 1 }])(
    'with %j ends after one try at a target cluster that is out of reach',
    async (changes) => {
      const drain = new Drain(new InMemoryClient(aNode(), aPod()));
      drain.target.fault = () => unreachable;
      expect(await drain.run(changes)).toEqual({ evictedPods: 0, isForced });
      expect(drain.target.calls).toHaveLength(1);
      expect(await drain.operation()).toMatchObject({
        state: 'Processing',
        description:
          "Drain failed due to - GET /api/v1/nodes/pool-a: Unreachable: connect ECONNREFUSED. However, since it's a force deletion shall continue deletion of VM. Delete Volume Attachments",
      });
    },
  );

  test('ends after its time limit when the target cluster does not answer', async () => {
    const silent = new InMemoryClient();
    silent.get = () => new Promise(() => undefined);
    const drain = new Drain(silent);
    expect(await drain.run({ isForced }, {}, { forceLimitMs: 50 })).toEqual({
      evictedPods: 0,
      isForced,
    });
    expect((await drain.operation())?.description).toMatch(
      /^Drain failed due to - the target cluster was not done within 0\.05 s\. However/,
    );
  });

  test('passes over what it may not write and over pods that may not be deleted', async () => {
    const drain = new Drain(new InMemoryClient(aNode(), aPod()));
    drain.target.fault = ({ method }) => (method === 'DELETE' ? forbidden : undefined);
    expect(await drain.run({ isForced })).toEqual({ evictedPods: 1, isForced });
    expect((await drain.operation())?.description).toMatch(
      /^Drain failed due to - 1 pods could not be deleted: default\/web-0: .*However, since it's a force/,
    );
  });

  test('a forced drain that could do all of it says so', async () => {
    const drain = blocking(aPod(), aBudget('web'));
    await expect(drain.run()).rejects.toThrow('1 pod left');
    await drain.run({ isForced });
    expect(await drain.operation()).toMatchObject({
      state: 'Processing',
      description: 'Force Drain successful. Delete Volume Attachments',
    });
  });

  test('of a Node that is kept is tried again while the target cluster is out of reach', async () => {
    const drain = new Drain(new InMemoryClient(aNode(), aPod()));
    drain.target.fault = () => unreachable;
    await expect(drain.run({ isForced, keepsNode: true })).rejects.toThrow('Unreachable');
  });
});
