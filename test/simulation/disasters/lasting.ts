/** Disasters that begin and end. */
import type { Cluster } from '../world/kube-client.ts';
import type { World } from '../world/world.ts';

type Place = Pick<World, 'simulation' | 'weather'>;

/** Calls `end` then, or when the weather clears before. */
export function lasting({ simulation, weather }: Place, lastsMs: number, end: () => void): void {
  let isOver = false;
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    end();
  };
  simulation.after(lastsMs, finish);
  weather.onClear(finish);
}

/** An API server is away and back, and all watches of it break. */
export function interruptCluster(place: Place, cluster: Cluster, lastsMs: number): void {
  cluster.isUp = false;
  place.weather.breakWatches({ cluster: cluster.name });
  lasting(place, lastsMs, () => {
    cluster.isUp = true;
  });
}

export function note({ simulation }: World, what: string): void {
  simulation.note('disaster', what);
}

export function inSeconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1_000)} s`;
}
