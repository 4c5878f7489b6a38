/**
 * kill -9 of the worker at many moments of drains, when a step is done and the worker does not
 * know. Nobody is asked twice, no budget is broken, no clock begins anew, one VM goes once, and
 * nothing is left.
 */
import type { Machine } from '../../../workflows/api/machine.ts';
import { evictedPods, operatorRequests } from '../support/audit.ts';
import { DrainMoments, type DrainMoment } from '../support/drain-moments.ts';
import { eventually } from '../../support/eventually.ts';
import { KillProxy } from '../support/kill-proxy.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { Volumes } from '../support/volumes.ts';
import { Workloads } from '../support/workloads.ts';

interface DrainAnswer {
  deadline: number;
  isBlocked: boolean;
}

describe('kill -9 of the worker after a step of a drain', () => {
  const moments = new DrainMoments(async (nodeName) => {
    const pods = await workloads.podsOn(nodeName);
    return pods.length === 0;
  });
  const { picks } = moments;
  const proxy = new KillProxy({ moment: 'after', name: 'drain-kills', picks });
  // In this order: the worker is started after its proxy.
  beforeAll(() => proxy.start(() => scenario.operator.kill9('worker')));
  const scenario = useScenario('drain-killed', {
    workerAccess: () => proxy.access,
    workerFlags: ['--machine-pv-detach-timeout=10m', '--machine-pv-reattach-timeout=2s'],
  });
  afterAll(() => proxy.stop());
  const { cluster, cloud, workflows, namespace } = scenario;
  const workloads = new Workloads(scenario);
  const volumes = new Volumes(scenario);
  const slowToGo = { 'local.millwright.dev/delete-delay': '2s' };

  const deletionsOf = (resource: string, start: string) =>
    operatorRequests(namespace, { verb: 'delete', resource, start });

  test('pods without volumes: the Node is closed, pods are asked, the VM goes', async () => {
    const name = await runningMachine('plain');
    await workloads.start({ app: 'web', nodeName: name, replicas: 3, annotations: slowToGo });
    await deleteAndKill(name, ['cordon', 'condition', 'first eviction', 'VM deletion']);
    await expectGone(name);
    expect(await evictions('web-')).toEqual([201, 201, 201]);
    await workloads.end('web');
  });

  test('pods without volumes: they are looked at, the last one has gone, the Node goes', async () => {
    const name = await runningMachine('looks');
    await workloads.start({ app: 'api', nodeName: name, replicas: 2, annotations: slowToGo });
    await deleteAndKill(name, ['list of pods', 'last pod gone', 'Node finalizer', 'Node deletion']);
    await expectGone(name);
    expect(await evictions('api-')).toEqual([201, 201]);
    await workloads.end('api');
  });

  test('a PodDisruptionBudget: refused, reported, and allowed', async () => {
    const name = await runningMachine('guarded');
    await workloads.start({ app: 'shop', nodeName: name, replicas: 2 });
    await workloads.guard('shop', { app: 'shop', minAvailable: 2 });
    await deleteAndKill(name, ['report', 'Machine finalizer'], {
      later: ['Machine finalizer'],
    });
    const { deadline } = await untilBlocked(name);
    const since = await sinceOf(name);
    await killAt(name, ['next try']);
    const { lastStartedTime: killed } = await workflows.pendingAttempt('machine', name);
    expect(await sinceOf(name, killed)).toEqual(since);
    expect(await drainOf(name)).toMatchObject({ deadline, isBlocked: true });
    expect(new Set(await evictions('shop-'))).toEqual(new Set([429]));
    expect(await cloud.instances()).toHaveLength(1);
    await cluster.kube.patch(workloads.budgets('shop'), 'merge', { spec: { minAvailable: 0 } });
    await expectGone(name);
    expect((await evictions('shop-')).filter((code) => code !== 429)).toEqual([201, 201]);
    await cluster.delete(workloads.budgets('shop'));
    await workloads.end('shop');
  });

  test('pods with volumes: one after another, each when the volume before has moved', async () => {
    const name = await runningMachine('volumes');
    const claims = ['db-a', 'db-b'];
    for (const claim of claims) {
      await volumes.attach(claim, name);
      await workloads.start({ app: claim, nodeName: name, claims: [claim] });
    }
    await deleteAndKill(name, ['attachments', 'first eviction']);
    await untilNoPod(name, 'db-a');
    await killAt(name, ['list of pods']);
    expect(await evictions('db-b-')).toEqual([]);
    await volumes.detach('db-a');
    await untilNoPod(name, 'db-b');
    await volumes.detach('db-b');
    await expectGone(name);
    expect(await evictions('db-a-')).toEqual([201]);
    expect(await evictions('db-b-')).toEqual([201]);
    for (const claim of claims) {
      await workloads.end(claim);
      await volumes.remove(claim);
    }
  });

  test('the drain timeout: pods go by force when it is over, volumes when the VM is gone', async () => {
    // A worker that died has to be back before it is over.
    const drainTimeoutSeconds = 40;
    const name = await runningMachine('late', { drainTimeout: `${drainTimeoutSeconds}s` });
    await volumes.attach('late', name);
    await workloads.start({ app: 'late', nodeName: name });
    await workloads.guard('late', { app: 'late', maxUnavailable: 0 });
    const { metadata } = await deleteAndKill(
      name,
      ['budget', 'pod deletion', 'attachment deletion'],
      { later: ['pod deletion', 'attachment deletion'] },
    );
    const end = Date.parse(metadata.deletionTimestamp ?? '') + drainTimeoutSeconds * 1_000;
    expect(await drainOf(name)).toMatchObject({ deadline: end });
    await expectGone(name);
    const [first] = await deletionsOf('pods', 'late-');
    expect(first?.at).toBeGreaterThanOrEqual(end);
    const [detached] = await deletionsOf('volumeattachments', volumes.volumeOf('late'));
    const vm = (await cloud.deletions()).find((one) => one.name === name);
    expect(detached?.at).toBeGreaterThan(vm?.at ?? Number.POSITIVE_INFINITY);
    expect(await volumes.isAttached('late')).toBe(false);
    await cluster.delete(workloads.budgets('late'));
    await workloads.end('late');
    await volumes.remove('late');
  });

  async function runningMachine(short: string, spec: object = {}): Promise<string> {
    const name = await createMachine(scenario, short, spec);
    await untilPhase(scenario, name, 'Running');
    return name;
  }

  /**
   * Deletes it; waits until the worker has died at each of the moments but the later ones, which
   * stay armed.
   */
  async function deleteAndKill(
    name: string,
    wanted: DrainMoment[],
    { later = [] }: { later?: DrainMoment[] } = {},
  ): Promise<Machine> {
    proxy.arm();
    moments.arm(name, wanted);
    await cluster.delete(cluster.pathOf('machines', name));
    const machine = await cluster.machine(name);
    await eventually(`the worker died at ${wanted.join(', ')}`, () =>
      expect(moments.left.toSorted()).toEqual(later.toSorted()),
    );
    return machine;
  }

  /** Once more, in the middle of a drain. */
  async function killAt(name: string, wanted: DrainMoment[]): Promise<void> {
    const before = moments.left;
    moments.arm(name, [...before, ...wanted]);
    await eventually(`the worker died at ${wanted.join(', ')}`, () =>
      expect(moments.left.toSorted()).toEqual(before.toSorted()),
    );
  }

  async function drainOf(name: string): Promise<DrainAnswer> {
    return await workflows.handleOf('machine', name).query<DrainAnswer>('drain');
  }

  async function untilBlocked(name: string): Promise<DrainAnswer> {
    return await eventually(`the drain of ${name} is blocked`, async () => {
      const answer = await drainOf(name);
      expect(answer).toMatchObject({ isBlocked: true });
      return answer;
    });
  }

  /**
   * Of each blocked pod, as an attempt that began after that one says it: `ns/pod since 2026-...`.
   */
  async function sinceOf(name: string, killed?: unknown): Promise<string[]> {
    const look = async (): Promise<string[]> => {
      const { lastStartedTime, lastFailure } = await workflows.pendingAttempt('machine', name);
      const text = lastFailure?.message ?? '';
      const found = [...text.matchAll(/\S+ since [^:]+:\d\d:\d\dZ/g)].map(([words]) => words);
      expect(found).not.toEqual([]);
      expect(lastStartedTime).not.toEqual(killed);
      return found.toSorted();
    };
    return await eventually('a later attempt says since when', look);
  }

  async function untilNoPod(name: string, app: string): Promise<void> {
    await eventually(`the pod of ${app} has left`, async () =>
      expect(await workloads.podsOn(name, app)).toEqual([]),
    );
  }

  /** How the evictions of pods with this prefix ended: none of them succeeded twice. */
  async function evictions(prefix: string): Promise<number[]> {
    const wanted = { verb: 'create', resource: 'pods/eviction', start: prefix } as const;
    const all = await operatorRequests(namespace, wanted);
    const done = await evictedPods(namespace, prefix);
    expect(done).toEqual([...new Set(done)]);
    return all.map(({ code }) => code);
  }

  /** The worker died at all moments, and what it did is done once. */
  async function expectGone(name: string): Promise<void> {
    await untilGone(scenario, cluster.pathOf('machines', name));
    expect(moments.left).toEqual([]);
    proxy.disarm();
    const deletions = await cloud.deletions();
    expect(deletions.filter((one) => one.name === name)).toHaveLength(1);
    expect((await cloud.instances()).map((instance) => instance.name)).not.toContain(name);
    expect((await cluster.nodes()).map(({ metadata }) => metadata.name)).not.toContain(name);
  }
});
