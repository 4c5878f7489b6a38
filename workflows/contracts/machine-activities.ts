/**
 * The port: what workflows ask of the world. `activities/` implements these interfaces; every one of them can be run
 * twice with the same effect as once.
 */
import type { DriverCall } from './driver-activities.ts';
import type { DrainOptions } from '../api/drain-options.ts';
import type { MachinePhase } from '../api/phases.ts';
import type { PreservationNotes } from '../api/preservation.ts';
import type { MachineCommand, ObjectRef, RolloutCommand } from './messages.ts';
import type { Blocker } from '../plan/drain/report.ts';
import type { VolumeWait } from '../plan/drain/volumes.ts';
import type { HealthFinding } from '../plan/machine/health.ts';
import type { Instance, MachineFailure, StepFailure } from '../plan/machine/plan.ts';
import type { Basis, SetSurvey } from '../plan/machine-set/plan.ts';
import type { NodeTemplate } from '../plan/machine/node-template.ts';
import type { Refusals } from '../plan/machine-set/refused-machines.ts';
import type { ClassActivities } from './machine-class-activities.ts';
import type { MachineDeploymentActivities } from './machine-deployment-activities.ts';
import type { CreatedInstance } from './driver-activities.ts';
import type { LossActivities, ProviderOutcome } from './missing-instance-activities.ts';
import type {
  JoinOutcome,
  JoinRequest,
  NodeDeletionOutcome,
  NodeSyncRequest,
  ReadNode,
} from './node-activities.ts';
import type { PreservationActivities } from './preservation-activities.ts';
import type { ProtectionActivities, SafetyActivities } from './safety-activities.ts';

export type { MachineCommand, NodeTemplate, ObjectRef, RolloutCommand };
export type { PreserveOutcome, PreserveRequest } from './preservation-activities.ts';
export type * from './machine-class-activities.ts';
export type * from './machine-deployment-activities.ts';
export type * from './driver-activities.ts';
export type * from './missing-instance-activities.ts';
export type * from './node-activities.ts';
export type * from './safety-activities.ts';

/** An object, and which life of it: a step for another UID does nothing. */
export interface LifeRef extends ObjectRef {
  uid: string;
}

/** Limits that hold for one Machine: its annotation, else its spec, else the worker's flag. */
export interface MachineLimits {
  creationTimeoutSeconds: number;
  drainTimeoutSeconds: number;
  resourceExhaustedRetrySeconds: number;
  /** Refused evictions of a pod, one for each 20 s. Absent in what earlier versions noted. */
  maxEvictRetries?: number;
}

/** What a life needs to know of its object. Small, and without a secret: it stands in the history. */
export interface PreparedMachine {
  uid: string;
  resourceVersion: string;
  isDeleting: boolean;
  hasFinalizer: boolean;
  /** Milliseconds, moved by the pauses in which its creation timeout does not run. */
  createdAt: number;
  deletionRequestedAt?: number;
  className: string;
  /** It carries conditions of a Node. */
  wasNodeSeen?: true;
  /** Absent when the class could not be read. */
  provider?: string;
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
  /** Of a bootstrap token Secret in the target cluster; the id is no secret. */
  bootstrapTokenId?: string;
  /** What the Node is to carry; absent when that is nothing. */
  nodeTemplate?: NodeTemplate;
  /** `spec.nodeConditions`; absent: the worker's flag. */
  nodeConditions?: string[];
  limits: MachineLimits;
  /** Label `force-deletion`. */
  forceDeletion?: true;
  /** What an operator asked for; absent when that is nothing. */
  drain?: DrainOptions;
  /** Absent where nobody says anything of it. */
  preservation?: PreservationNotes;
}

export type PrepareOutcome =
  | { found: false }
  | {
      found: true;
      machine: PreparedMachine;
      /** The Node that the Machine names; absent where there is none, and where it was not asked for. */
      node?: ReadNode;
      failure?: MachineFailure;
      /** Why the target cluster could not be asked: neither for the Node nor for a bootstrap token. */
      outOfReach?: string;
    };

export interface DrainRequest {
  machine: LifeRef;
  nodeName: string;
  /** Of the machine's instance: a Node of another one is left alone. Absent in requests of earlier versions. */
  providerID?: string;
  /** Milliseconds; pods that are left then are deleted without the Eviction API. */
  deadline: number;
  /** Milliseconds. Pauses since then move the deadline. */
  countsFrom: number;
  isForced: boolean;
  /** Refused evictions of a pod, one for each 20 s, before it is deleted without asking. Absent: the worker's flag. */
  maxEvictRetries?: number;
  /** What an activity reported that was cancelled to change its mode: clocks go on. */
  earlier?: DrainReport;
  skipsVolumeWait?: boolean;
  /** The Node stays: it is neither cordoned nor marked Terminating, and pods that do not go are a failure. Default false. */
  keepsNode?: boolean;
}

