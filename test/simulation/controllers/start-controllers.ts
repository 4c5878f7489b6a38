/** The components of Kubernetes around Millwright, in one cluster. */
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { baseOf } from '../world/named-chance.ts';
import type { Weather } from '../world/weather.ts';
import { AttachDetach } from './attach-detach.ts';
import { ChangeFeed } from './change-feed.ts';
import type { Controller } from './controller.ts';
import { DisruptionController } from './disruption.ts';
import { Evictions } from './evictions.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { NodeLifecycle } from './node-lifecycle.ts';
import { PodGarbageCollector } from './pod-garbage-collector.ts';
import { PodIndex } from './pod-index.ts';
import { PodKubelets } from './pod-kubelets.ts';
import { Scheduler } from './scheduler.ts';
import { TaintEviction } from './taint-eviction.ts';
import type { ControllerTrouble } from './trouble.ts';
import { calmControllers } from './trouble.ts';
import { Workloads } from './workloads.ts';

export interface ControllersOptions {
  /** Default none. */
  trouble?: ControllerTrouble;
  /** Whether the kubelet of a Node runs. */
  isAlive(nodeName: string): boolean;
}

export interface Controllers {
  /** Those that may be paused, e.g. `garbage collector`. */
  readonly names: readonly string[];
  /** Throws for a name that is none. */
  pause(name: string): void;
  /** As often as it was paused. */
  resume(name: string): void;
  readonly workloads: Workloads;
}

/** They see to what is there already, and answer for evictions in this cluster. */
export function startControllers(
  simulation: Simulation,
  weather: Weather,
  { cluster, trouble = calmControllers, isAlive }: ControllersOptions & { cluster: Cluster },
): Controllers {
  const feed = new ChangeFeed(cluster.server);
  const index = new PodIndex(feed);
  const base = baseOf(simulation.chance);
  const parts = { simulation, weather, cluster, feed, trouble, base };
  const evictions = new Evictions({ cluster, feed, now: () => simulation.now });
  cluster.refusalOfEviction = (path) => evictions.refusalOf(path);
  const workloads = new Workloads(parts, {
    index,
    isAlive,
    onScale: (namespace, labels) => disruption.scaled(namespace, labels),
  });
  const disruption = new DisruptionController(parts, (controller) => workloads.scaleOf(controller));
  const controllers = [
    new GarbageCollector(parts, workloads),
    disruption,
    workloads,
    new Scheduler(parts),
    new NodeLifecycle(parts, index),
    new TaintEviction(parts, index),
    new PodGarbageCollector(parts, index),
    new AttachDetach(parts, { index, isAlive }),
    new PodKubelets(parts, { index, isAlive }),
  ];
  for (const controller of controllers) controller.start();
  feed.start();
  weather.onRestore((name) => {
    if (name === cluster.name) feed.relist();
  });
  return new StartedControllers(controllers, workloads);
}

class StartedControllers implements Controllers {
  readonly workloads: Workloads;
  readonly #byName: ReadonlyMap<string, Controller>;

  constructor(controllers: readonly Controller[], workloads: Workloads) {
    this.workloads = workloads;
    this.#byName = new Map(controllers.map((controller) => [controller.name, controller]));
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  pause(name: string): void {
    this.#named(name).pause();
  }

  resume(name: string): void {
    this.#named(name).resume();
  }

  #named(name: string): Controller {
    const found = this.#byName.get(name);
    if (found) return found;
    throw new RangeError(`controller "${name}": must be one of ${this.names.join(', ')}`);
  }
}
