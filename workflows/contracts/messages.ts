/**
 * Everything that a caller needs to talk to the workflows: ids, inputs, signals, queries.
 *
 * Signals carry level, not edge: a snapshot and where it was taken. A lost, doubled or reordered
 * signal is harmless, because an older snapshot is ignored and a newer one says everything.
 */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { DrainReport } from './machine-activities.ts';
import type { DrainOptions } from '../api/drain-options.ts';
import type { PreservationNotes } from '../api/preservation.ts';
import type { ObjectRef } from './task-queues.ts';

export type { Kind, ObjectRef } from './task-queues.ts';
export { workflowIdOf } from './task-queues.ts';

/** The cluster that gave an object its resourceVersion. */
export type VersionSource = 'control' | 'target';

declare const versionSource: unique symbol;

/**
 * Where and when a snapshot was taken. `Source` is for the compiler alone: resourceVersions of two clusters say nothing of each
 * other, so snapshots of the one cannot be compared with those of the other.
 */
export interface Sighting<Source extends VersionSource = 'control'> {
  readonly [versionSource]?: Source;
  /** UID of the namespace `kube-system` of the control cluster: signals of other clusters are refused. */
  cluster: string;
  /** Transitions of the watcher's Lease. A later leader wins over any resourceVersion of an earlier one. */
  epoch: number;
  /** resourceVersion of the object, or of the event that removed it. */
  resourceVersion: string;
}

/** Is `a` later than `b`? resourceVersions are decimal numbers of one cluster (comparable by KEP-5504). */
export function isLater<Source extends VersionSource>(
  a: Sighting<Source>,
  b: Sighting<NoInfer<Source>> | undefined,
): boolean {
  if (b === undefined || a.epoch > b.epoch) return true;
  return a.epoch === b.epoch && BigInt(a.resourceVersion) > BigInt(b.resourceVersion);
}

export interface MachineSnapshot extends Sighting {
  uid: string;
  /** The object has a deletionTimestamp. */
  isDeleting: boolean;
  /** The object carries the finalizer `machine.sapcloud.io/machine-controller-manager`. */
  hasFinalizer: boolean;
  /** Digest of the spec without `providerID`, which is ours to write. */
  specDigest: string;
  /** Label `force-deletion` is true as Go's ParseBool reads it. */
  forceDeletion: boolean;
  /** What the annotations ask of its drain; absent before there is one, and from watchers of earlier versions. */
  drain?: DrainOptions;
  /** Absent where nobody says anything of it. */
  preservation?: PreservationNotes;
}

export interface GoneSnapshot extends Sighting {
  uid: string;
}

export interface NodeSnapshot extends Sighting<'target'> {
  name: string;
  /** False when the Node object is gone; the fields below then tell of its last state. */
  exists: boolean;
  uid: string;
  providerID: string;
  isReady: boolean;
  isDeleting: boolean;
  /** Digest of the conditions' types and statuses, heartbeats left out. */
  conditionsDigest: string;
  /** The taint `node.gardener.cloud/critical-components-not-ready` is there: the machine is not Running yet. Default false. */
  isWaitingForCriticalComponents?: boolean;
  /** Annotation `node.machine.sapcloud.io/preserve`; absent when empty. */
  preserve?: string;
}

/** From the check of orphans: the cloud neither lists the instance nor knows it. */
export interface MissingInstance extends Pick<Sighting, 'cluster'> {
  /** Of the Machine. */
  uid: string;
  providerID: string;
  /** At least so long the cloud has to say so. */
  confirmAfterSeconds: number;
}

export interface ClassSnapshot extends Sighting {
  /** The watcher knew it, or its Secret, before: whatever a cloud said of the credentials was said of others. Absent: it is seen for the first time. */
  isEdited?: boolean;
}

export interface SetSnapshot extends Sighting {
  uid: string;
  generation: number;
  isDeleting: boolean;
  hasFinalizer: boolean;
  /** Digest of the labels and annotations: these do not move the generation. */
  metadataDigest: string;
}

export interface MachinesSnapshot extends Sighting {
  /**
   * Machines that the set controls although its selector does not match them: its LIST does not show them. Absent when
   * there is none; at most 100, the others follow when these have been let go.
   */
  strays?: string[];
}

/** Starts a workflow. Whatever else it needs it reads itself. */
export interface EntityInput {
  ref: ObjectRef;
  cluster: string;
}

export const machineObserved = defineSignal<[MachineSnapshot]>('machineObserved');
export const machineGone = defineSignal<[GoneSnapshot]>('machineGone');
export const nodeObserved = defineSignal<[NodeSnapshot]>('nodeObserved');
/** The MachineClass or one of its Secrets changed: the class is judged anew, machines that wait for a repair try again. */
export const classChanged = defineSignal<[ClassSnapshot]>('classChanged');

/** A doubt, not a fact: the workflow asks the cloud itself, twice. */
export const instanceMissing = defineSignal<[MissingInstance]>('instanceMissing');

/** From the drain activity of this very machine. */
export const drainReport = defineSignal<[DrainReport]>('drainReport');
/** Pods that are left, what is in the way, the deadline. */
export const drainQuery = defineQuery<unknown>('drain');

