/** The kubelets of the instances: they register Nodes, make them ready, and may fall ill. */
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { noneOf } from '../world/trouble.ts';
import type { Weather } from '../world/weather.ts';
import { chancesFor } from './chances.ts';
import type { SimulatedCloud } from './cloud.ts';
import { ClusterLosses } from './cluster-losses.ts';
import { Kubelet, networkMs } from './kubelet.ts';
import { NodeLifecycle } from './node-lifecycle.ts';
import type { InstanceRecord } from './records.ts';

/** Shares of instances, where nothing else is said. */
export const allKubeletTrouble = {
  neverJoins: 0.02,
  /** It boots for longer than a Machine is waited for, or nearly. */
  joinsLate: 0.02,
  vanishes: 0.03,
  /** Of outages of a cluster that last: instances are lost with its API server. */
  goesWithCluster: 0.8,
  /** An hour, of a cluster without Millwright: it is away for long, and instances are lost. */
  zonesAnHour: 0.1,
  /** Not ready for some minutes. */
  sickens: 0.1,
  /** Not heard for some minutes. */
  fallsSilent: 0.05,
  /** Not ready or not heard for ever. */
  staysSick: 0.02,
  /** The process starts again after a while, and registers again. */
  restarts: 0.1,
  /** Ready, not ready and ready again within moments of its start. */
  stumbles: 0.2,
  /** Another condition says that the Node is of no use, for minutes or for ever. */
  badCondition: 0.03,
  /** It writes on its Node that this is another Machine's, and nonsense as what was applied. */
  lies: 0.1,
};

export type KubeletTrouble = Readonly<Record<keyof typeof allKubeletTrouble, number>>;

export const calmKubelets: KubeletTrouble = noneOf(allKubeletTrouble);

export interface KubeletsParts {
  simulation: Simulation;
  weather: Weather;
  cloud: SimulatedCloud;
  trouble: KubeletTrouble;
  /** Where the Node of an instance belongs; undefined for a foreign one. */
  targetOf(record: InstanceRecord): Cluster | undefined;
  /** Millwright is in it as well. */
  isControl(cluster: Cluster): boolean;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What a node problem detector finds. */
const badConditions = ['KernelDeadlock', 'ReadonlyFilesystem', 'DiskPressure'];

export class Kubelets {
  readonly #parts: KubeletsParts;
  readonly #chance: Chance;
  readonly #chances: Readonly<Record<keyof KubeletTrouble, Chance>>;
  readonly #lifecycles = new Map<Cluster, NodeLifecycle>();
  readonly #living = new Map<InstanceRecord, Kubelet>();

  constructor(parts: KubeletsParts) {
    this.#parts = parts;
    this.#chance = parts.simulation.chance.fork();
    this.#chances = chancesFor(this.#chance, parts.trouble);
  }

