/** Requests of a workflow for a drain, and the drain's reports to it. */
import type { HeldDeleteOutcome } from './driver-activities.ts';
import type { DriverRequest } from './driver-contract.ts';
import type { MachineActivities } from './machine-activities.ts';
import type { ObjectReference } from './references.ts';
import type { StepFailure } from '../plan/machine/facts.ts';
import type { Blocker } from '../plan/drain/report.ts';
import type { VolumeWait } from '../plan/drain/volumes.ts';
import type { Infer, Schema } from '../values/schema.ts';
import {
  count,
  flag,
  listOf,
  name,
  objectOf,
  oneOf,
  optional,
  text,
  time,
} from '../values/schema.ts';

export interface DrainRequest {
  machine: ObjectReference;
  nodeName: string;
  /**
   * ID of the machine's instance: a Node of another one is left alone. Absent in requests of
   * earlier versions.
   */
  providerID?: string;
  /** UID of the Node that the machine has joined by; absent when it has not, or it is not known. */
  nodeUid?: string;
  /** No driver has answered with this instance, and the machine has not joined. Default false. */
  isUnproven?: boolean;
  /** Milliseconds; pods that are left then are deleted without the Eviction API. */
  deadline: number;
  /** Milliseconds. Pauses since then move the deadline. */
  countsFrom: number;
  isForced: boolean;
  /**
   * Refused evictions of a pod, one for each 20 s, before it is deleted without asking. Absent: the
   * worker's flag.
   */
  maxEvictRetries?: number;
  /** Last report of an activity that was cancelled to change its mode: clocks go on. */
  earlier?: DrainReport;
  skipsVolumeWait?: boolean;
  /**
   * The Node stays: it is neither cordoned nor marked Terminating, and pods that do not go are a
   * failure. Default false.
   */
  keepsNode?: boolean;
  /**
   * It is updated in place: beside `keepsNode`, it is cordoned, and drained only while it is
   * selected. Default false.
   */
  isForUpdate?: boolean;
  /**
   * The answer may be that hooks hold the drain. Absent in requests of earlier versions, which know
   * of none.
   */
  asksHooks?: boolean;
  /**
   * The Machine says Terminating first. Earlier workers do not know it, and drain without. Default
   * false.
   */
  begins?: boolean;
  /** Absent: the activity ends with the drain. */
  removal?: MachineRemoval;
}

/**
 * Removal that may follow in the attempt that ends the drain, so that the workflow is spared two
 * steps (docs/decisions/0037-removal-with-the-drain.md).
 */
export interface MachineRemoval {
  deletion: DriverRequest;
  /** `mustDetachVolumes` comes from the drain. */
  finish: Parameters<MachineActivities['finishTeardown']>[0];
}

export interface MachineRemovalOutcome {
  /** As the driver's own queue answers. */
  deletion: HeldDeleteOutcome;
  /** Absent when Node, token and finalizer are still to go. */
  finish?: { failure?: StepFailure };
}

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

export const drainReportSchema = {
  /** Of the Machine. */
  uid: name,
  podsLeft: count,
  /** Those that wait longest, at most 10. Empty: it goes on. */
  blockers: listOf(objectOf(blocker), 100),
  blockerCount: count,
  volumeWait: optional(objectOf(volumeWait)),
  /** Milliseconds; absent where pauses did not move it. */
  deadline: optional(time),
};

/**
 * What a drain reports to its workflow when other things are in the way than before, or nothing any
 * more.
 */
export type DrainReport = Infer<typeof drainReportSchema>;

export interface DrainOutcome {
  evictedPods: number;
  isForced: boolean;
  /** The Node is cordoned and has no pods to leave: its update may begin. Of `isForUpdate`. */
  isEmptied?: boolean;
  /** Hooks hold the drain: nothing was done. */
  isHeld?: boolean;
  /** Of `begins`: nothing was done, as the Machine is to be read before. */
  isNotBegun?: boolean;
  /** Absent when nothing came of it: the driver's own queue is asked then. */
  removal?: MachineRemovalOutcome;
}

/**
 * Served on `<task queue>/drain`. One attempt is one pass; a blocked pass fails as benign and is
 * tried again.
 */
export interface DrainActivities {
  drainNode(request: DrainRequest): Promise<DrainOutcome>;
}
