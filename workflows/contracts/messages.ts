/**
 * Everything that a caller needs to talk to the workflows: ids, inputs, signals, queries.
 *
 * Signals carry level, not edge: a snapshot and where it was taken. A lost, doubled or reordered
 * signal is harmless, because an older snapshot is ignored and a newer one says everything.
 */
import type { SnapshotVersion } from './references.ts';
import type { SignalDefinition } from '@temporalio/common';
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { DrainReport } from './drain-activities.ts';
import type { DrainOptions } from '../api/drain-options.ts';
import type { PreservationNotes } from '../api/preservation.ts';

export interface MachineSnapshot extends SnapshotVersion {
  uid: string;
  /** The object has a deletionTimestamp. */
  isDeleting: boolean;
  /** The object carries the finalizer `machine.sapcloud.io/machine-controller-manager`. */
  hasFinalizer: boolean;
  /** Digest of the spec without `providerID`, which is ours to write. */
  specDigest: string;
  /** Label `force-deletion` is true as Go's ParseBool reads it. */
  forceDeletion: boolean;
  /** Drain options in its annotations; absent where there is none, and from earlier watchers. */
  drain?: DrainOptions;
  /** Absent where no annotation asks for it. */
  preservation?: PreservationNotes;
  /** Annotation `millwright.dev/command`. */
  command?: string;
}

export interface GoneSnapshot extends SnapshotVersion {
  uid: string;
}

export interface NodeSnapshot extends SnapshotVersion<'target'> {
  name: string;
  /** False when the Node object is gone; the fields below are then of its last state. */
  exists: boolean;
  uid: string;
  providerID: string;
  isReady: boolean;
  isDeleting: boolean;
  /** Digest of the conditions' types and statuses, heartbeats left out. */
  conditionsDigest: string;
  /**
   * The taint `node.gardener.cloud/critical-components-not-ready` is there: the machine is not
   * Running yet. Default false.
   */
  isWaitingForCriticalComponents?: boolean;
  /** Annotation `node.machine.sapcloud.io/preserve`; absent when empty. */
  preserve?: string;
  /** It says that its Machine is in another namespace of the same target cluster. Default false. */
  isOfOthers?: boolean;
  /** Others took away or changed what its Machine has put there. Default false. */
  isStripped?: boolean;
}

/** From the check of orphans: the cloud neither lists the instance nor knows it. */
export interface MissingInstance extends Pick<SnapshotVersion, 'cluster'> {
  /** UID of the Machine. */
  uid: string;
  providerID: string;
  /** At least so long the cloud has to say so. */
  confirmAfterSeconds: number;
}

export interface ClassSnapshot extends SnapshotVersion {
  /**
   * The watcher knew it, or its Secret, before: whatever a cloud said of the credentials was said
   * of others. Absent: it is seen for the first time.
   */
  isEdited?: boolean;
}

export interface SetSnapshot extends SnapshotVersion {
  uid: string;
  generation: number;
  isDeleting: boolean;
  hasFinalizer: boolean;
  /** Digest of the labels and annotations: these do not move the generation. */
  metadataDigest: string;
  /** Annotation `millwright.dev/command`, of a MachineDeployment. */
  command?: string;
}

export interface MachinesSnapshot extends SnapshotVersion {
  /**
   * Machines that the set controls although its selector does not match them: its LIST does not
   * show them. Absent when there is none; at most 100, the others follow when these have been let
   * go.
   */
  unmatched?: string[];
}

export const machineObserved = defineSignal<[MachineSnapshot]>('machineObserved');
export const machineGone = defineSignal<[GoneSnapshot]>('machineGone');
export const nodeObserved = defineSignal<[NodeSnapshot]>('nodeObserved');
/**
 * The MachineClass or one of its Secrets changed: the class is validated anew, machines that wait
 * for a repair try again.
 */
export const classChanged = defineSignal<[ClassSnapshot]>('classChanged');

/** A doubt, not a fact: the workflow asks the cloud itself, twice. */
export const instanceMissing = defineSignal<[MissingInstance]>('instanceMissing');

/** From the drain activity of this very machine. */
export const drainReport = defineSignal<[DrainReport]>('drainReport');
/** Pods that are left, what is in the way, the deadline. */
export const drainQuery = defineQuery<unknown>('drain');

export const machineSetObserved = defineSignal<[SetSnapshot]>('machineSetObserved');
export const machineSetGone = defineSignal<[GoneSnapshot]>('machineSetGone');
/** Says "something changed": the set reads its machines, as consistently as a LIST. */
export const machinesChanged = defineSignal<[MachinesSnapshot]>('machinesChanged');

export const machineDeploymentObserved = defineSignal<[SetSnapshot]>('machineDeploymentObserved');
export const machineDeploymentGone = defineSignal<[GoneSnapshot]>('machineDeploymentGone');
/** Says only "something changed": the deployment reads its sets by a consistent LIST. */
export const machineSetsChanged = defineSignal<[SnapshotVersion]>('machineSetsChanged');

/** Machines use a class, or a class uses a Secret, for the first time or no more. */
export const useChanged = defineSignal<[SnapshotVersion]>('useChanged');

/** Signals of the watcher. */
export const watcherSignals = {
  machineObserved,
  machineGone,
  nodeObserved,
  classChanged,
  machineSetObserved,
  machineSetGone,
  machinesChanged,
  machineDeploymentObserved,
  machineDeploymentGone,
  machineSetsChanged,
  useChanged,
};

export type SignalName = keyof typeof watcherSignals;

/** The payload of each signal. */
export type SignalPayloads = {
  [Name in SignalName]: (typeof watcherSignals)[Name] extends SignalDefinition<[infer Payload]>
    ? Payload
    : never;
};

/** The plan of a rollout, what blocks it and what comes next. */
export const rolloutQuery = defineQuery<unknown>('rollout');

/** Which object a run stands for, as far as it knows. */
export interface FollowedObject {
  /** Absent before the object was signalled or read. */
  uid?: string;
  isGone: boolean;
}

/** For programs of ours: the state has another form in each kind. */
export const objectQuery = defineQuery<FollowedObject>('object');

/** The whole state of a workflow, for people and tests. */
export const stateQuery = defineQuery<unknown>('state');
