/** The part of the port that the scheduled checks use; a part of `activities.ts`, which hands it on. */
import type { ScopeLook, Suspect, SweepRules } from './plan/orphan-sweep.ts';

/** Input of `safetyOrphans`. It stands in the Schedule, so that each run says by which rules it went. */
export interface OrphanCheck extends SweepRules {
  /** Of the Machines. */
  namespace: string;
  /** UID of the control cluster. */
  cluster: string;
}

export interface OrphanLookRequest {
  namespace: string;
  cluster: string;
  provider: string;
  minAgeSeconds: number;
}

export interface OrphanDeletion {
  namespace: string;
  cluster: string;
  suspect: Suspect;
}

export type OrphanOutcome =
  | { outcome: 'deleted' }
  /** Somebody else was quicker. */
  | { outcome: 'gone' }
  /** A Machine knows of it by now. */
  | { outcome: 'kept'; because: string }
  | { outcome: 'failed'; message: string };

/** Served on `<task queue>-driver-<provider>`. */
export interface OrphanActivities {
  /** One listing for each distinct credential and scope of the provider's classes; one that fails says why. */
  lookForOrphans(request: OrphanLookRequest): Promise<ScopeLook[]>;
  /** Reads the Machines once more before it deletes the instance. */
  deleteOrphan(request: OrphanDeletion): Promise<OrphanOutcome>;
}

/** Input of `safetyUnmanagedNodes`. */
export interface UnmanagedNodesCheck {
  /** Of the Machines. */
  namespace: string;
  /** A Node that no Machine knows of after this long is unmanaged, if no Machine that waits for its Node may wait longer. */
  creationTimeoutSeconds: number;
  /** Label selector: only these Nodes are looked at. Default all. */
  selector?: string;
}

export interface UnmanagedNodesReport {
  /** Nodes that were looked at. */
  nodes: number;
  /** Those that no Machine knows of, and that are old enough. */
  unmanaged: number;
  /** Names of Nodes that were marked by this run, and of those whose mark went; at most 100 each. */
  marked: string[];
  cleared: string[];
  /** They changed while they were read: the next run looks again. */
  postponed: number;
}

/** Served on the workflows' own task queue. */
export interface SafetyActivities {
  /** Providers of the MachineClasses, ordered. */
  findProviders(input: { namespace: string }): Promise<string[]>;
  /** Events on the MachineClasses: what was deleted, and that nothing was. */
  tellOfOrphans(input: {
    namespace: string;
    deleted: Suspect[];
    stopped?: { className: string; message: string };
  }): Promise<void>;
  /** Marks Nodes that no Machine knows of, and lets them go; takes the mark off those that have one. */
  markUnmanagedNodes(input: UnmanagedNodesCheck): Promise<UnmanagedNodesReport>;
}
