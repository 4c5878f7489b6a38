/** A drain of many pods, one of which does not go: it is waited for, and forced in the end. */
import { evictedPods, operatorRequests } from './support/audit.ts';
import { eventually } from './support/eventually.ts';
import { createMachine, untilGone, untilPhase } from './support/machines.ts';
import { useScenario } from './support/scenario.ts';
import { Workloads } from './support/workloads.ts';

describe('a drain', () => {
  const scenario = useScenario('held');
  const { cluster, cloud, namespace } = scenario;
  const workloads = new Workloads(scenario);
  const pathOf = (name: string): string => cluster.pathOf('machines', name);

  test('of thirty pods waits for one that a finalizer holds, and not for ever', async () => {
    const name = await createMachine(scenario, 'thirty', { drainTimeout: '60s' });
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'thirty', nodeName: name, replicas: 29 });
    const finalizers = ['example.com/held'];
    const held = await workloads.startAlone({ app: 'held', nodeName: name, finalizers });
    await cluster.delete(pathOf(name));
    await eventually('only one is left', async () => {
      const left = await workloads.podsOn(name);
      expect(left.map(({ metadata }) => metadata.finalizers)).toEqual([finalizers]);
    });
    expect(await cloud.instances()).toHaveLength(1);
    const { metadata } = await cluster.machine(name);
    await untilGone(scenario, pathOf(name));
    const evicted = await evictedPods(namespace);
    const ofThese = evicted.filter((pod) => /^(thirty|held)-/.test(pod));
    expect(ofThese).toHaveLength(30);
    expect(new Set(ofThese).size).toBe(30);
    const [forced] = await operatorRequests(namespace, {
      verb: 'delete',
      resource: 'pods',
      start: 'held',
    });
    const deletedAt = Date.parse(metadata.deletionTimestamp ?? '');
    expect(forced?.at).toBeGreaterThanOrEqual(deletedAt + 60_000);
    await cluster.kube.patch(held, 'merge', { metadata: { finalizers: null } });
    await workloads.end('thirty');
  });
});
