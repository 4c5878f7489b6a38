/**
 * The port: what workflows ask of the world. `activities/` implements these interfaces; every one of them can be run
 * twice with the same effect as once.
 */
import type { Taint } from './api/machine.ts';
import type { MachinePhase } from './api/phases.ts';
import type { ObjectRef } from './messages.ts';
import type { DeploymentStep, DeploymentSurvey } from './plan/machine-deployment.ts';
import type { Instance, MachineFailure } from './plan/machine.ts';
import type { SetSurvey } from './plan/machine-set.ts';

export type { ObjectRef };

/** An object, and which life of it: a step for another UID does nothing. */
export interface LifeRef extends ObjectRef {
  uid: string;
}

/** Limits that hold for one Machine: its annotation, else its spec, else the worker's flag. */
export interface MachineLimits {
  creationTimeoutSeconds: number;
  drainTimeoutSeconds: number;
  resourceExhaustedRetrySeconds: number;
}

/** What a life needs to know of its object. Small, and without a secret: it stands in the history. */
export interface PreparedMachine {
  uid: string;
  resourceVersion: string;
  isDeleting: boolean;
  hasFinalizer: boolean;
  /** Milliseconds. */
  createdAt: number;
  deletionRequestedAt?: number;
  className: string;
  /** Absent when the class could not be read. */
  provider?: string;
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
  limits: MachineLimits;
}

/** `spec.nodeTemplate` of a Machine, as far as it has an effect. */
export interface NodeTemplate {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  taints?: Taint[];
}

export type PrepareOutcome =
  { found: false } | { found: true; machine: PreparedMachine; failure?: MachineFailure };

/** What a driver's activity needs to find or make an instance. It reads class and Secrets itself. */
export interface DriverRequest {
  machine: LifeRef;
  cluster: string;
  className: string;
  provider: string;
  /** UID and create generation: the same create twice makes one instance. */
  token: string;
  providerID?: string;
  bootstrapTokenId?: string;
  lastKnownState?: string;
  nodeTemplate?: NodeTemplate;
  /** Read class and Secrets anew: an attempt with what is cached has failed. */
  isRetry: boolean;
}

export interface CreatedInstance extends Instance {
  lastKnownState?: string;
  addresses?: { type: string; address: string }[];
  /** It was there already. */
  isFound: boolean;
}

export type CreateOutcome =
  | { outcome: 'created'; instance: CreatedInstance }
  | { outcome: 'failed'; failure: MachineFailure };

export type DeleteOutcome =
  /** `settleSeconds`: how long this cloud may take to list an instance that it made. */
  | { outcome: 'deleted'; isFound: boolean; settleSeconds: number }
  | { outcome: 'failed'; failure: MachineFailure };

/** Served on `<task queue>-driver-<provider>`, in any language. They write nothing to Kubernetes. */
export interface DriverActivities {
  createInstance(request: DriverRequest): Promise<CreateOutcome>;
  deleteInstance(request: DriverRequest): Promise<DeleteOutcome>;
}

export interface DrainRequest {
  machine: LifeRef;
  nodeName: string;
  /** Milliseconds; pods that are left then are deleted without the Eviction API. */
  deadline: number;
  isForced: boolean;
}

export interface DrainOutcome {
  evictedPods: number;
  isForced: boolean;
}

/** Served on `<task queue>-drain`. One attempt is one pass; a blocked pass fails as benign and is tried again. */
export interface DrainActivities {
  drainNode(request: DrainRequest): Promise<DrainOutcome>;
}

export interface JoinRequest {
  machine: LifeRef;
  /** The Node that was seen Ready. */
  node: { name: string; uid: string };
  nodeTemplate?: NodeTemplate;
  bootstrapTokenId?: string;
  /** `Create` when the machine joins for the first time. */
  isFirstJoin: boolean;
}

