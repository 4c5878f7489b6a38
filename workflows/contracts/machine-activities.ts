/**
 * The port: what workflows ask of the world. `activities/` implements these interfaces; every one
 * of them can be run twice with the same effect as once.
 */
import type { ObjectReference, NamespacedName } from './references.ts';
import type { CommandSource } from '../api/command-source.ts';
import type { HeldPart } from '../api/deletion-hooks.ts';
import type { DriverCall } from './driver-activities.ts';
import type { CreatedInstance } from './driver-contract.ts';
import type { MachinePhase } from '../api/phases.ts';
import type { MachineCommand } from './commands.ts';
import type { HealthFinding } from '../plan/machine/health.ts';
import type { Instance, MachineFailure, StepFailure } from '../plan/machine/facts.ts';
import type { NodeTemplate } from '../plan/machine/node-template.ts';
import type { ProviderOutcome } from './missing-instance-activities.ts';
import type {
  JoinOutcome,
  JoinRequest,
  NodeDeletionOutcome,
  NodeSyncOutcome,
  NodeSyncRequest,
} from './node-activities.ts';
import type { ContentOf, MachineSnapshot, ReadNode } from './snapshots.ts';

/** Limits that hold for one Machine: its annotation, else its spec, else the worker's flag. */
export interface MachineLimits {
  creationTimeoutSeconds: number;
  drainTimeoutSeconds: number;
  resourceExhaustedRetrySeconds: number;
  /** Refused evictions of a pod, one for each 20 s. Absent in what earlier versions noted. */
  maxEvictRetries?: number;
}

/**
 * The fields of a Machine that its workflow needs. Small, and without a secret: it stands in the
 * history.
 */
export interface PreparedMachine extends ContentOf<MachineSnapshot> {
  /** Milliseconds, moved by the pauses in which its creation timeout does not run. */
  createdAt: number;
  className: string;
  /** A condition says since then that hooks hold its deletion, milliseconds. */
  heldSince?: number;
  /** Hooks held its drain until then, milliseconds. */
  drainHeldUntil?: number;
  /** It carries conditions of a Node. */
  wasNodeSeen?: true;
  /** Absent when the class could not be read. */
  provider?: string;
  /** Its driver is another program, which does not see the Machine. */
  hasExternalDriver?: true;
  /** The class says that a cloud refused its credentials: a call that succeeds is news. */
  isClassRefused?: true;
  machineSet?: string;
  phase: MachinePhase;
  providerID?: string;
  nodeName?: string;
  lastKnownState?: string;
  /** Creates that were refused so far. */
  createGeneration: number;
  /** False with `--target-kubeconfig=none`: no Node, no drain. */
  usesTarget: boolean;
  /** Source of the worker's commands; absent: `temporal`. */
  commandsBy?: CommandSource;
  /** ID of a bootstrap token Secret in the target cluster; the id is no secret. */
  bootstrapTokenId?: string;
  /** Fields that the Node is to carry; absent when there are none. */
  nodeTemplate?: NodeTemplate;
  /** `spec.nodeConditions`; absent: the worker's flag. */
  nodeConditions?: string[];
  limits: MachineLimits;
}

export type ReadAndClaimOutcome =
  | { found: false }
  | {
      found: true;
      machine: PreparedMachine;
      /**
       * The Node that the Machine names; absent where there is none, and where it was not asked
       * for.
       */
      node?: ReadNode;
      failure?: MachineFailure;
      /**
       * Why the target cluster could not be asked: neither for the Node nor for a bootstrap token.
       */
      outOfReach?: string;
    };

/** Console output of an instance, or in one clause why it is not known. */
export type ConsoleRead = { text: string } | { reason: string };

/** Result of the second read. */
export type TimeoutOutcome =
  | { found: 'tooLate' }
  /** The Node joined without a signal: the watcher was away. */
  | { found: 'node'; node: ReadNode }
  /** The machine was given more time. */
  | { found: 'moreTime'; machine: PreparedMachine }
  /** It is not known if the Node has joined. */
  | { found: 'outOfReach'; reason: string }
  | { found: 'nothing' };

export interface HealthRequest {
  machine: ObjectReference;
  instance: Instance;
  /** The Node of this instance was seen to go. */
  hasLostNode: boolean;
  /** The cloud says that there is no such instance: no time limit is waited for. */
  isInstanceGone?: boolean;
  /**
   * Since when the machine has been unhealthy, and for how long of that its clock stood still,
   * milliseconds.
   */
  since?: number;
  pausedMs: number;
  /** Time of the workflow, milliseconds. */
  now: number;
}

export type HealthOutcome =
  | { found: 'nothing' }
  /** A client deletes it, or we do because its Node was deleted. */
  | { found: 'deleting' }
  | { found: 'machine'; finding: HealthFinding };

export interface TeardownOutcome {
  /** Absent when the object is gone or belongs to another life. */
  machine?: PreparedMachine;
  /**
   * Name of an older Machine with the same instance, of which this one is a copy: it goes alone.
   * Only where the driver is another's.
   */
  heldBy?: string;
}

export interface MachineCommandInput {
  machine: ObjectReference;
  command: MachineCommand;
  /** Of `retryUpdate`: whose Node it is about. */
  instance?: Instance;
  /** Time limit for `extendDrain`, milliseconds: as if nothing was paused since `countsFrom`. */
  until?: number;
  countsFrom?: number;
  /** The annotation that asks for it; absent where it came through Temporal. */
  written?: string;
  /** Length of the history when it came through Temporal. */
  heardAt?: number;
  /** Time of the workflow, milliseconds. */
  now?: number;
}

