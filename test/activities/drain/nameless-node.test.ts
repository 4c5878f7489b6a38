/** A Machine whose Node has no name, as a driver without one for it may answer. */
import { aNode, aPod } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { Drain, podPath } from './drain-under-test.ts';

test.each([
  { how: 'with its budgets', isForced: false },
  { how: 'by force', isForced: true },
])('a drain of no Node leaves the pods that wait for one, $how', async ({ isForced }) => {
  const waiting = aPod({ metadata: { name: 'waiting' }, spec: {}, status: { phase: 'Pending' } });
  const target = new InMemoryClient(aNode(), waiting);
  const outcome = await new Drain(target).run({ nodeName: '', isForced });
  expect(outcome).toEqual({ evictedPods: 0, isForced });
  expect(target.has(podPath('waiting'))).toBe(true);
  expect(target.writes()).toEqual([]);
});
