/** Servers that are away, and lines that are cut. */
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

function isControl({ installs }: World, cluster: Cluster): boolean {
  return installs.some(({ control }) => control === cluster);
}

export function loseCluster(world: World, chance: Chance): void {
  const cluster = chance.pick(world.clusters);
  const isLong = chance.happens(0.4);
  const longMs = chance.between(20 * minuteMs, longestMs);
  const usualMs = outageMs(chance);
  const lastsMs = isLong && !isControl(world, cluster) ? longMs : usualMs;
  const breaks = chance.happens(0.7);
  if (!cluster.isUp) return;
  note(world, `the API server of ${cluster.name} is away for ${inSeconds(lastsMs)}`);
  cluster.isUp = false;
  // A machine that is gone says nothing; a process that ends closes its connections.
  if (breaks) world.weather.breakWatches({ cluster: cluster.name });
  lasting(world, lastsMs, () => {
    cluster.isUp = true;
    note(world, `the API server of ${cluster.name} is back`);
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