/** What a drain tells its workflow when other things are in the way than before, or nothing any more. */
export interface DrainReport {
  /** Of the Machine. */
  uid: string;
  podsLeft: number;
  /** Those that wait longest, at most 10. Empty: it goes on. */
  blockers: Blocker[];
  blockerCount: number;
  volumeWait?: VolumeWait;
  /** Milliseconds; absent where pauses did not move it. */
  deadline?: number;
}

export interface DrainOutcome {
  evictedPods: number;
  isForced: boolean;
}

/** Served on `<task queue>/drain`. One attempt is one pass; a blocked pass fails as benign and is tried again. */
export interface DrainActivities {
  drainNode(request: DrainRequest): Promise<DrainOutcome>;
}

/** What the second look found. */
export type TimeoutOutcome =
  | { found: 'tooLate' }
  /** The Node joined and nobody told: the watcher was away. */
  | { found: 'node'; node: ReadNode }
  /** The machine was given more time. */
  | { found: 'moreTime'; machine: PreparedMachine }
  /** Nobody can say whether it has joined. */
  | { found: 'outOfReach'; reason: string }
  | { found: 'nothing' };

export interface HealthRequest {
  machine: LifeRef;
  instance: Instance;
  /** The Node of this instance was seen to go. */
  hasLostNode: boolean;
  /** The cloud says that there is no such instance: no time limit is waited for. */
  isInstanceGone?: boolean;
  /** Since when the machine has been unhealthy, and for how long of that its clock stood still, milliseconds. */
  since?: number;
  stoodStill: number;
  /** Of the workflow, milliseconds. */
  now: number;
}

export type HealthOutcome =
  | { found: 'nothing' }
  /** Somebody deletes it, or we do because its Node was deleted. */
  | { found: 'deleting' }
  | { found: 'machine'; finding: HealthFinding };

export interface TeardownOutcome {
  /** Absent when the object is gone or belongs to another life. */
  machine?: PreparedMachine;
}

export interface MachineSteerInput {
  machine: LifeRef;
  command: MachineCommand;
  /** Of `extendDrain`, milliseconds: as if nothing had been paused since `countsFrom`. */
  until?: number;
  countsFrom?: number;
}

/** Short idempotent steps around one Machine, run as local activities. */
export interface MachineActivities {
  /** Reads Machine, class and Secrets; adds the finalizer; makes a bootstrap token if the user data has a place for it. */
  prepareMachine(input: {
    machine: ObjectRef;
    cluster: string;
    isRetry: boolean;
    /** What was signalled of the Node before this run is lost. */
    readsNode?: boolean;
  }): Promise<PrepareOutcome>;
  /** Does another instance have a Node of this name? */
  findStaleNode(input: { instance: Instance }): Promise<{ isStale: boolean }>;
  recordCreated(input: {
    machine: LifeRef;
    instance: CreatedInstance;
    usesTarget: boolean;
  }): Promise<void>;
  recordFailure(input: {
    machine: LifeRef;
    failure: StepFailure;
    operation: 'Create' | 'Delete';
    phase: MachinePhase;
    createGeneration: number;
  }): Promise<void>;
  recordJoined(input: JoinRequest): Promise<JoinOutcome>;
  /** Makes the Node of a machine carry what Machine and class say of it by now. */
  syncNode(input: NodeSyncRequest): Promise<void>;
  /** Deletes a Machine that has not joined yet and whose Node was deleted, after another look at both. */
  deleteWithNode(input: { machine: LifeRef; instance: Instance }): Promise<NodeDeletionOutcome>;
  /** Looks once more at Machine and Node, then marks the machine Failed. `now`: of the workflow, milliseconds. */
  recordTimeout(input: {
    machine: LifeRef;
    instance?: Instance;
    /** The look before this one got no answer: a machine that is late now could not join until now. */
    isAfterOutage?: boolean;
    now: number;
  }): Promise<TimeoutOutcome>;
  /** Looks at Machine and Node, copies conditions, changes the phase; deletes the Machine when its Node was deleted. */
  checkHealth(input: HealthRequest): Promise<HealthOutcome>;
  /** Writes what a person asked for on the Machine, and an Event that says so. Returns what was done, in words. */
  steerMachine(input: MachineSteerInput): Promise<string>;
  beginTeardown(input: { machine: LifeRef }): Promise<TeardownOutcome>;
  /** What a create or a delete waits for in the cloud, as `status.lastOperation`. */
  recordOperation(input: {
    machine: LifeRef;
    operation: 'Create' | 'Delete';
    description: string;
  }): Promise<void>;
  /** Whether a worker polls the queue for these calls of the provider's driver. */
  findDriver(input: { provider: string; call: DriverCall }): Promise<{ isServed: boolean }>;
  /** For a deletion that began while the class could not be read. */
  findProvider(input: { className: string }): Promise<ProviderOutcome>;
  /** Node, bootstrap token and finalizer go. Returns why the target cluster keeps the Node: then the finalizer stays. */
  finishTeardown(input: {
    machine: LifeRef;
    nodeName?: string;
    /** Of the Node that was seen to be of this instance; absent when none was. */
    nodeUid?: string;
    providerID?: string;
    bootstrapTokenId?: string;
    /** Its pods were not asked to leave, so nobody detached their volumes. */
    mustDetachVolumes?: boolean;
    /** It never joined: no target cluster is waited for. */
    hasNotJoined?: boolean;
  }): Promise<StepFailure | undefined>;
}

