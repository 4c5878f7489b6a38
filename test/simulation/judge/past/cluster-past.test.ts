/** What the judge remembers of a cluster whose database was restored. */
import { expect, test } from 'vitest';
import { anObject, courtroom, minuteMs, namespace } from '../courtroom.ts';
import { ClusterPast } from './cluster-past.ts';

test('a backup of a history that another restore had ended undoes what came since', async () => {
  const { world, control, pass } = courtroom();
  const [cluster] = world.clusters;
  if (!cluster) throw new Error('there is no cluster');
  const restoreEarlier = control.store.backup();
  for (const name of ['a', 'b', 'c']) make(name);
  const restoreLater = control.store.backup();
  restoreEarlier();
  const past = new ClusterPast(world.simulation, cluster);
  make('since');
  const before = control.store.version;
  await pass(minuteMs);
  restoreLater();
  expect(control.store.version).toBeGreaterThan(before);
  past.catchUp();
  expect(past.sets.named(namespace, 'since')).toBeUndefined();
  expect(past.sets.present().map(({ last }) => last.metadata.name)).toEqual(['a', 'b', 'c']);
  expect(past.restoredAt).toBe(world.simulation.now);

  function make(name: string): void {
    control.put(anObject('MachineSet', name));
  }
});
