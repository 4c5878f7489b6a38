/**
 * State of a Machine's workflow; carried whole through continue-as-new. Each group is changed in
 * one file only, which is named with it; all others read.
 */
import type { CreatedInstance } from '../contracts/driver-contract.ts';
import type { DrainReport } from '../contracts/drain-activities.ts';
import type { ConsoleRead, PreparedMachine } from '../contracts/machine-activities.ts';
import type { MachineSnapshot, NodeSnapshot } from '../contracts/snapshots.ts';
import type { Preservation } from '../contracts/preservation-activities.ts';
import type { SnapshotVersion } from '../contracts/references.ts';
import type { MachinePhase } from '../api/phases.ts';
import type { MachineFacts } from '../plan/machine/facts.ts';
import type { NodeTemplate } from '../plan/machine/node-template.ts';
import type { Requeue, Requeues } from '../plan/requeues.ts';
import type { OperationFacts } from '../plan/machine/operation.ts';
import type { HealthState } from '../plan/machine/health.ts';
import type { ObjectState } from '../runtime/object-lifecycle.ts';

/** Times are in milliseconds since the epoch. */
export interface MachineState {
  /** `phase.ts` */
  phase: MachinePhase;
  /** Since when the machine has been in its phase. */
  phaseSince: number;
  /** `object.ts` */
  object: MachineObjectState;
  /** `creation.ts` */
  creation: CreationState;
  /** `node.ts` */
  node: NodeState;
  requeues: MachineRequeues;
  /** `failure.ts`: what failed last; absent since a step of the same operation went well. */
  failure?: FailureState;
  /** `cloud-operation.ts`: a create or a delete that goes on in the cloud. */
  operation?: OperationState;
  /** `health.ts`: of a machine that has joined; absent until the first read. */
  health?: HealthState;
  /** `missing-instance.ts`: the cloud may have lost the instance. */
  missing?: MissingInstanceState;
  /** `console-output.ts`: of an instance that was no Ready Node at the creation timeout. */
  consoleOutput?: ConsoleOutputState;
  /** `preservation.ts`: absent where neither Machine nor Node asks for it. */
  preservation?: PreservationState;
  /** `in-place.ts`: absent where nothing was ever said of an update in place. */
  inPlace?: InPlaceState;
  /** `teardown.ts` */
  teardown?: TeardownState;
  /** `hooks.ts`: absent where no hook ever held its deletion. */
  hooks?: HooksState;
  /** `drain.ts`: what the drain that runs reported last. */
  drain?: DrainReport;
}

/** Failures that are tried again later, beside the operation of `failure`. */
export interface MachineRequeues {
  /** The target cluster did not answer when Machine and Node were read. */
  read?: Requeue;
  /** An API server was out of reach when its preservation was checked. */
  preserve?: Requeue;
  /** The drain of a Failed machine that is kept. */
  drainPreserved?: Requeue;
}

export interface MachineObjectState extends ObjectState<MachineSnapshot> {
  prepared?: PreparedMachine;
  /** The version that the last command wrote. */
  written?: SnapshotVersion;
  /** Its launch in one step was tried: once is enough. */
  wasLaunched?: boolean;
  /** The object or its class changed: read it again. */
  isStale: boolean;
  /** A watcher signalled it in doubt of a restored database; absent since the next read. */
  mayBeRestored?: boolean;
  /**
   * The Node was read by this run or the one before, or the Machine named none: from then on the
   * watcher signals its changes.
   */
  isNodeRead?: boolean;
  /** The machine has at least until then to join: an outage kept its Node from registering. */
  joinBy?: { at: number; isOutage: boolean };
  /** When the finalizer was taken off the living object. */
  finalizerLostAt?: number;
  /** UID of the later object of this name that says what it waits for. */
  toldSuccessor?: string;
  /**
   * UID of the object that this run saw before anybody had put the finalizer on it. No controller
   * makes an instance before that (MCM v0.62.1, and ours), so only this run can have made one.
   */
  unclaimedUid?: string;
}

/**
 * `none`: no create was sent. `unknown`: an earlier life, of which nothing is known, may have sent
 * one. `sent`: a create was sent, and no instance is known. `made`: the instance is known.
 * `recorded`: its ids are on the object.
 */
export type CreationState = CreationStage & {
  /** Part of the token: another generation makes another instance. */
  generation: number;
  /**
   * A create was sent and its outcome is unknown. `until`: a delete found no instance, and the
   * cloud may list it late until then.
   */
  unsettled?: { until?: number };
  /**
   * Nothing but the object, which its author may have made so, names the instance: no driver has
   * answered with it, and no Node of it was seen.
   */
  isUnproven?: true;
  /** The Node is the one that the label named when the object was read first: no driver said so. */
  isNodeOfLabel?: true;
};

