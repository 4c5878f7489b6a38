import type { LabelSelector, MachineSet } from '../../workflows/api/machine-set.ts';
import type { DisruptionReason } from '../../workflows/api/phases.ts';
import type { DriverCall } from '../../workflows/contracts/driver-activities.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { MachineDefaults } from '../../workflows/api/settings.ts';
import type { CommandSource } from '../../workflows/api/command-source.ts';
import type { Pause } from '../../workflows/values/pauses.ts';
import type { ClassDependencies } from '../machine-class/dependencies.ts';
import type { Audit } from './audit.ts';
import type { ActivityMemory } from './memory.ts';
import type { WorkflowRegistry } from './workflow-registry.ts';
import type { LeasePlace } from '../../kube/leases/lease-set.ts';
import type { PolicyView } from '../../kube/objects/disruption-policies.ts';
import type { StopView } from '../../kube/objects/global-stop.ts';
import type { RecentObjects } from '../../kube/cache/recent-objects.ts';

/** Parts that the core's activities act on. */
export interface ActivityDependencies extends ClassDependencies {
  /** Id of `target`. Absent: it is not compared with what the Machines say. */
  targetCluster?: string;
  /** Where the watcher's Lease is; default `millwright` in `namespace`. */
  leasePlace?: LeasePlace | undefined;
  defaults: MachineDefaults;
  /** The cluster autoscaler is to leave Nodes alone while their deployment rolls. */
  protectsNodes: boolean;
  /**
   * Addresses of an instance are written to its Machine also where it joins a cluster. Default
   * false, as MCM does.
   */
  keepsAddresses?: boolean;
  /** Objects of `control` that were read last. */
  recent: RecentObjects;
  /** Machines of `control`. */
  machines: MachineLists;
  /** MachineSets of `control`. */
  machineSets: MachineSetLists;
  memory: ActivityMemory;
  activeWatcher: ActiveWatcher;
  /** Stops that a person set. */
  stop: StopView;
  /** DisruptionPolicies of the namespace: `activities/disruption` alone reads them. */
  policies: PolicyView;
  /** Hears of each machine that is taken as a policy allows. */
  disrupted(reason: DisruptionReason, machines: number): void;
  /** When nothing could be done: deadlines do not run then. */
  pauses(): Pause[];
  workflows: WorkflowRegistry;
  /** Sources of commands. */
  commandsBy: CommandSource;
  /** Audit of commands and VMs. */
  audit: Audit;
  /** Reports whether a worker polls the queue for drains. */
  hasDrainWorker(): Promise<boolean>;
  /**
   * Tasks a second that an operator lets through the queue for such calls, or for drains; undefined
   * without a limit.
   */
  rateLimitOf(of: { provider: string; call: DriverCall } | 'drains'): Promise<number | undefined>;
}

/**
 * Lists in the order of their names; without a selector, or with an empty one, of all Machines of
 * the namespace. Their objects are shared, and a Machine has only the fields that sets and
 * deployments read: no caller changes it or writes it back.
 */
export interface MachineLists {
  /** Not older than the call, whichever process wrote last. */
  select(namespace: string, selector?: LabelSelector): Promise<readonly Machine[]>;
  /** Not older than this version, without a list. Undefined where that is not to be had. */
  selectKnown(
    namespace: string,
    selector: LabelSelector | undefined,
    atLeast: string,
  ): Promise<readonly Machine[] | undefined>;
}

/** In the order of their names; shared, so no caller changes them. */
export interface MachineSetLists {
  /** All of the namespace, not older than the call, whichever process wrote last. */
  list(namespace: string): Promise<readonly MachineSet[]>;
}

/** Whatever writes to Kubernetes needs a watcher that holds the Lease of the namespace. */
export interface ActiveWatcher {
  isActive(): boolean;
  /** The Lease is that of a watcher which signals other workflows than ours. Default false. */
  isElsewhere?(): boolean;
}
