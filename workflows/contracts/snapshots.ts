/**
 * What is said of an object, in one form: the watcher keeps and signals it, activities read it,
 * workflows carry it. Each type is that of the schema by which a signal is checked.
 */
import { commandIn } from '../api/command-verbs.ts';
import { finalizers, taints } from '../api/constants.ts';
import type { DeletionHooks, Hook } from '../api/deletion-hooks.ts';
import { hooksIn, mostHooks } from '../api/deletion-hooks.ts';
import type { DrainOptions } from '../api/drain-options.ts';
import { drainOptionsIn, isForceDeletion } from '../api/drain-options.ts';
import type { InPlaceNode } from '../api/in-place.ts';
import { inPlaceReasons, updateResults } from '../api/in-place.ts';
import { inPlaceNodeOf } from './in-place-node.ts';
import type { Machine, Taint } from '../api/machine.ts';
import type { NodeCondition, ObjectMeta } from '../api/meta.ts';
import type { PreservationNotes } from '../api/preservation.ts';
import { preservationNotesOf, preserveNoteIn } from '../api/preservation.ts';
import { longestProviderID } from '../api/validation.ts';
import { defined } from '../values/defined.ts';
import type { Infer, Schema } from '../values/schema.ts';
import {
  count,
  flag,
  listOf,
  name,
  objectOf,
  oneOf,
  optional,
  resourceVersion,
  text,
  time,
} from '../values/schema.ts';
import type { SnapshotVersion } from './references.ts';

/** Without where and when it was taken. */
export type ContentOf<Snapshot> = Omit<Snapshot, 'cluster' | 'epoch'>;

export const snapshotVersion: Schema<SnapshotVersion> = {
  cluster: text,
  epoch: count,
  resourceVersion,
};

export const goneSnapshot = { ...snapshotVersion, uid: name };

export interface GoneSnapshot extends SnapshotVersion, Infer<typeof goneSnapshot> {}

const drainOptions: Schema<DrainOptions> = {
  isSkipped: optional(flag),
  until: optional(time),
  skipsVolumeWait: optional(flag),
};

const hook: Schema<Hook> = { annotation: name, owner: text };

const deletionHooks: Schema<DeletionHooks> = {
  drain: optional(listOf(objectOf(hook), mostHooks)),
  instance: optional(listOf(objectOf(hook), mostHooks)),
};

const preservationNotes: Schema<PreservationNotes> = {
  preserve: optional(text),
  lastApplied: optional(text),
  expiry: optional(text),
  forcesDrain: optional(flag),
};

export const machineSnapshot = {
  ...goneSnapshot,
  /** The object has a deletionTimestamp. */
  isDeleting: flag,
  /** Its deletionTimestamp, milliseconds. */
  deletionRequestedAt: optional(time),
  /** The object carries the finalizer `machine.sapcloud.io/machine-controller-manager`. */
  hasFinalizer: flag,
  /** Digest of the spec without `providerID`, which is ours to write. Only signals have it. */
  specDigest: optional(text),
  /** Label `force-deletion`. Default false. */
  forceDeletion: optional(flag),
  /** Its drain, as the annotations ask. A signal has it once the object is being deleted. */
  drain: optional(objectOf(drainOptions)),
  /** Absent where there is none, and in signals until the object is being deleted. */
  hooks: optional(objectOf(deletionHooks)),
  /** Absent where no annotation asks for it. */
  preservation: optional(objectOf(preservationNotes)),
  /** Annotation `millwright.dev/command`. Only signals have it. */
  command: optional(text),
  /**
   * Name of its MachineSet, where an update in place may have moved it there. Only signals have it.
   */
  movedTo: optional(name),
};

export interface MachineSnapshot extends SnapshotVersion, Infer<typeof machineSnapshot> {}

/** All but the digest of its spec. What does not hold is absent. */
export function snapshotOf(machine: Machine): ContentOf<MachineSnapshot> {
  const { uid, resourceVersion: version, deletionTimestamp, ...metadata } = machine.metadata;
  const drain = drainOptionsIn(metadata.annotations, Date.parse);
  return defined({
    uid,
    resourceVersion: version,
    isDeleting: deletionTimestamp !== undefined,
    deletionRequestedAt:
      deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp),
    hasFinalizer: metadata.finalizers?.includes(finalizers.machine) ?? false,
    forceDeletion: isForceDeletion(metadata.labels) || undefined,
    drain: Object.keys(drain).length > 0 ? drain : undefined,
    hooks: hooksIn(metadata.annotations),
    preservation: preservationNotesOf(machine),
    command: commandIn(metadata.annotations),
  });
}

