/** Instances that are lost with the API server of their cluster, as where a zone fails. */
import { inSeconds, interruptCluster } from '../disasters/lasting.ts';
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import type { Weather } from '../world/weather.ts';
import type { SimulatedCloud } from './cloud.ts';
import type { InstanceRecord } from './records.ts';

export interface ClusterLossParts {
  simulation: Simulation;
  weather: Weather;
  cloud: SimulatedCloud;
  cluster: Cluster;
  /** Of each kind its own: without one the other stays as it is. */
  chances: { outages: Chance; zones: Chance };
  /** Of outages that last: instances go with them. */
  share: number;
  /** An hour: a zone fails, which begins such an outage. */
  zonesAnHour: number;
  /** Instances of the cluster, in a fixed order. */
  living(): readonly InstanceRecord[];
}

/** How often it is checked whether the cluster is there: a short outage takes no machine along. */
const checkMs = 120_000;
/** They do not all go in the same moment. */
const longestMs = 60_000;
const zoneMs = { least: 1_200_000, most: 3_600_000 };

/**
 * How many of `count` go. Where most do, Millwright takes it for a mistake and waits for people
 * (docs/safety.md), so what it does by itself shows only where a few go.
 */
const extents = [
  { value: (_count: number, few: number) => few, weight: 5 },
  { value: (count: number) => Math.ceil(count / 2), weight: 2 },
  { value: (count: number) => count, weight: 2 },
];
const fewMost = 3;

export class ClusterLosses {
  readonly #parts: ClusterLossParts;
  /** This outage has taken its instances. */
  #hasStruck = false;

  constructor(parts: ClusterLossParts) {
    this.#parts = parts;
  }

  start(): void {
    const { weather, share, zonesAnHour, chances } = this.#parts;
    if (share > 0) this.#watch(false);
    weather.often(zonesAnHour, () => this.#failZone(), chances.zones);
  }

  #watch(wasDown: boolean): void {
    const { simulation, weather, cluster } = this.#parts;
    simulation.after(checkMs, () => {
      if (weather.isClear) return;
      if (cluster.isUp) this.#hasStruck = false;
      else if (wasDown && !this.#hasStruck) this.#takeAlong();
      this.#watch(!cluster.isUp);
    });
  }

  #takeAlong(): void {
    const { chances, share } = this.#parts;
    this.#hasStruck = true;
    if (chances.outages.happens(share)) this.#strike(chances.outages);
  }

  /** Of a target cluster alone: watcher and worker, in another one, go on running. */
  #failZone(): void {
    const { simulation, weather, cluster, chances } = this.#parts;
    const chance = chances.zones;
    const lastsMs = chance.between(zoneMs.least, zoneMs.most);
    if (!cluster.isUp) return;
    simulation.note('cloud', `the zone of ${cluster.name} fails for ${inSeconds(lastsMs)}`);
    interruptCluster({ simulation, weather }, cluster, lastsMs);
    this.#strike(chance);
    this.#hasStruck = true;
  }

  #strike(chance: Chance): void {
    const left = [...this.#parts.living()];
    const extent = chance.weighted(extents);
    const count = extent?.(left.length, 1 + chance.below(fewMost)) ?? 0;
    for (let gone = 0; gone < count && left.length > 0; gone += 1) {
      for (const record of left.splice(chance.below(left.length), 1)) this.#lose(record, chance);
    }
  }

  #lose({ id }: InstanceRecord, chance: Chance): void {
    const { simulation, weather, cloud } = this.#parts;
    simulation.after(chance.between(0, longestMs), () => {
      if (!weather.isClear) cloud.vanish(id);
    });
  }
}
