/**
 * The part of the port that the scheduled checks use; a part of `kube-activities.ts`, which hands
 * it on.
 */
import type { WorkflowComparison, WorkflowRef } from '../plan/safety/lost-workflows.ts';
import type { Freeze, OvershootFinding, OvershootRules } from '../plan/safety/overshoot.ts';
import type { MissingInstance } from './snapshots.ts';
import type { NamespacedName } from './references.ts';
import type { ListedInstance } from './driver-contract.ts';
import type { OwnedInstance } from '../plan/safety/missing-instances.ts';
import type {
  CredentialNews,
  ScopeListing,
  Suspect,
  SweepRules,
} from '../plan/safety/orphan-sweep.ts';
import type { ReachabilityLimits, Server } from '../plan/safety/reachability.ts';

/**
 * Input of `safetyOrphans`. The Schedule holds it, so that the history of each run has the limits
 * that it went by.
 */
export interface OrphanCheck extends SweepRules {
  /** Namespace of the Machines. */
  namespace: string;
  /** UID of the control cluster. */
  cluster: string;
}

export interface OrphanSearchRequest {
  namespace: string;
  cluster: string;
  provider: string;
  minAgeSeconds: number;
  /**
   * providerIDs that the run before suspected, at most 200: the answer names those that are
   * cleared.
   */
  suspects?: string[];
}

/** Before our finalizer goes off a class that no Machine uses any more. */
export interface FinalCheckRequest {
  namespace: string;
  cluster: string;
  provider: string;
  className: string;
}

export interface FinalCheck {
  /**
   * Instances that only this class leads to and that no Machine knows of; at most 10 of their
   * providerIDs.
   */
  left: number;
  examples: string[];
  /** Why it is not known. */
  error?: string;
}

export interface OrphanDeletion {
  namespace: string;
  cluster: string;
  suspect: Suspect;
}

export type OrphanOutcome =
  | { outcome: 'deleted' }
  /** Another client was quicker. */
  | { outcome: 'gone' }
  /** A Machine knows of it by now. */
  | { outcome: 'kept'; because: string }
  | { outcome: 'failed'; message: string };

/**
 * A provider whose driver is not built in: it serves `DriverActivities` alone, so that the core
 * evaluates what it lists.
 */
export interface ExternalProvider {
  provider: string;
  /** Names of its MachineClasses, ordered. */
  classNames: string[];
}

/** Listing by a driver that is not built in, with the credentials of one class. */
export interface ExternalListing {
  className: string;
  instances: ListedInstance[];
  /** Why there are none. */
  error?: string;
}

export interface ListingsRequest {
  namespace: string;
  provider: string;
  minAgeSeconds: number;
  /** providerIDs that the run before suspected. Default none. */
  suspects?: string[];
  listings: ExternalListing[];
}

export interface EvaluatedListing {
  listing: ScopeListing;
  /** Machines of the class that have an instance. */
  machines: number;
  /** Those of them whose instance no listing of the provider has. */
  unlisted: UnlistedInstance[];
}

export interface UnlistedInstance extends OwnedInstance {
  /** Time at which its Machine was created, milliseconds. */
  createdAt: number;
}

/** Served on `<task queue>/driver/<provider>` by the drivers that are built in. */
export interface OrphanActivities {
  /**
   * One listing for each distinct credential and scope of the provider's classes; one that fails
   * says why.
   */
  findOrphans(request: OrphanSearchRequest): Promise<ScopeListing[]>;
  /**
   * Finds what would be out of reach without this class; nothing while another one has the same
   * credentials and scope.
   */
  checkFinally(request: FinalCheckRequest): Promise<FinalCheck>;
  /** Reads the Machines once more before it deletes the instance. */
  deleteOrphan(request: OrphanDeletion): Promise<OrphanOutcome>;
}

/** Input of `safetyUnmanagedNodes`. */
export interface UnmanagedNodesCheck {
  /** Namespace of the Machines. */
  namespace: string;
  /**
   * A Node that no Machine knows of after this long is unmanaged, if no Machine that waits for its
   * Node may wait longer.
   */
  creationTimeoutSeconds: number;
  /** Label selector: only these Nodes are checked. Default all. */
  selector?: string;
}

export interface UnmanagedNodesReport {
  /** Nodes that were checked. */
  nodes: number;
  /** Those that no Machine knows of, and that are old enough. */
  unmanaged: number;
  /**
   * Names of Nodes that were marked by this run, and of those whose mark went; at most 100 each.
   */
  marked: string[];
  cleared: string[];
  /** Nodes whose writes the API server refuses; at most 20. Absent: none. */
  refused?: { node: string; message: string }[];
  /** They changed while they were read: the next run checks again. */
  postponed: number;
}

/** Input of `safetyLostWorkflows`. */
export interface WorkflowCheck {
  /** Namespace of the Machines, MachineSets and MachineDeployments. */
  namespace: string;
}

export interface RepairedWorkflow extends WorkflowRef {
  /** False: `why` says what was in the way. */
  isHealed: boolean;
  why: string;
}

export interface WorkflowReport {
  /** Machines, MachineSets and MachineDeployments of the last check. */
  objects: number;
  /** Their workflows that ran then. */
  running: number;
  healed: number;
  failed: number;
  /** At most 100, those that failed first. */
  entities: RepairedWorkflow[];
}