const inPlaceNode: Schema<InPlaceNode> = {
  isCandidate: optional(flag),
  isSelected: optional(flag),
  result: optional(oneOf(...updateResults)),
  failedReason: optional(text),
  reason: optional(oneOf(...inPlaceReasons)),
  since: optional(time),
};

export const nodeSnapshot = {
  ...snapshotVersion,
  name,
  /** False when the Node object is gone; the fields below are then of its last state. */
  exists: flag,
  uid: text,
  providerID: text,
  isReady: flag,
  isDeleting: flag,
  /** Digest of the conditions' types and statuses, heartbeats left out. Only signals have it. */
  conditionsDigest: text,
  /**
   * The taint `node.gardener.cloud/critical-components-not-ready` is there: the machine is not
   * Running yet. Default false.
   */
  isWaitingForCriticalComponents: optional(flag),
  /** Annotation `node.machine.sapcloud.io/preserve`; absent when empty. */
  preserve: optional(text),
  /** It says that its Machine is in another namespace of the same target cluster. Default false. */
  isOfOthers: optional(flag),
  /** Others took away or changed what its Machine has put there. Default false. */
  isStripped: optional(flag),
  /** Absent where nothing on it is about an update in place. */
  inPlace: optional(objectOf(inPlaceNode)),
};

export interface NodeSnapshot extends SnapshotVersion<'target'>, Infer<typeof nodeSnapshot> {}

/** A Node as a step of the workflow read it. */
export type ReadNode = Omit<ContentOf<NodeSnapshot>, 'exists' | 'conditionsDigest' | 'isStripped'>;

interface NodeObject {
  metadata: ObjectMeta;
  spec?: { providerID?: string; taints?: Taint[] };
  status?: { conditions?: NodeCondition[] };
}

/** Fields of a Node that the watcher and a read both have. */
export function snapshotOfNode({ metadata, spec, status }: NodeObject): ReadNode {
  const preserve = preserveNoteIn(metadata.annotations);
  const conditions = status?.conditions ?? [];
  const inPlace = inPlaceNodeOf({ metadata, ...(status && { status }) });
  return {
    uid: metadata.uid,
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    providerID: (spec?.providerID ?? '').slice(0, longestProviderID),
    isReady: conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    isDeleting: metadata.deletionTimestamp !== undefined,
    isWaitingForCriticalComponents: spec?.taints?.some(isCritical) ?? false,
    ...(preserve !== '' && { preserve }),
    ...(inPlace && { inPlace }),
  };
}

/** The machine of this Node may join by it. */
export function isUsableNode(
  node: Pick<NodeSnapshot, 'exists' | 'isReady' | 'isDeleting' | 'isWaitingForCriticalComponents'>,
): boolean {
  return node.exists && node.isReady && !node.isDeleting && !node.isWaitingForCriticalComponents;
}

export function isCritical({ key, effect }: Taint): boolean {
  return key === taints.criticalComponentsNotReady && effect === 'NoSchedule';
}

/** From the check of orphans: the cloud neither lists the instance nor knows it. */
export const missingInstance = {
  cluster: text,
  /** Of the Machine. */
  uid: name,
  providerID: name,
  /** At least so long the cloud has to say so. */
  confirmAfterSeconds: count,
};

export type MissingInstance = Infer<typeof missingInstance>;

export const classSnapshot = {
  ...snapshotVersion,
  /**
   * The watcher knew it, or its Secret, before: whatever a cloud said of the credentials was said
   * of others. Absent: it is seen for the first time.
   */
  isEdited: optional(flag),
};

export interface ClassSnapshot extends SnapshotVersion, Infer<typeof classSnapshot> {}

export const setSnapshot = {
  ...goneSnapshot,
  generation: count,
  isDeleting: flag,
  hasFinalizer: flag,
  /** Digest of the labels and annotations: these do not move the generation. */
  metadataDigest: text,
  /** Annotation `millwright.dev/command`, of a MachineDeployment. */
  command: optional(text),
};

export interface SetSnapshot extends SnapshotVersion, Infer<typeof setSnapshot> {}

export const machinesSnapshot = {
  ...snapshotVersion,
  /**
   * Machines that the set controls although its selector does not match them: its LIST does not
   * show them. Absent when there is none; at most 100, the others follow when these have been let
   * go.
   */
  unmatched: optional(listOf(name, 1_000)),
};

export interface MachinesSnapshot extends SnapshotVersion, Infer<typeof machinesSnapshot> {}
