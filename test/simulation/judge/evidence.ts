/** What the rules judge by: the past of clusters, instances and installs. */
import { disruptionPolicy } from '../../../kube/client/paths.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { toTemporal } from '../world/weather.ts';
import type { Install, World } from '../world/world.ts';
import type { JudgedCloud } from './judged-cloud.ts';
import { Authority } from './past/authority.ts';
import { ClusterPast } from './past/cluster-past.ts';
import { InstancePast } from './past/instance-past.ts';
import type { Life } from './past/lives.ts';
import { Rulings } from './rulings.ts';

const stopName = 'millwright-stop';
const leaseName = 'millwright';
/** How often it is noted whether servers answer, milliseconds. */
const sampleMs = 15_000;
/** A worker that is only busy, or restarts at once, is missed by no one. */
const workerlessMs = 10_000;

/** Flags of the processes, milliseconds. */
export interface Limits {
  creationMs: number;
  healthMs: number;
  drainMs: number;
  orphanMinAgeMs: number;
  /** In one run of the search. */
  orphanDeletionsMax: number;
}

export const usualLimits: Limits = {
  creationMs: 600_000,
  healthMs: 300_000,
  drainMs: 1_200_000,
  orphanMinAgeMs: 600_000,
  orphanDeletionsMax: 10,
};

export class Evidence {
  readonly world: World;
  readonly simulation: Simulation;
  readonly cloud: JudgedCloud;
  readonly limits: Limits;
  readonly rulings: Rulings;
  readonly instances: InstancePast;
  readonly #pasts: ReadonlyMap<Cluster, ClusterPast>;
  readonly #authorities: ReadonlyMap<Install, Authority>;
  readonly #byProcess = new Map<string, Install>();

  constructor(world: World, cloud: JudgedCloud, limits: Limits = usualLimits) {
    const { simulation, clusters, installs } = world;
    this.world = world;
    this.simulation = simulation;
    this.cloud = cloud;
    this.limits = limits;
    this.rulings = new Rulings(simulation);
    this.#pasts = new Map(
      clusters.map((cluster) => [cluster, new ClusterPast(simulation, cluster)] as const),
    );
    this.#authorities = new Map(
      installs.map((install) => [install, new Authority(simulation.now)] as const),
    );
    this.instances = new InstancePast(world, (install) => this.controlOf(install));
    world.weather.onRestore((name) => {
      for (const past of this.#pasts.values()) if (past.cluster.name === name) past.restored();
    });
    for (const { machines } of this.#pasts.values()) {
      machines.listen(({ last }, before) => this.instances.machineChanged(last, before));
    }
    for (const install of installs) {
      for (const { name } of install.replicas) this.#byProcess.set(name, install);
      this.#watch(install);
    }
    this.#sample();
  }

  /** Undefined for a name that is none of our processes'. */
  installOf(process: string): Install | undefined {
    return this.#byProcess.get(process);
  }

  pastOf(cluster: Cluster): ClusterPast {
    const past = this.#pasts.get(cluster);
    if (!past) throw new Error(`the world has no cluster ${cluster.name}`);
    return past;
  }

  controlOf({ control }: Install): ClusterPast {
    return this.pastOf(control);
  }

  targetOf({ target }: Install): ClusterPast {
    return this.pastOf(target);
  }

  authorityOf(install: Install): Authority {
    const authority = this.#authorities.get(install);
    if (!authority) throw new Error(`the world has no install ${install.name}`);
    return authority;
  }

  /** From which moment on what a call was decided by may have been read, milliseconds. */
  since(install: Install, sentAt?: number): number {
    return this.authorityOf(install).windowStart(this.simulation.now, sentAt);
  }

  /** Before anything is judged. */
  catchUp(): void {
    for (const past of this.#pasts.values()) past.catchUp();
  }

  #watch(install: Install): void {
    const { simulation } = this;
    const { configMaps, leases } = this.controlOf(install);
    const authority = this.authorityOf(install);
    const isOurs = ({ last: { metadata } }: Life, name: string): boolean =>
      metadata.name === name && metadata.namespace === install.namespace;
    const hearStop = (life: Life): void => {
      if (isOurs(life, stopName))
        authority.isStopped.set(simulation.now, life.object !== undefined);
    };
    const hearLease = (life: Life): void => {
      if (!isOurs(life, leaseName)) return;
      const { holderIdentity = '' } = life.last.spec ?? {};
      const isHeldByUs = holderIdentity === '' || this.installOf(holderIdentity) === install;
      authority.leaseChanged(life.object, { now: simulation.now, isOurs: isHeldByUs });
    };
    configMaps.present().forEach(hearStop);
    leases.present().forEach(hearLease);
    configMaps.listen(hearStop);
    leases.listen(hearLease);
  }

  #sample(): void {
    const { simulation, installs, temporal, weather } = this.world;
    const { now } = simulation;
    this.catchUp();
    for (const install of installs) {
      const authority = this.authorityOf(install);
      const isControlAway = !install.control.isUp || !temporal.isUp;
      const isTargetAway = !install.target.isUp;
      const isLeaderless = authority.ledUntil.now <= now;
      const { polledAt = -Infinity } = temporal.engine.workflowQueue(install.taskQueue);
      authority.isWorkerless.set(now, now - polledAt >= workerlessMs);
      authority.isLeaderless.set(now, isLeaderless);
      authority.isControlAway.set(now, isControlAway);
      authority.arePoliciesHidden.set(now, this.#arePoliciesHidden(install));
      authority.isWatcherCut.set(now, this.#isWatcherCut(install));
      authority.isTargetAway.set(now, isTargetAway);
      const servers = [install.control.name, install.target.name, toTemporal];
      authority.isSlow.set(
        now,
        servers.some((server) => weather.isOverloaded(server)),
      );
      const isAway = isLeaderless || isControlAway || isTargetAway;
      authority.isHindered.set(now, authority.isStopped.now || isAway);
    }
    simulation.after(sampleMs, () => this.#sample());
  }

  #arePoliciesHidden({ control, namespace }: Install): boolean {
    const path = disruptionPolicy(namespace);
    const refusal = this.world.weather.refusalOf(`GET ${path}`, control.name);
    return control.server.serves(path) && refusal !== undefined;
  }

  #isWatcherCut({ replicas }: Install): boolean {
    const { weather } = this.world;
    const watchers = replicas.filter(({ component }) => component !== 'worker');
    return watchers.some((watcher) => weather.isCut(watcher, toTemporal));
  }
}
