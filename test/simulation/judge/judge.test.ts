import { anObject, courtroom, pathTo } from './courtroom.ts';

test('a rule that fails on a write ends the run, and is no answer to the process that wrote', () => {
  const { judge, world, broken } = courtroom();
  const [cluster] = world.clusters;
  if (!cluster) throw new Error('no cluster');
  const after = Object.assign(anObject('Machine', 'pool-a'), { metadata: undefined });
  const call = { method: 'POST', path: pathTo('machines'), body: {} } as const;
  judge.hear({ process: { name: 'one-worker-1' }, cluster, ...call, before: undefined, after });
  expect(broken()).toEqual(['a rule can be judged']);
});
