import type { DriverCall } from '../../workflows/contracts/driver-activities.ts';
import type { MachineDefaults } from '../../workflows/api/settings.ts';
import type { Pause } from '../../workflows/values/pauses.ts';
import type { ClassReader } from '../machine-class/reader.ts';
import type { EntityBoard } from './workflow-registry.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { StopView } from '../kube/objects/global-stop.ts';
import type { RecentObjects } from '../kube/cache/recent-objects.ts';
import type { Refusals } from '../machine-class/refusals.ts';

/** What the core's activities act on. */
export interface World {
  /** Cluster of the Machines. */
  control: KubeClient;
  /** Cluster of the Nodes; absent with `--target-kubeconfig=none`. */
  target?: KubeClient;
  /** Id of `target`. Absent: nobody compares it with what the Machines say. */
  targetCluster?: string;
  /** The namespace of `control` that this process serves. */
  namespace: string;
  /** Where the watcher's Lease is, if not in `namespace`. */
  leaseNamespace?: string | undefined;
  defaults: MachineDefaults;
  /** The cluster autoscaler is to leave Nodes alone while their deployment rolls. */
  protectsNodes: boolean;
  classes: ClassReader;
  /** Of `control`. */
  recent: RecentObjects;
  licence: Licence;
  /** What a person stopped. */
  stop: StopView;
  /** When nothing could be done: deadlines do not run then. */
  pauses(): Pause[];
  entities: EntityBoard;
  /** Whether a driver serves the queue of this provider for such calls; default: those that read. */
  hasDriver(provider: string, call?: DriverCall): Promise<boolean>;
  /** What the driver says of a provider spec, a sentence for each fault. Of one that runs elsewhere: nothing, it says so itself. */
  specFaults(provider: string, providerSpec: unknown): string[];
  /** What clouds say of the credentials of classes. */
  refusals: Refusals;
}

/** Whatever writes to Kubernetes needs a watcher that holds the Lease of the namespace. */
export interface Licence {
  isGranted(): boolean;
}