  start(): void {
    this.#parts.cloud.listen(({ kind, record }) => {
      if (kind === 'created') this.#boot(record);
      else this.#stop(record);
    });
  }

  /** Whether the kubelet of this Node of a cluster runs, and its words arrive. */
  isHeard(cluster: Cluster, nodeName: string): boolean {
    return this.#lifecycles.get(cluster)?.isHeard(nodeName) ?? false;
  }

  /** Of a living instance that belongs to one of the clusters. */
  of(record: InstanceRecord): Kubelet | undefined {
    return this.#living.get(record);
  }

  /** The machine of this Node starts again: not ready for so long, or not heard. */
  reboot(cluster: Cluster, nodeName: string, lastsMs: number): void {
    const found = [...this.#living].find(
      ([record]) => record.name === nodeName && this.#parts.targetOf(record) === cluster,
    );
    if (!found) return;
    const [record, kubelet] = found;
    kubelet.setSick(true);
    this.#silence(record, kubelet);
    this.#later(record, lastsMs, () => {
      kubelet.setSick(false);
      kubelet.start();
    });
  }

  #boot(record: InstanceRecord): void {
    const { simulation, targetOf } = this.#parts;
    const cluster = targetOf(record);
    if (!cluster) return;
    const lifecycle = this.#lifecycleOf(cluster);
    const kubelet = new Kubelet({
      simulation,
      cluster,
      record,
    });
    this.#living.set(record, kubelet);
    lifecycle.add(kubelet);
    this.#strike('vanishes', record, () => this.#parts.cloud.vanish(record.id));
    if (this.#happens('neverJoins')) return;
    const lateMs = this.#happens('joinsLate')
      ? this.#chances.joinsLate.between(8, 15) * minuteMs
      : 0;
    const bootMs = this.#chance.between(1_000, 60_000) + lateMs;
    simulation.after(bootMs, () => this.#whileItLives(record, () => kubelet.start()));
    if (this.#happens('stumbles')) this.#stumble(record, kubelet, bootMs + networkMs);
    this.#fallIll(record, kubelet);
  }

  #loseWith(cluster: Cluster): void {
    const { trouble, targetOf, isControl, ...parts } = this.#parts;
    const { goesWithCluster, zonesAnHour } = this.#chances;
    new ClusterLosses({
      ...parts,
      cluster,
      chances: { outages: goesWithCluster.fork(), zones: zonesAnHour.fork() },
      share: trouble.goesWithCluster,
      zonesAnHour: isControl(cluster) ? 0 : trouble.zonesAnHour,
      living: () => [...parts.cloud.living].filter((record) => targetOf(record) === cluster),
    }).start();
  }

  #stop(record: InstanceRecord): void {
    const kubelet = this.#living.get(record);
    const cluster = this.#parts.targetOf(record);
    this.#living.delete(record);
    if (!kubelet || !cluster) return;
    kubelet.fallSilent();
    this.#lifecycleOf(cluster).remove(kubelet);
  }

  #fallIll(record: InstanceRecord, kubelet: Kubelet): void {
    const chances = this.#chances;
    this.#strike('sickens', record, () => {
      kubelet.setSick(true);
      this.#later(record, this.#shortWhile(chances.sickens), () => kubelet.setSick(false));
    });
    this.#strike('fallsSilent', record, () => {
      this.#silence(record, kubelet);
      this.#later(record, this.#shortWhile(chances.fallsSilent), () => kubelet.speak());
    });
    this.#strike('restarts', record, () => {
      this.#silence(record, kubelet);
      this.#later(record, this.#shortWhile(chances.restarts), () => kubelet.start());
    });
    this.#strike('staysSick', record, () => {
      if (chances.staysSick.happens(0.5)) kubelet.setSick(true);
      else this.#silence(record, kubelet);
    });
    this.#strike('badCondition', record, () => this.#spoil(record, kubelet));
    this.#strike('lies', record, () => kubelet.lie(this.#nameOfAnother(record)));
  }

  #nameOfAnother(record: InstanceRecord): string {
    const others = [...this.#living.keys()].filter((one) => one !== record);
    return others.length > 0 ? this.#chances.lies.pick(others).name : 'nobody';
  }

  /** As where the runtime comes up and dies, often more than once: reported at once each time. */
  #stumble(record: InstanceRecord, kubelet: Kubelet, sinceMs: number): void {
    const { stumbles } = this.#chances;
    this.#later(record, sinceMs + stumbles.acrossScales(1, 8_000), () => {
      if (this.#parts.weather.isClear) return;
      kubelet.setSick(true);
      this.#later(record, stumbles.acrossScales(2, 8_000), () => {
        kubelet.setSick(false);
        if (stumbles.happens(0.7)) this.#stumble(record, kubelet, 0);
      });
    });
  }

  #silence(record: InstanceRecord, kubelet: Kubelet): void {
    const cluster = this.#parts.targetOf(record);
    kubelet.fallSilent();
    if (cluster) this.#lifecycleOf(cluster).miss(record.name);
  }

  #spoil(record: InstanceRecord, kubelet: Kubelet): void {
    const chance = this.#chances.badCondition;
    const type = chance.pick(badConditions);
    const condition = { type, reason: type, message: `${type} of the simulation` };
    kubelet.write({ ...condition, status: 'True' });
    if (chance.happens(0.3)) return;
    this.#later(record, this.#shortWhile(chance), () =>
      kubelet.write({ ...condition, status: 'False' }),
    );
  }

  #shortWhile(chance: Chance): number {
    return chance.between(10_000, 10 * minuteMs);
  }

  /** Once in the life of an instance, if it is to happen, and if the weather is still bad then. */
  #strike(name: keyof KubeletTrouble, record: InstanceRecord, act: () => void): void {
    if (!this.#happens(name)) return;
    const chance = this.#chances[name];
    const latestMs = chance.happens(0.7) ? hourMs : 12 * hourMs;
    this.#later(record, chance.between(1_000, latestMs), () => {
      if (!this.#parts.weather.isClear) act();
    });
  }

  #later(record: InstanceRecord, milliseconds: number, act: () => void): void {
    this.#parts.simulation.after(milliseconds, () => this.#whileItLives(record, act));
  }

  #whileItLives(record: InstanceRecord, act: () => void): void {
    if (record.deletedAt === undefined) act();
  }

  #happens(name: keyof KubeletTrouble): boolean {
    return !this.#parts.weather.isClear && this.#chances[name].happens(this.#parts.trouble[name]);
  }

  #lifecycleOf(cluster: Cluster): NodeLifecycle {
    const present = this.#lifecycles.get(cluster);
    if (present) return present;
    const made = new NodeLifecycle(this.#parts.simulation, cluster);
    this.#lifecycles.set(cluster, made);
    this.#loseWith(cluster);
    return made;
  }
}
