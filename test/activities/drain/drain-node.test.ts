import { expect, test } from '@jest/globals';
import { drainNode } from '../../../activities/drain/drain-node.ts';
import type { Node } from '../../../activities/machine/node.ts';
import { namespaced, node as nodePath } from '../../../activities/kube/paths.ts';
import { aNode, aPod } from '../../support/builders.ts';
import { MemoryKube } from '../../support/memory-kube.ts';
import { lifeOf } from '../../support/world.ts';

const request = {
  machine: lifeOf('pool-a'),
  nodeName: 'pool-a',
  deadline: Date.now() + 3_600_000,
  isForced: false,
};
const { signal } = new AbortController();
const drain = (target: MemoryKube, changes: Partial<typeof request> = {}) =>
  drainNode({ target, signal }, { ...request, ...changes });

const podPath = (name: string): string => namespaced('pods', 'default', name);

function blocking(...pods: object[]): MemoryKube {
  const target = new MemoryKube(aNode(), ...pods);
  target.fault = ({ path }) =>
    path.endsWith('/eviction')
      ? {
          code: 429,
          reason: 'TooManyRequests',
          details: { causes: [{ message: 'PodDisruptionBudget web allows 0' }] },
        }
      : undefined;
  return target;
}

test('cordons, and evicts what may be evicted', async () => {
  const elsewhere = aPod({ metadata: { name: 'far' }, spec: { nodeName: 'pool-b' } });
  const target = new MemoryKube(aNode(), aPod(), elsewhere);
  expect(await drain(target)).toEqual({ evictedPods: 1, isForced: false });
  expect((await target.read<Node>(nodePath('pool-a'))).spec?.unschedulable).toBe(true);
  expect(target.has(podPath('web-0'))).toBe(false);
  expect(target.has(podPath('far'))).toBe(true);
});

test('pods of DaemonSets and mirror pods stay', async () => {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true };
  const daemon = aPod({ metadata: { name: 'daemon', ownerReferences: [owner] } });
  const annotations = { 'kubernetes.io/config.mirror': 'x' };
  const mirror = aPod({ metadata: { name: 'mirror', annotations } });
  const target = new MemoryKube(aNode(), daemon, mirror);
  expect(await drain(target)).toEqual({ evictedPods: 0, isForced: false });
  expect([target.has(podPath('daemon')), target.has(podPath('mirror'))]).toEqual([true, true]);
});

test('a blocked pass fails as benign, with the pods and the budget in its words', async () => {
  await expect(drain(blocking(aPod()))).rejects.toMatchObject({
    type: 'DrainBlocked',
    category: 'BENIGN',
    message: '1 pod left: default/web-0; default/web-0: PodDisruptionBudget web allows 0',
    stack: '',
  });
});

test('many pods are counted, some are named', async () => {
  const pods = Array.from({ length: 7 }, (_, index) =>
    aPod({ metadata: { name: `web-${index}` } }),
  );
  await expect(drain(blocking(...pods))).rejects.toThrow(/^7 pods left: .*web-4 and 2 more;/);
});

test.each([
  { name: 'after its deadline', changes: { deadline: Date.now() - 1 } },
  { name: 'when it was asked for', changes: { isForced: true } },
])('budgets are not asked any more $name', async ({ changes }) => {
  const target = blocking(aPod());
  expect(await drain(target, changes)).toEqual({ evictedPods: 0, isForced: true });
  expect(target.has(podPath('web-0'))).toBe(false);
});

test('a Node that is gone is drained', async () => {
  expect(await drain(new MemoryKube())).toEqual({ evictedPods: 0, isForced: false });
});