export type CreationStage =
  | { stage: 'none' | 'unknown' | 'sent' }
  | { stage: 'made' | 'recorded'; instance: CreatedInstance };

export interface NodeState {
  /** As it was signalled or read last. */
  seen?: NodeSnapshot;
  /**
   * The Machine, its class or the Node changed, and the Node was not updated yet. `class`: the
   * version that was signalled. `from`: when it is to be updated, milliseconds; absent: at once.
   */
  behind?: { class?: SnapshotVersion; from?: number };
  /** When it is, or was, updated last because others had changed it. */
  mendedAt?: number;
  /** UID of the Node that the machine has joined by. */
  joinedUid?: string;
  /** Another Machine has the Node: it is neither drained nor deleted with this one. */
  isContested?: boolean;
  /** A Node may be left of an earlier instance under the name that the new instance got. */
  mustCheckName?: boolean;
  /** It was found, and is of an earlier instance of this Machine. */
  mustClearName?: boolean;
  /** The joining Node as it was when the node template was applied last. */
  equipped?: { uid: string; seen: string };
  /**
   * The node template that the Node carries, and after a failure the one before as well: what
   * stands on the Node itself may be its kubelet's word. Absent where that is not known.
   */
  applied?: NodeTemplate;
  /** The Node that went, as it was when that was handled. */
  lossSeen?: string;
}

export type FailureState = NonNullable<MachineFacts['failure']> & {
  operation: 'Create' | 'Delete';
  /** It is on the object. */
  isReported: boolean;
};

export interface OperationState {
  name: 'Create' | 'Delete';
  /** Token of the create; a checkpoint is of no use to another. */
  token: string;
  /** The thing that is waited for, in words. */
  message: string;
  waitsFor?: OperationFacts['waitsFor'];
  /** Since when it has been that. */
  since: number;
  checkpoint?: string;
  /** Time at which the driver wants to be asked again, for an operation that a drain began. */
  askAt?: number;
  /** The object's text about it, and since when. */
  reported?: { message: string; at: number };
}

export interface MissingInstanceState {
  providerID: string;
  confirmAfterSeconds: number;
  /** When the cloud is asked next. */
  askAt: number;
  /** When the cloud said for the first time that there is none. */
  missedAt?: number;
  isConfirmed: boolean;
  /** The health check has taken the answer into account. */
  isEvaluated: boolean;
}

/** Once the machine is Failed, the end of the text. */
export type ConsoleOutputState = ConsoleRead & { readAt: number };

export interface PreservationState {
  /** State at the last read, as it was known: any other is a reason to read again. */
  seen: string;
  /** Absent while it is not preserved. */
  kept?: Preservation;
  /** Drain of the Node of a Failed machine. */
  drain?: PreservationDrain;
}

/** Why the last attempt failed is in the requeue `drainPreserved`. */
export interface PreservationDrain {
  startedAt: number;
  isDone: boolean;
}

export interface InPlaceState {
  /** The limit of a phase that has one, as it was found last. */
  clock?: { phase: MachinePhase; deadline?: number; hold?: string };
  /** Drain of its Node, for as long as that is selected. */
  drain?: PreservationDrain;
  requeues: Requeues<'updateInPlace' | 'drainInPlace'>;
}

export interface HooksState {
  /** Digest of the hold that the object reports. */
  reported?: string;
  /** A step was refused by a hook that is not known here. */
  mustCheck?: boolean;
}

export type TeardownState = NonNullable<MachineFacts['teardown']> & {
  startedAt: number;
  /** The drain says Terminating on the object, and has not answered yet. */
  isUnsaid?: true;
  /** `hooks.ts`: a pod may have been asked to leave. */
  isDrainBegun?: boolean;
  /** A delete found the instance. */
  isProven?: true;
  /** Pods were not asked to leave: their volumes are still attached when the instance is gone. */
  wasForced?: boolean;
};

export function newMachineState(now: number): MachineState {
  return {
    phase: '',
    phaseSince: now,
    requeues: {},
    object: { isGone: false, isStale: true },
    creation: { stage: 'none', generation: 0 },
    node: {},
  };
}

/** Undefined while no instance is known. */
export function instanceOf({ creation }: MachineState): CreatedInstance | undefined {
  return 'instance' in creation ? creation.instance : undefined;
}

export function isRecorded({ creation }: MachineState): boolean {
  return creation.stage === 'recorded';
}
