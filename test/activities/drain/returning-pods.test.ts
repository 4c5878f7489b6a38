/** Pods whose controller puts another onto the closed Node for each that is evicted. */
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { aNode, aPod, namespace } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aBudget, Drain, refusal } from './drain-under-test.ts';

const spec = { nodeName: 'pool-a', tolerations: [{ operator: 'Exists' }] };

class Returning extends InMemoryClient {
  #count = 0;

  override async create<T>(path: string, body: unknown): Promise<T> {
    const created = await super.create<T>(path, body);
    if (path.endsWith('operator-0/eviction')) this.#comeBack();
    return created;
  }

  #comeBack(): void {
    this.#count += 1;
    const creationTimestamp = new Date(Date.now() + 60_000).toISOString();
    this.put(aPod({ metadata: { name: `operator-${this.#count}`, creationTimestamp }, spec }));
  }
}

const aCluster = (...objects: object[]): Returning =>
  new Returning(aNode(), aPod({ metadata: { name: 'operator-0' }, spec }), ...objects);

test.each([
  { keepsNode: false, end: 'they go with the instance' },
  { keepsNode: true, end: 'they stay' },
])('a pod that comes back holds nothing up, and is named: $end', async ({ keepsNode, end }) => {
  const drain = new Drain(aCluster());
  expect(await drain.run({ keepsNode })).toEqual({ evictedPods: 1, isForced: false });
  expect([drain.evictions(), drain.has('operator-1')]).toEqual([1, true]);
  const message = `default/operator-1 came onto the closed Node, which it tolerates: ${end}`;
  await eventually('an Event names it', async () => {
    const path = namespaced('events', namespace);
    const { items } = await drain.control.list<KubeObject>(path);
    expect(items).toMatchObject([{ type: 'Warning', reason: 'PodsCameBack', message }]);
  });
});

test('it is named beside a pod that a budget holds', async () => {
  const drain = new Drain(aCluster(aPod(), aBudget('web')));
  drain.target.fault = ({ path }) => (path.endsWith('web-0/eviction') ? refusal : undefined);
  await expect(drain.run()).rejects.toThrow('operator-1 came onto the closed Node');
  await expect(drain.run()).rejects.toThrow('1 pod left: default/web-0');
  expect([drain.has('operator-1'), drain.has('operator-2')]).toEqual([true, false]);
});
