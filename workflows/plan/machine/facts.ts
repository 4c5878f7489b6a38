/** The facts that the plan of a Machine decides by. */
import type { MachineErrorCode } from '../../api/failures.ts';
import type { DeletionHooks } from '../../api/deletion-hooks.ts';
import type { DrainMode, RunningStep } from './steps.ts';
import type { OperationFacts } from './operation.ts';
import type { MachinePhase } from '../../api/phases.ts';
import type { InPlaceStanding } from './in-place.ts';
import type { Requeue, Requeues } from '../requeues.ts';

/** As drivers distinguish them. */
export const machineFailureKinds = [
  'throttling',
  'quota',
  'capacity',
  'credentials',
  'input',
] as const;

export type MachineFailureKind = (typeof machineFailureKinds)[number];

/** Why a step did not succeed, in the words of MCM v0.62.1's error codes. */
export interface MachineFailure {
  code: MachineErrorCode;
  message: string;
  /** Nothing was made: the next create may differ. False: an instance may exist all the same. */
  isSettled: boolean;
  /**
   * This create has sent nothing to the cloud that makes an instance, as it had no credentials. One
   * before it may have.
   */
  isUnsent?: boolean;
  retryAfterSeconds?: number;
  /** We stopped it ourselves: nothing is wrong. */
  wasCancelled?: boolean;
  /**
   * The one that has to act, where the code does not say it. Absent in notes of earlier versions.
   */
  kind?: MachineFailureKind;
  /** Default: creating or deleting the instance. */
  during?: 'initialization' | 'nodeLookup';
}

/** Failure of any step, also of one that no driver does. */
export interface StepFailure extends Omit<MachineFailure, 'during'> {
  during?: MachineFailure['during'] | 'nodeDeletion';
}

export interface Instance {
  providerID: string;
  nodeName: string;
}

export interface MachineFacts {
  running?: RunningStep;
  /** The cloud operation for which the running step waits. */
  operation?: OperationFacts;
  /** The object is gone from the API server. */
  isGone: boolean;
  isDeleting: boolean;
  hasFinalizer: boolean;
  /** How a drain would begin now. */
  drain: DrainMode;
  /** The object was read in this life. */
  isRead: boolean;
  failure?: {
    detail: StepFailure;
    attempts: number;
    /** Those whose wait we chose ourselves: each makes the next wait longer. */
    unpaced?: number;
    retryAt: number;
  };
  instance?: Instance;
  /** It is new: one step may do all that it needs. */
  mayLaunch?: boolean;
  /** The outcome of a create is unknown; the cloud may list its instance until then. */
  unsettledUntil?: number;
  /** A create was sent, or may have been sent by an earlier life. */
  wasCreateSent: boolean;
  /**
   * The target cluster did not answer when Machine and Node were read: they are read again then,
   * milliseconds.
   */
  outage?: Requeue;
  /** The last failure is not on the object yet. */
  isUnreported?: boolean;
  /** The finalizer was taken off a living object: it is set again then, milliseconds. */
  finalizerAt?: number;
  /** A Node may be left of an earlier instance under the name that the new instance got. */
  mustCheckName?: boolean;
  /** Nothing says yet what the Machine waits for that was created under the same name. */
  isSuccessorUntold?: boolean;
  /** The Node of a machine that has not joined yet was deleted. */
  hasLostNode?: boolean;
  /** A MachineSet decides on its replacement. */
  isOwned: boolean;
  /** Provider of the class, when the class could be read. */
  provider?: string;
  phase: MachinePhase;
  /** The instance's ids are on the object. */
  isRecorded: boolean;
  usesTarget: boolean;
  /** The Node of this instance was seen Ready. */
  isNodeReady: boolean;
  /** The Node lacks something that Machine or class say of it. */
  isNodeBehind: boolean;
  /** Not before, milliseconds: others keep changing the Node. Absent: at once. */
  nodeSyncAt?: number;
  createDeadline: number;
  /** The console of the instance was read, or could not be. */
  isConsoleRead?: boolean;
  /** Health of a machine that has joined. */
  health?: HealthFacts;
  /** A check found that the cloud does not list the instance. */
  missing?: MissingInstanceFacts;
  /** Preservation of a machine that is to be preserved, or was. */
  preservation?: PreservationFacts;
  /** Absent where neither phase nor Node say anything of an update in place. */
  inPlace?: InPlaceFacts;
  /** Steps that were rejected, by action: held back until it is time to try again. */
  requeues?: Requeues;
  /** Nothing has to be found out before its Node is drained, once it is being deleted. */
  mayDrainAtOnce?: boolean;
  /** Only while the machine is being deleted. */
  teardown?: { stage: TeardownStage };
  /** Only while the machine is being deleted. */
  hooks?: HookFacts;
}

export interface HookFacts {
  /** As the object had them last. */
  known?: DeletionHooks;
  /** A hook that comes now comes too late for the drain. */
  isDrainBegun: boolean;
  /** Digest of the hold that the object reports; absent where it reports none. */
  reported?: string;
  /** The object may have others, or report something else. */
  mustCheck: boolean;
}

/**
 * `searching`: a create may have made an instance that is not on the object. The driver has to find
 * it, so that its Node is drained and deleted as well. `draining`: the Node of the instance is to
 * be drained. `deleting`: the instance is to be deleted. `deleted`: no instance is left.
 * `finished`: Node and object are gone as well.
 */
export type TeardownStage = 'searching' | 'draining' | 'deleting' | 'deleted' | 'finished';

export interface MissingInstanceFacts {
  /** The cloud is asked then, milliseconds. */
  askAt: number;
  /** It said twice that there is none. */
  isConfirmed: boolean;
}

/** Times in milliseconds. Absent where no annotation asks for it. */
export interface PreservationFacts {
  /** Annotations, expiry, Node or phase are other than at the last check. */
  mustCheck: boolean;
  /** It is preserved until then. */
  until?: number;
  /** An API server was out of reach: not before this. */
  checkAt?: number;
  /** The Node of a Failed machine is not drained yet. */
  mustDrain: boolean;
  /** The last attempt failed: not before this. */
  drainAt?: number;
  /** Label `force-drain`. */
  forcesDrain: boolean;
}

/** Times in milliseconds. */
export interface InPlaceFacts extends Omit<InPlaceStanding, 'phase'> {
  /** The limit of its phase is not known. */
  mustCheck: boolean;
  /** Why it stays as it is past its time. */
  hold?: string;
  /** A write failed, and why: not before this. */
  requeue?: Requeue;
  /** The last drain failed, and why: not before this. */
  drainRequeue?: Requeue;
}

export interface HealthFacts {
  /** Something changed since the last read. */
  mustCheck: boolean;
  checkAt?: number;
  waitsFor?: string;
}
