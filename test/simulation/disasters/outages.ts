/** Servers that are away or have too much to do, and lines that are cut. */
import type { Chance } from '../engine/chance.ts';
import { toTemporal } from '../world/weather.ts';
import type { Cluster } from '../world/kube-client.ts';
import type { World } from '../world/world.ts';
import { inSeconds, lasting, note } from './lasting.ts';
import { replicasOf } from './processes.ts';

/** Mostly seconds, sometimes minutes. Milliseconds. */
export function outageMs(chance: Chance): number {
  return chance.happens(0.6) ? chance.between(500, 30_000) : chance.between(30_000, 600_000);
}

const minuteMs = 60_000;
/** Of a cluster that its operators take long to repair: its Machines can still be deleted. */
const longestMs = 60 * minuteMs;

export function isControl({ installs }: World, cluster: Cluster): boolean {
  return installs.some(({ control }) => control === cluster);
}

export function loseCluster(world: World, chance: Chance): void {
  const cluster = chance.pick(world.clusters);
  const isLong = chance.happens(0.6);
  const longMs = chance.between(20 * minuteMs, longestMs);
  const usualMs = outageMs(chance);
  const isLasting = isLong && !isControl(world, cluster);
  const lastsMs = isLasting ? longMs : usualMs;
  const breaks = chance.happens(0.7);
  if (!cluster.isUp) return;
  note(world, `the API server of ${cluster.name} is away for ${inSeconds(lastsMs)}`);
  cluster.isUp = false;
  // A machine that is gone says nothing; a process that ends closes its connections.
  if (breaks) world.weather.breakWatches({ cluster: cluster.name });
  if (isLasting) takeWatchersAlong(world, chance, { cluster, lastsMs });
  lasting(world, lastsMs, () => {
    cluster.isUp = true;
    note(world, `the API server of ${cluster.name} is back`);
  });
}

/** Those whose Nodes are in a cluster may be in its zone, which fails a part at a time. */
function takeWatchersAlong(
  world: World,
  chance: Chance,
  { cluster, lastsMs }: { cluster: Cluster; lastsMs: number },
): void {
  const isTaken = chance.happens(0.7);
  const afterMs = chance.between(0.4, 1) * lastsMs;
  if (!isTaken) return;
  world.simulation.after(afterMs, () => {
    if (world.weather.isClear || cluster.isUp) return;
    const near = world.installs.filter(({ target }) => target === cluster);
    for (const replica of near.flatMap(({ replicas }) => replicas)) {
      if (replica.component !== 'worker') replica.kill();
    }
  });
}

export function loseTemporal(world: World, chance: Chance): void {
  const { temporal } = world;
  const lastsMs = outageMs(chance);
  if (!temporal.isUp) return;
  note(world, `Temporal is away for ${inSeconds(lastsMs)}`);
  temporal.isUp = false;
  lasting(world, lastsMs, () => {
    temporal.isUp = true;
  });
}

/** Between one process and one server: the others see that it is there. */
export function cutLine({ simulation, weather, ...world }: World, chance: Chance): void {
  const { name: process } = chance.pick(replicasOf({ simulation, weather, ...world }));
  const to = chance.pick([...world.clusters.map(({ name }) => name), toTemporal, 'cloud']);
  const lastsMs = outageMs(chance);
  const isSilent = chance.happens(0.5);
  const how = isSilent ? 'in silence' : 'with an error';
  simulation.note('disaster', `${process} loses ${to} ${how} for ${inSeconds(lastsMs)}`);
  weather.cut({ process, to, untilMs: simulation.now + lastsMs, isSilent });
}

/** Each way. The client times out after 10 s, so no call fails because of an overload alone. */
const longestDelayMs = 4_500;

/** As where other clients ask too much of it, or its disk is slow. */
export function overload({ simulation, weather, clusters }: World, chance: Chance): void {
  const of = chance.pick([...clusters.map(({ name }) => name), toTemporal]);
  const lastsMs = chance.between(minuteMs / 2, 10 * minuteMs);
  const mostMs = chance.acrossScales(100, longestDelayMs);
  const how = `each way takes up to ${Math.round(mostMs)} ms for ${inSeconds(lastsMs)}`;
  simulation.note('disaster', `${of} has too much to do: ${how}`);
  weather.overload({ of, untilMs: simulation.now + lastsMs, longestMs: mostMs });
}
