/** Temporal's database restored to an earlier moment, by operators who follow docs/safety.md. */
import { lease } from '../../../kube/client/paths.ts';
import { ownLease } from '../../../kube/leases/lease-set.ts';
import { checkpointAnnotation } from '../../../kube/leases/lease-set.ts';
import { scheduleIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import type { Chance } from '../engine/chance.ts';
import { isGone } from '../temporal/grpc-errors.ts';
import type { Install, World } from '../world/world.ts';
import { lasting, note } from './lasting.ts';
import { replicasOf } from './processes.ts';

const minuteMs = 60_000;

/** A backup of now is restored some time later, while the server is away. */
export function restoreTemporal(world: World, chance: Chance): void {
  const { temporal, simulation } = world;
  const afterMs = chance.between(minuteMs, 30 * minuteMs);
  const awayMs = chance.between(5_000, 2 * minuteMs);
  const restore = temporal.backup();
  note(world, 'a backup of Temporal is taken');
  simulation.after(afterMs, () => {
    if (world.weather.isClear || !temporal.isUp) return;
    note(world, 'Temporal stops, for its database to be restored');
    temporal.isUp = false;
    lasting(world, awayMs, () => {
      if (canRestore(world)) finishRestore(world, restore);
      temporal.isUp = true;
    });
  });
}

/** Operators reach the Leases. */
function canRestore({ weather, installs }: World): boolean {
  return !weather.isClear && installs.every(({ control }) => control.isUp);
}

function finishRestore(world: World, restore: () => void): void {
  for (const replica of replicasOf(world)) replica.kill();
  restore();
  for (const install of world.installs) {
    forgetCheckpoint(install);
    world.simulation.after(minuteMs, () => compareWorkflows(world, install));
  }
}

/** The watcher cannot know which signals were lost: it sends all of them again. */
function forgetCheckpoint({ control: { server }, namespace }: Install): void {
  const path = lease(namespace, ownLease);
  if (!server.has(path)) return;
  const annotations = { [checkpointAnnotation]: null };
  server.patch(path, { type: 'merge', body: { metadata: { annotations } } });
}

/** Ends the workflows of objects that are gone. */
function compareWorkflows({ temporal }: World, { namespace }: Install): void {
  try {
    temporal.trigger(scheduleIdOf('lost-workflows', { name: namespace }));
  } catch (error) {
    // Older than the backup was: its first run comes by itself.
    if (!isGone(error)) throw error;
  }
}
