/** Databases that forget: etcd's history, etcd restored to an earlier moment, Temporal's lost. */
import type { Chance } from '../engine/chance.ts';
import type { Cluster } from '../world/kube-client.ts';
import type { World } from '../world/world.ts';
import { lasting, note } from './lasting.ts';
import { replicasOf } from './processes.ts';

const minuteMs = 60_000;
/** What decisions/0014 asks of a restore: it takes longer than a minute. */
const shortestRestoreMs = 65_000;

/** As etcd does every five minutes; watches that have to resume are answered with 410. */
export function compact(world: World, chance: Chance): void {
  const { name, server } = chance.pick(world.clusters);
  const keeps = chance.below(50);
  const breaks = chance.happens(0.7);
  note(world, `etcd of ${name} forgets all but the last ${keeps} changes`);
  const { version, forgottenBelow } = server.store;
  server.store.forget(Math.max(forgottenBelow, version - keeps));
  if (breaks) world.weather.breakWatches({ cluster: name });
}

/** A backup of now is restored some time later, while the API server is away. */
export function restoreCluster(world: World, chance: Chance): void {
  const cluster = chance.pick(world.clusters);
  const afterMs = chance.between(minuteMs, 30 * minuteMs);
  const awayMs = chance.between(shortestRestoreMs, 4 * minuteMs);
  const restore = cluster.server.store.backup();
  note(world, `a backup of etcd of ${cluster.name} is taken`);
  world.simulation.after(afterMs, () => {
    if (world.weather.isClear || !cluster.isUp) return;
    beginRestore(world, cluster, { restore, awayMs });
  });
}

function beginRestore(
  world: World,
  cluster: Cluster,
  { restore, awayMs }: { restore(): void; awayMs: number },
): void {
  const { name } = cluster;
  note(world, `the API server of ${name} stops, for etcd to be restored`);
  cluster.isUp = false;
  world.weather.breakWatches({ cluster: name });
  lasting(world, awayMs, () => {
    if (!world.weather.isClear) {
      restore();
      note(world, `etcd of ${name} is that of an earlier moment`);
      world.weather.restored(name);
    }
    cluster.isUp = true;
  });
}

/** Watchers and workers are started again afterwards, as docs/safety.md says. */
export function loseTemporalDatabase(world: World, chance: Chance): void {
  const { temporal } = world;
  const awayMs = chance.between(5_000, 2 * minuteMs);
  if (!temporal.isUp) return;
  note(world, 'Temporal stops, and its database is gone');
  temporal.isUp = false;
  lasting(world, awayMs, () => {
    temporal.lose();
    temporal.isUp = true;
    for (const replica of replicasOf(world)) replica.kill();
  });
}