export const machineSetObserved = defineSignal<[SetSnapshot]>('machineSetObserved');
export const machineSetGone = defineSignal<[GoneSnapshot]>('machineSetGone');
/** Says "look": the set reads its machines by a consistent LIST. */
export const machinesChanged = defineSignal<[MachinesSnapshot]>('machinesChanged');

export const machineDeploymentObserved = defineSignal<[SetSnapshot]>('machineDeploymentObserved');
export const machineDeploymentGone = defineSignal<[GoneSnapshot]>('machineDeploymentGone');
/** Says only "look": the deployment reads its sets by a consistent LIST. */
export const machineSetsChanged = defineSignal<[Sighting]>('machineSetsChanged');

/** Machines use a class, or a class uses a Secret, for the first time or no more. */
export const useChanged = defineSignal<[Sighting]>('useChanged');

/** What a person or a program asks of a rollout. `by` is what the caller says of itself: nobody checks it. */
export type RolloutCommand = { by?: string } & (
  | { verb: 'pause' }
  /** Ends a pause, and a hold after the first machines. */
  | { verb: 'resume' }
  /** Revision 0, or none: the one before. */
  | { verb: 'rollback'; revision?: number }
  | { verb: 'setReplicas'; replicas: number }
);

/** Whoever has nothing to say may leave it out. */
export interface Caller {
  by?: string;
}

/** What a person or a program asks of a machine that waits. */
export type MachineCommand = { by?: string } & (
  | { verb: 'retryNow' }
  /** The instance goes with the pods on it. */
  | { verb: 'skipDrain' }
  | { verb: 'forceDelete' }
  | { verb: 'extendDrain'; minutes: number }
  | { verb: 'skipVolumeWait' }
);

/** Each is there as a signal, and as an update that is checked and answered. What the object can say is written there first. */
export const retryNowSignal = defineSignal<[Caller]>('retryNow');
export const skipDrainSignal = defineSignal<[Caller]>('skipDrain');
export const forceDeleteSignal = defineSignal<[Caller]>('forceDelete');
export const extendDrainSignal = defineSignal<[Caller & { minutes: number }]>('extendDrain');
export const skipVolumeWaitSignal = defineSignal<[Caller]>('skipVolumeWait');

/** They return what was done, in words. */
export const retryNowUpdate = defineUpdate<string, [Caller]>('retryNow');
export const skipDrainUpdate = defineUpdate<string, [Caller]>('skipDrain');
export const forceDeleteUpdate = defineUpdate<string, [Caller]>('forceDelete');
export const extendDrainUpdate = defineUpdate<string, [Caller & { minutes: number }]>(
  'extendDrain',
);
export const skipVolumeWaitUpdate = defineUpdate<string, [Caller]>('skipVolumeWait');

/** Each is there as a signal, and as an update that is checked and answered. All write the MachineDeployment first. */
export const pauseSignal = defineSignal<[Caller]>('pause');
export const resumeSignal = defineSignal<[Caller]>('resume');
export const rollbackSignal = defineSignal<[Caller & { revision?: number }]>('rollback');
export const setReplicasSignal = defineSignal<[Caller & { replicas: number }]>('setReplicas');

/** They return what was done, in words. */
export const pauseUpdate = defineUpdate<string, [Caller]>('pause');
export const resumeUpdate = defineUpdate<string, [Caller]>('resume');
export const rollbackUpdate = defineUpdate<string, [Caller & { revision?: number }]>('rollback');
export const setReplicasUpdate = defineUpdate<string, [Caller & { replicas: number }]>(
  'setReplicas',
);

/** The plan of a rollout, what blocks it and what comes next. */
export const rolloutQuery = defineQuery<unknown>('rollout');

/** The whole state of a workflow, for people and tests. */
export const stateQuery = defineQuery<unknown>('state');

const { KEYWORD, TEXT, DATETIME } = SearchAttributeType;

/**
 * Search attributes with their types; values of closed runs stay, so queries say `ExecutionStatus="Running"`. A SQL store
 * has columns for 10 Keyword and 3 of each other type, which all applications of a Temporal namespace share, and a name
 * cannot be changed later: docs/decisions/0009-install-identity.md.
 */
export const keys = {
  /** Phase of a machine, `DrainBlocked` included; state of a rollout. */
  State: defineSearchAttributeKey('State', KEYWORD),
  /** Id of the control cluster. */
  KubeCluster: defineSearchAttributeKey('KubeCluster', KEYWORD),
  KubeNamespace: defineSearchAttributeKey('KubeNamespace', KEYWORD),
  MachineDeployment: defineSearchAttributeKey('MachineDeployment', KEYWORD),
  MachineSet: defineSearchAttributeKey('MachineSet', KEYWORD),
  MachineClass: defineSearchAttributeKey('MachineClass', KEYWORD),
  BlockedBy: defineSearchAttributeKey('BlockedBy', KEYWORD),
  NodeName: defineSearchAttributeKey('NodeName', TEXT),
  /** Who has to act: `none`, `external`, `person`. */
  Attention: defineSearchAttributeKey('Attention', KEYWORD),
  WaitingSince: defineSearchAttributeKey('WaitingSince', DATETIME),
  Deadline: defineSearchAttributeKey('Deadline', DATETIME),
};

/** Name and type of each, as Temporal has to know them. */
export const searchAttributes = Object.fromEntries(
  Object.values(keys).map(({ name, type }) => [name, type]),
);