export type SetSurveyOutcome =
  | { found: false }
  | {
      found: true;
      uid: string;
      resourceVersion: string;
      machineDeployment?: string;
      survey: SetSurvey;
      /** The next step has to be followed by a look. */
      isUnreported?: true;
      /** Machines that could not be adopted or let go. */
      refused?: Refusals;
    };

export interface CreateBatchOutcome {
  created: string[];
  /** The name belongs to a Machine that is not ours. */
  taken: string[];
  /** Why the API server refused the others. */
  error?: string;
  /** Not made, because fewer are wanted by now. */
  withheld?: number;
}

/** Machines whose spec did not become what the template says. */
export interface Unpushable {
  /** Of the MachineSet: another template is tried again. */
  generation: number;
  names: string[];
  /** What the API server said. */
  error?: string;
}

export interface SurveyInput {
  set: ObjectRef;
  /** resourceVersion that the watcher told of: an older state is of no use. Absent: whatever was read before is of none. */
  atLeast?: string;
  /** Of the workflow, milliseconds: what expires must do so for both. */
  now: number;
  /** Why the last batch failed. */
  error?: string;
  /** Names of machines that the set may have to let go. */
  strays?: string[];
  /** These are not named again. */
  unpushable?: Unpushable;
  /** Machines that the next batch may make. Absent: none may follow at once. */
  batchSize?: number;
  /** Names of machines whose writes were refused: not to be tried again yet. */
  passOver?: string[];
  /** What the API server refused of them, for the condition. */
  refusal?: Pick<Refusals, 'reason' | 'message'>;
}

export interface DeleteBatchOutcome {
  /** Fewer than planned: something else than what was surveyed holds by now. */
  deleted: number;
  refused?: Refusals;
}

export interface MachineSetActivities {
  /**
   * Reads the set and its Machines, adopts and releases, writes finalizer and status if they changed. A spec that one step
   * brings about is reported after that step (`isUnreported`).
   */
  surveyMachineSet(input: SurveyInput): Promise<SetSurveyOutcome>;
  /** `basis`: of the plan. Makes fewer when the set wants fewer by now, and none when it is frozen. */
  createMachines(input: {
    set: LifeRef;
    names: string[];
    basis: Basis;
  }): Promise<CreateBatchOutcome>;
  /** Makes a part of the machines' specs equal to the template. Returns those that did not take it. */
  pushTemplate(input: { set: LifeRef; names: string[] }): Promise<Unpushable>;
  /**
   * Deletes of the named machines those that have to go by what is there now, and none when the spec is not that of this
   * generation any more. `now`: of the plan, milliseconds.
   */
  deleteMachines(input: {
    set: LifeRef;
    names: string[];
    reason: string;
    generation: number;
    now: number;
  }): Promise<DeleteBatchOutcome>;
  /** Does nothing, but only when no stop is on: what was stopped begins again then. */
  waitForResume(input: { set: LifeRef }): Promise<void>;
  releaseMachineSet(input: { set: LifeRef }): Promise<void>;
}

/** Served on the workflows' own task queue, and as local activities. */
export type KubeActivities = MachineActivities &
  MachineSetActivities &
  MachineDeploymentActivities &
  LossActivities &
  ClassActivities &
  PreservationActivities &
  ProtectionActivities &
  SafetyActivities;
