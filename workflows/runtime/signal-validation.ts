/**
 * The form of every signal that reports a state. A signal of another form is left out: it must not
 * stop its workflow for ever.
 */
import type { SignalDefinition } from '@temporalio/common';
import { ApplicationFailure, log, setHandler } from '@temporalio/workflow';
import type { DrainReport } from '../contracts/drain-activities.ts';
import type { DrainOptions } from '../api/drain-options.ts';
import type { PreservationNotes } from '../api/preservation.ts';
import type {
  ClassSnapshot,
  GoneSnapshot,
  MachineSnapshot,
  MachinesSnapshot,
  MissingInstance,
  NodeSnapshot,
  SetSnapshot,
} from '../contracts/messages.ts';
import type { WorkflowInput, NamespacedName, SnapshotVersion } from '../contracts/references.ts';
import type { Blocker } from '../plan/drain/report.ts';
import type { VolumeWait } from '../plan/drain/volumes.ts';
import type { Schema } from '../values/schema.ts';
import {
  count,
  errorIn,
  flag,
  listOf,
  name,
  objectOf,
  oneOf,
  optional,
  pick,
  resourceVersion,
  text,
  time,
} from '../values/schema.ts';

export const snapshotVersion: Schema<SnapshotVersion> = {
  cluster: text,
  epoch: count,
  resourceVersion,
};

export const classSnapshot: Schema<ClassSnapshot> = {
  ...snapshotVersion,
  isEdited: optional(flag),
};

export const goneSnapshot: Schema<GoneSnapshot> = { ...snapshotVersion, uid: name };

const drainOptions: Schema<DrainOptions> = {
  isSkipped: optional(flag),
  until: optional(time),
  skipsVolumeWait: optional(flag),
};

const preservation: Schema<PreservationNotes> = {
  preserve: optional(text),
  lastApplied: optional(text),
  expiry: optional(text),
  forcesDrain: optional(flag),
};

export const machineSnapshot: Schema<MachineSnapshot> = {
  ...goneSnapshot,
  isDeleting: flag,
  hasFinalizer: flag,
  specDigest: text,
  forceDeletion: flag,
  drain: optional(objectOf(drainOptions)),
  preservation: optional(objectOf(preservation)),
  command: optional(text),
};

export const missingInstance: Schema<MissingInstance> = {
  cluster: text,
  uid: name,
  providerID: name,
  confirmAfterSeconds: count,
};

export const nodeSnapshot: Schema<NodeSnapshot> = {
  ...snapshotVersion,
  name,
  exists: flag,
  uid: text,
  providerID: text,
  isReady: flag,
  isDeleting: flag,
  conditionsDigest: text,
  isWaitingForCriticalComponents: optional(flag),
  isStripped: optional(flag),
  preserve: optional(text),
  isOfOthers: optional(flag),
};

export const setSnapshot: Schema<SetSnapshot> = {
  ...goneSnapshot,
  generation: count,
  isDeleting: flag,
  hasFinalizer: flag,
  metadataDigest: text,
  command: optional(text),
};

const mostUnmatched = 1_000;

export const machinesSnapshot: Schema<MachinesSnapshot> = {
  ...snapshotVersion,
  unmatched: optional(listOf(name, mostUnmatched)),
};

const blocker: Schema<Blocker> = {
  blockedBy: name,
  pod: text,
  podUid: text,
  since: time,
  why: text,
  nextTryAt: optional(time),
  isHopeless: optional(flag),
};

const volumeWait: Schema<VolumeWait> = {
  pod: text,
  podUid: text,
  isOfGonePods: optional(flag),
  stage: oneOf('detach', 'reattach'),
  volumes: listOf(text, 1_000),
  since: time,
  until: time,
};

export const drainReportSchema: Schema<DrainReport> = {
  uid: name,
  podsLeft: count,
  blockers: listOf(objectOf(blocker), 100),
  blockerCount: count,
  volumeWait: optional(objectOf(volumeWait)),
  deadline: optional(time),
};

const objectRef: Schema<NamespacedName> = { namespace: name, name };

/** Hears a signal, and leaves out what is not of its form. */
export function onSignal<T extends object>(
  signal: SignalDefinition<[T]>,
  shape: Schema<T>,
  take: (payload: T) => void,
): void {
  setHandler(
    signal,
    (payload: T) => {
      const fault = errorIn(payload, shape);
      if (fault === undefined) take(pick(payload, shape));
      else log.warn('a signal that makes no sense was left out', { signal: signal.name, fault });
    },
    { description: 'not for people: from the watcher, or from an activity of this run' },
  );
}

/**
 * A run that a person starts by hand with another input can never do anything: it fails with the
 * reason.
 */
export function requireInput<Input extends WorkflowInput>(input: Input): Input {
  const fault = errorIn(input, { ref: objectOf(objectRef), cluster: name });
  if (fault === undefined) return input;
  const message = `the input makes no sense: ${fault}; it is {"ref": {"namespace": ..., "name": ...}, "cluster": UID of namespace kube-system}`;
  throw ApplicationFailure.nonRetryable(message, 'InvalidInput');
}
