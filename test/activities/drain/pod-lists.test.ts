/** Which lists of pods a pass reads: consistent ones cost an API server a scan of its store. */
import type { KubeList, Query } from '../../../kube/client/client.ts';
import { aNode, aPod } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { Drain, podPath } from './drain-under-test.ts';

type Kind = 'consistent' | 'old';

/** An API server whose memory may be behind its store. */
class LaggingKube extends InMemoryClient {
  readonly lists: Kind[] = [];
  /** What lists of its memory say; undefined: the truth. */
  memory: object[] | undefined;

  override async list<T>(path: string, query: Query = {}): Promise<KubeList<T>> {
    const list = await super.list<T>(path, query);
    if (path !== '/api/v1/pods') return list;
    const kind = query['resourceVersion'] === '0' ? 'old' : 'consistent';
    this.lists.push(kind);
    if (kind === 'consistent' || !this.memory) return list;
    const items: T[] = JSON.parse(JSON.stringify(this.memory));
    return { ...list, items };
  }
}

function aTerminatingPod() {
  const deletionTimestamp = new Date(Date.now() + 20_000).toISOString();
  return aPod({ metadata: { name: 'going', deletionTimestamp, finalizers: ['x/y'] } });
}

test('while pods terminate only the memory of the API server is asked, and the store once at the end', async () => {
  const target = new LaggingKube(aNode(), aTerminatingPod());
  const end = new Drain(target).run();
  await eventually('it was polled', async () => target.lists.length > 2);
  await target.patch(podPath('going'), 'merge', { metadata: { finalizers: null } });
  expect(await end).toEqual({ evictedPods: 0, isForced: false });
  const [first, ...others] = target.lists;
  expect([first, others.at(-1)]).toEqual(['consistent', 'consistent']);
  expect(new Set(others.slice(0, -1))).toEqual(new Set(['old']));
});

test('no drain is over because the memory of the API server knows no pods', async () => {
  const target = new LaggingKube(aNode(), aTerminatingPod());
  target.memory = [];
  const end = new Drain(target).run();
  const state = { isOver: false };
  void end.finally(() => {
    state.isOver = true;
  });
  await eventually('the store was asked again', async () => target.lists.length > 4);
  expect(state.isOver).toBe(false);
  await target.patch(podPath('going'), 'merge', { metadata: { finalizers: null } });
  expect(await end).toEqual({ evictedPods: 0, isForced: false });
});

test('no pod is asked again because the memory of the API server does not know that it goes', async () => {
  const target = new LaggingKube(aNode(), aTerminatingPod());
  target.memory = [aPod({ metadata: { name: 'going' } })];
  const drain = new Drain(target);
  const end = drain.run();
  await eventually('the store was asked again', async () => target.lists.length > 4);
  await target.patch(podPath('going'), 'merge', { metadata: { finalizers: null } });
  target.memory = undefined;
  expect(await end).toEqual({ evictedPods: 0, isForced: false });
  expect(drain.evictions()).toBe(0);
});