/** Input of `safetyOvershoot`. */
export interface OvershootCheck extends OvershootRules {
  namespace: string;
}

/** `error`: why it could not be done. */
export type FreezeOutcome = Freeze & { error?: string };

export interface OvershootReport {
  /** MachineSets that there were. */
  sets: number;
  /** Number of these that are frozen. */
  frozen: number;
  /** At most 100. */
  changed: FreezeOutcome[];
  unchecked: OvershootFinding['unchecked'];
}

/** Input of `safetyReachability`. */
export interface ReachabilityCheck extends ReachabilityLimits {
  namespace: string;
}

export interface ReachabilityReport {
  /** API servers that did not answer last. */
  away: Server[];
  isFrozen: boolean;
  /** RFC 3339. Absent when all answer. */
  since?: string;
  checkedAt: string;
}

/** Served on the workflows' own task queue. */
export interface SafetyActivities {
  /** Providers of the MachineClasses, ordered. Those whose driver is built in are names alone. */
  findProviders(input: { namespace: string }): Promise<(string | ExternalProvider)[]>;
  /**
   * Says what of these listings no Machine knows, and what of the Machines' instances they do not
   * have. Reads the Machines now.
   */
  evaluateListings(request: ListingsRequest): Promise<EvaluatedListing[]>;
  /** Events on the MachineClasses: what was deleted, and that nothing was. */
  reportOrphans(input: {
    namespace: string;
    deleted: Suspect[];
    stopped?: { className: string; message: string };
  }): Promise<void>;
  /** On the MachineClasses. */
  reportCredentials(input: { namespace: string; news: CredentialNews[] }): Promise<void>;
  /**
   * Signals the workflows of these Machines; writes an Event where they are not signalled, because
   * they are too many.
   */
  signalMissingInstances(input: {
    namespace: string;
    missing: (MissingInstance & { name: string })[];
    stopped: { className: string; message: string }[];
  }): Promise<void>;
  /** Lists both. At most some hundreds of each kind of difference. */
  compareWorkflows(input: WorkflowCheck): Promise<WorkflowComparison>;
  /**
   * Checks each again, then signals its workflow as the watcher would; writes an Event on each
   * object whose workflow is started.
   */
  repairWorkflows(
    input: WorkflowCheck & Pick<WorkflowComparison, 'unattended' | 'leftOver' | 'replaced'>,
  ): Promise<RepairedWorkflow[]>;
  /** Nothing overshoots while everything is stopped: nothing is made, and nothing can go. */
  checkOvershoot(input: OvershootCheck): Promise<OvershootFinding>;
  /** Label, condition and, on sets, an Event. A failed write does not keep the others waiting. */
  applyFreezes(input: { namespace: string; freezes: Freeze[] }): Promise<FreezeOutcome[]>;
  /** Says which API servers give no answer; any answer is one. */
  checkServers(input: { namespace: string }): Promise<{ away: Server[] }>;
  /**
   * Marks Nodes that no Machine knows of, and lets them go; takes the mark off those that have one.
   */
  markUnmanagedNodes(input: UnmanagedNodesCheck): Promise<UnmanagedNodesReport>;
}

export interface ProtectionOutcome {
  /** Our finalizer still stands on a class that no Machine uses: `checkFinally` comes first. */
  checkFirst?: {
    provider: string;
    isDeleting: boolean;
    /** Its driver is not built in. */
    isExternal?: true;
  };
}

export interface ProtectionActivities {
  /**
   * Our finalizer stands on a class while a Machine uses it, and on a Secret while a class uses it.
   * `lastLook`: it was taken; `problem` says what it left open, for an Event.
   */
  protectFromDeletion(input: {
    resource: 'machineclasses' | 'secrets';
    ref: NamespacedName;
    finalCheck?: { problem?: string };
  }): Promise<ProtectionOutcome>;
}

/** Input of `safety`: all checks of all namespaces of an install. */
export interface SafetyRound {
  /** UID of the control cluster. */
  cluster: string;
  /** The Schedule starts a run at each multiple of it, and so long after. */
  everySeconds: number;
  offsetSeconds: number;
}

export interface CheckOutcome {
  check: string;
  /** RFC 3339. */
  at: string;
  /** `found`: no run was started for it. `triggered`: one was. */
  outcome: 'nothing' | 'found' | 'triggered' | 'failed';
  /** Finding, or why it is not known. */
  why?: string;
}

export interface SafetyReport {
  /** That the worker of this run serves. */
  namespaces: number;
  /** Checks that this run made, and those of them that are not `nothing`. */
  made: number;
  found: number;
  /** Namespaces whose turn did not come: they are the first of the next run. */
  postponed: number;
  /**
   * Of at most 20 namespaces, first those with something else than `nothing`: the last outcome of
   * each check, also of an earlier run on the same worker.
   */
  last: { namespace: string; checks: CheckOutcome[] }[];
}

/** Served on the workflows' own task queue, for all namespaces at once. */
export interface InstallActivities {
  /** Starts the runs that are needed. `all`: whether they are due or not. */
  checkNamespaces(input: { all: boolean }): Promise<SafetyReport>;
}
