import type { MachineDefaults } from '../workflows/api/settings.ts';
import type { ClassReader } from './class-reader.ts';
import type { EntityBoard } from './entity-board.ts';
import type { KubeClient } from './kube/client.ts';
import type { StopView } from './kube/global-stop.ts';
import type { RecentObjects } from './kube/recent-objects.ts';
import type { Refusals } from './machine-class/refusals.ts';

/** What the core's activities act on. */
export interface World {
  /** Cluster of the Machines. */
  control: KubeClient;
  /** Cluster of the Nodes; absent with `--target-kubeconfig=none`. */
  target?: KubeClient;
  /** The namespace of `control` that this process serves. */
  namespace: string;
  defaults: MachineDefaults;
  /** The cluster autoscaler is to leave Nodes alone while their deployment rolls. */
  protectsNodes: boolean;
  classes: ClassReader;
  /** Of `control`. */
  recent: RecentObjects;
  licence: Licence;
  /** What a person stopped. */
  stop: StopView;
  entities: EntityBoard;
  /** Whether a driver serves the queue of this provider. */
  hasDriver(provider: string): Promise<boolean>;
  /** What the driver says of a provider spec, a sentence for each fault. Of one that runs elsewhere: nothing, it says so itself. */
  specFaults(provider: string, providerSpec: unknown): string[];
  /** What clouds say of the credentials of classes. */
  refusals: Refusals;
}

/** Creating and destroying needs a watcher that holds the Lease of the namespace. */
export interface Licence {
  isGranted(): boolean;
}