/** A written command that cannot be done. */
export interface RefusedCommand {
  object: ObjectReference & { kind: 'Machine' | 'MachineDeployment' };
  written: string;
  fault: string;
}

export interface AppliedCommand {
  /** The change that was made, in words. */
  words: string;
  /** Version of the Machine as it was written; absent where nothing was. */
  resourceVersion?: string;
  /** The annotation was not there any more: nothing was done. */
  isStale?: boolean;
}

/** Short idempotent steps around one Machine, run as local activities. */
export interface MachineActivities {
  /**
   * Reads Machine, class and Secrets; adds the finalizer; makes a bootstrap token if the user data
   * has a place for it.
   */
  readAndClaimMachine(input: {
    machine: NamespacedName;
    cluster: string;
    isRetry: boolean;
    /** Signals about the Node from before this run are lost. */
    readsNode?: boolean;
    /** The Machine that is to be read for the first time; a later version is as good. */
    signalled?: { uid: string; resourceVersion: string };
  }): Promise<ReadAndClaimOutcome>;
  /** Does another instance have a Node of this name? */
  findStaleNode(input: { instance: Instance }): Promise<{ isStale: boolean }>;
  recordCreated(input: {
    machine: ObjectReference;
    instance: CreatedInstance;
    usesTarget: boolean;
    /** A Node of the Machine's name, of an earlier instance of it, goes before. */
    clearsName?: boolean;
    /** The ids, or the phase after them. Absent: both. */
    only?: 'ids' | 'phase';
  }): Promise<void>;
  recordFailure(input: {
    machine: ObjectReference;
    failure: StepFailure;
    operation: 'Create' | 'Delete';
    phase: MachinePhase;
    createGeneration: number;
  }): Promise<void>;
  recordJoined(input: JoinRequest): Promise<JoinOutcome>;
  /** Makes the Node of a machine carry what Machine and class say of it by now. */
  syncNode(input: NodeSyncRequest): Promise<NodeSyncOutcome | undefined>;
  /**
   * Deletes a Machine that has not joined yet and whose Node was deleted, after another read of
   * both.
   */
  deleteWithNode(input: {
    machine: ObjectReference;
    instance: Instance;
  }): Promise<NodeDeletionOutcome>;
  /**
   * Reads Machine and Node once more, then marks the machine Failed. `now`: of the workflow,
   * milliseconds.
   */
  recordTimeout(input: {
    machine: ObjectReference;
    instance?: Instance;
    /**
     * The read before this one got no answer: a machine that is late now could not join until now.
     */
    isAfterOutage?: boolean;
    /** Console of the instance; absent where there is none. */
    consoleOutput?: ConsoleRead;
    now: number;
  }): Promise<TimeoutOutcome>;
  /**
   * Reads Machine and Node, copies conditions, changes the phase; deletes the Machine when its Node
   * was deleted.
   */
  checkHealth(input: HealthRequest): Promise<HealthOutcome>;
  /** Writes what a person asked for on the Machine, and an Event that says so. */
  applyMachineCommand(input: MachineCommandInput): Promise<AppliedCommand>;
  /** Refuses a command of either kind: says on the object why nothing was done. */
  refuseCommand(input: RefusedCommand): Promise<void>;
  beginTeardown(input: { machine: ObjectReference }): Promise<TeardownOutcome>;
  /**
   * Reads which hooks hold one of these parts, and says so on the Machine, or that none does any
   * more. Absent when the object is gone.
   */
  checkHooks(input: {
    machine: ObjectReference;
    parts: HeldPart[];
  }): Promise<Pick<TeardownOutcome, 'machine'>>;
  /** Records what a create or a delete waits for in the cloud, as `status.lastOperation`. */
  recordOperation(input: {
    machine: ObjectReference;
    operation: 'Create' | 'Delete';
    description: string;
  }): Promise<void>;
  /** Reports whether a worker polls the queue for these calls of the provider's driver. */
  findDriver(input: { provider: string; call: DriverCall }): Promise<QueueService>;
  /** Reports whether a worker polls the queue for drains. */
  findDrainWorker(): Promise<QueueService>;
  /** For a deletion that began while the class could not be read. */
  findProvider(input: { className: string }): Promise<ProviderOutcome>;
  /**
   * Node, bootstrap token and finalizer go. Returns why the target cluster keeps the Node: then the
   * finalizer stays.
   */
  finishTeardown(input: {
    machine: ObjectReference;
    nodeName?: string;
    /** UID of the Node that was seen to be of this instance; absent when none was. */
    nodeUid?: string;
    providerID?: string;
    /** No driver has answered with this instance, and the machine has not joined. Default false. */
    isUnproven?: boolean;
    bootstrapTokenId?: string;
    /** Its pods were not asked to leave, so their volumes were not detached. */
    mustDetachVolumes?: boolean;
    /**
     * It never joined: neither a target cluster that does not answer is waited for any longer, nor
     * a Node that may be that of its instance.
     */
    mayLeaveNode?: boolean;
  }): Promise<StepFailure | undefined>;
}

export interface QueueService {
  /** A worker polls the queue. */
  isServed: boolean;
  /** Tasks a second that an operator lets through; absent without a limit. */
  rateLimit?: number;
}
