/** The form of every signal that says what was seen. One that has another is left out: it must not stop its workflow for ever. */
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
import type { EntityInput, ObjectRef, Sighting } from '../contracts/references.ts';
import type { Blocker } from '../plan/drain/report.ts';
import type { VolumeWait } from '../plan/drain/volumes.ts';
import type { Shape } from '../values/shape.ts';
import {
  count,
  faultIn,
  flag,
  listOf,
  name,
  objectOf,
  oneOf,
  optional,
  partOf,
  resourceVersion,
  text,
  time,
} from '../values/shape.ts';

export const sighting: Shape<Sighting> = { cluster: text, epoch: count, resourceVersion };

export const classSnapshot: Shape<ClassSnapshot> = { ...sighting, isEdited: optional(flag) };

export const goneSnapshot: Shape<GoneSnapshot> = { ...sighting, uid: name };

const drainOptions: Shape<DrainOptions> = {
  isSkipped: optional(flag),
  until: optional(time),
  skipsVolumeWait: optional(flag),
};

const preservation: Shape<PreservationNotes> = {
  preserve: optional(text),
  lastApplied: optional(text),
  expiry: optional(text),
  forcesDrain: optional(flag),
};

export const machineSnapshot: Shape<MachineSnapshot> = {
  ...goneSnapshot,
  isDeleting: flag,
  hasFinalizer: flag,
  specDigest: text,
  forceDeletion: flag,
  drain: optional(objectOf(drainOptions)),
  preservation: optional(objectOf(preservation)),
};

export const missingInstance: Shape<MissingInstance> = {
  cluster: text,
  uid: name,
  providerID: name,
  confirmAfterSeconds: count,
};

export const nodeSnapshot: Shape<NodeSnapshot> = {
  ...sighting,
  name,
  exists: flag,
  uid: text,
  providerID: text,
  isReady: flag,
  isDeleting: flag,
  conditionsDigest: text,
  isWaitingForCriticalComponents: optional(flag),
  preserve: optional(text),
};

export const setSnapshot: Shape<SetSnapshot> = {
  ...goneSnapshot,
  generation: count,
  isDeleting: flag,
  hasFinalizer: flag,
  metadataDigest: text,
};

const mostStrays = 1_000;

export const machinesSnapshot: Shape<MachinesSnapshot> = {
  ...sighting,
  strays: optional(listOf(name, mostStrays)),
};

const blocker: Shape<Blocker> = {
  blockedBy: name,
  pod: text,
  podUid: text,
  since: time,
  why: text,
  nextTryAt: optional(time),
  isHopeless: optional(flag),
};

const volumeWait: Shape<VolumeWait> = {
  pod: text,
  podUid: text,
  stage: oneOf('detach', 'reattach'),
  volumes: listOf(text, 1_000),
  since: time,
  until: time,
};

export const drainReportShape: Shape<DrainReport> = {
  uid: name,
  podsLeft: count,
  blockers: listOf(objectOf(blocker), 100),
  blockerCount: count,
  volumeWait: optional(objectOf(volumeWait)),
  deadline: optional(time),
};

const objectRef: Shape<ObjectRef> = { namespace: name, name };

/** Hears a signal, and leaves out what is not of its form. */
export function hear<T extends object>(
  signal: SignalDefinition<[T]>,
  shape: Shape<T>,
  take: (payload: T) => void,
): void {
  setHandler(signal, (payload: T) => {
    const fault = faultIn(payload, shape);
    if (fault === undefined) take(partOf(payload, shape));
    else log.warn('a signal that makes no sense was left out', { signal: signal.name, fault });
  });
}

/** A run that somebody starts by hand with something else can never do anything: it fails, and says why. */
export function requireInput<Input extends EntityInput>(input: Input): Input {
  const fault = faultIn(input, { ref: objectOf(objectRef), cluster: name });
  if (fault === undefined) return input;
  const message = `the input makes no sense: ${fault}; it is {"ref": {"namespace": ..., "name": ...}, "cluster": UID of namespace kube-system}`;
  throw ApplicationFailure.nonRetryable(message, 'InvalidInput');
}