/** The Node as it is, when it is not what the workflow thought. */
export type JoinOutcome = { hasJoined: true } | { hasJoined: false; reason: string };

/** What the second look found. */
export type TimeoutOutcome =
  | { found: 'tooLate' }
  /** The Node joined and nobody told: the watcher was away. */
  | { found: 'node'; node: JoinRequest['node'] & { providerID: string } }
  /** The machine was given more time. */
  | { found: 'moreTime'; machine: PreparedMachine }
  | { found: 'nothing' };

export interface TeardownOutcome {
  /** Absent when the object is gone or belongs to another life. */
  machine?: PreparedMachine;
}

/** Short idempotent steps around one Machine, run as local activities. */
export interface MachineActivities {
  /** Reads Machine, class and Secrets; adds the finalizer; makes a bootstrap token if the user data has a place for it. */
  prepareMachine(input: {
    machine: ObjectRef;
    cluster: string;
    isRetry: boolean;
  }): Promise<PrepareOutcome>;
  recordCreated(input: {
    machine: LifeRef;
    instance: CreatedInstance;
    usesTarget: boolean;
  }): Promise<void>;
  recordFailure(input: {
    machine: LifeRef;
    failure: MachineFailure;
    operation: 'Create' | 'Delete';
    phase: MachinePhase;
    createGeneration: number;
  }): Promise<void>;
  recordJoined(input: JoinRequest): Promise<JoinOutcome>;
  /** Looks once more at Machine and Node, then marks the machine Failed. `now`: of the workflow, milliseconds. */
  recordTimeout(input: {
    machine: LifeRef;
    instance?: Instance;
    now: number;
  }): Promise<TimeoutOutcome>;
  beginTeardown(input: { machine: LifeRef }): Promise<TeardownOutcome>;
  /** Node, bootstrap token and finalizer go. */
  finishTeardown(input: {
    machine: LifeRef;
    nodeName?: string;
    providerID?: string;
    bootstrapTokenId?: string;
  }): Promise<void>;
}

export type SetSurveyOutcome =
  | { found: false }
  | {
      found: true;
      uid: string;
      resourceVersion: string;
      machineDeployment?: string;
      survey: SetSurvey;
    };

export interface CreateBatchOutcome {
  created: string[];
  /** The name belongs to a Machine that is not ours. */
  taken: string[];
  /** Why the API server refused the others. */
  error?: string;
}

export interface MachineSetActivities {
  /**
   * Reads the set and its Machines, adopts orphans, writes finalizer and status if they changed. `error` is why the last
   * batch failed.
   */
  surveyMachineSet(input: { set: ObjectRef; error?: string }): Promise<SetSurveyOutcome>;
  createMachines(input: { set: LifeRef; names: string[] }): Promise<CreateBatchOutcome>;
  deleteMachines(input: { set: LifeRef; names: string[]; reason: string }): Promise<void>;
  releaseMachineSet(input: { set: LifeRef }): Promise<void>;
}

export type DeploymentSurveyOutcome =
  { found: false } | { found: true; uid: string; survey: DeploymentSurvey };

export interface MachineDeploymentActivities {
  /** Reads the deployment and its sets, writes finalizer and status if they changed. */
  surveyMachineDeployment(input: { deployment: ObjectRef }): Promise<DeploymentSurveyOutcome>;
  applyDeploymentStep(input: {
    deployment: LifeRef;
    step: Exclude<DeploymentStep, { action: 'wait' }>;
  }): Promise<void>;
}

export interface ProtectionActivities {
  /** Our finalizer stands on a class while a Machine uses it, and on a Secret while a class uses it. */
  protectFromDeletion(input: {
    resource: 'machineclasses' | 'secrets';
    ref: ObjectRef;
  }): Promise<void>;
}

/** Served on the workflows' own task queue, and as local activities. */
export type KubeActivities = MachineActivities &
  MachineSetActivities &
  MachineDeploymentActivities &
  ProtectionActivities;
