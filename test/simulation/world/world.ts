/** What a simulated world consists of, as models, users, disasters and the judge see it. */
import type { Simulation } from '../engine/simulation.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { SimulatedTemporal } from '../temporal/server.ts';
import type { Cluster } from './kube-client.ts';
import type { Weather } from './weather.ts';

/** Where a process of an install runs, and is started again when it ends. */
export interface Replica {
  /** `controller`: a worker with the watcher in it. */
  readonly component: 'worker' | 'watcher' | 'controller';
  /** For example `one-worker-2`: the install, the component, a number. */
  readonly name: string;
  /** Undefined between the end of one process and the start of the next. */
  readonly process: SimulatedProcess | undefined;
  start(): void;
  /** Ends it as `kill -9` does; the next one starts after a moment. */
  kill(): void;
  /** Asks it to end as SIGTERM does; the next one starts after a moment. */
  restart(): void;
}

/** One install of Millwright: one control cluster and a namespace in it. */
export interface Install {
  readonly name: string;
  /** UID of the control cluster's namespace kube-system. */
  readonly clusterUid: string;
  readonly control: Cluster;
  /** With the Nodes; may be the control cluster. */
  readonly target: Cluster;
  /** Of the Machines, the classes and the Leases. */
  readonly namespace: string;
  readonly taskQueue: string;
  readonly replicas: readonly Replica[];
}

export interface World {
  readonly simulation: Simulation;
  readonly weather: Weather;
  readonly temporal: SimulatedTemporal;
  readonly clusters: readonly Cluster[];
  readonly installs: readonly Install[];
}
