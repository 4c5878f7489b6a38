/** What the simulated Temporal server and its workers say to each other. */
import type { coresdk, temporal } from '@temporalio/proto';

export type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type Command = coresdk.workflow_commands.IWorkflowCommand;
export type Payload = temporal.api.common.v1.IPayload;
export type Failure = temporal.api.failure.v1.IFailure;
export type RetryPolicy = temporal.api.common.v1.IRetryPolicy;

/** What was fed to a workflow at once, and what it said. A replay feeds the same again. */
export interface Activation {
  jobs: readonly Job[];
  /** Milliseconds since 1970. */
  timestamp: number;
  /** Events of the history before it. */
  historyLength: number;
  historySize: number;
  continueAsNewSuggested: boolean;
  commands: readonly Command[];
  /** Flags of the SDK that it used. A replay has to use the same. */
  flags: readonly number[];
}

/** Of one run of a workflow. */
export interface RunInfo {
  workflowId: string;
  runId: string;
  firstRunId: string;
  continuedFromRunId: string;
  workflowType: string;
  taskQueue: string;
  namespace: string;
  attempt: number;
  /** Milliseconds since 1970, of the first run and of this one. */
  startedAt: number;
  runStartedAt: number;
  taskTimeoutMs: number;
  /** Seeds the workflow's `Math.random` and `uuid4`. */
  randomnessSeed: number;
}

export interface Query {
  id: string;
  name: string;
  args: readonly Payload[];
}

export type QueryAnswer = { id: string } & (
  { succeeded: true; value: Payload } | { succeeded: false; failure: Failure }
);

export interface WorkflowTask {
  /** Core fails the run, as `workflowFailureErrorTypes` says. */
  cannotBeReplayed: boolean;
  /** Another one for each attempt. */
  id: number;
  run: RunInfo;
  /** Those that earlier tasks completed. A worker that has the workflow in its cache skips them. */
  history: readonly Activation[];
  /** The run is over: the task is for queries alone. */
  isOver: boolean;
  /** New ones. The first of a run is `initializeWorkflow`. Empty: for queries or to go on. */
  jobs: readonly Job[];
  queries: readonly Query[];
  /** Milliseconds since 1970. */
  timestamp: number;
  historyLength: number;
  historySize: number;
  continueAsNewSuggested: boolean;
  /** From 1. */
  attempt: number;
  timeoutMs: number;
}

/** A local activity that ended in this task is a marker in the history. */
export type TaskCommand = Command & { recordMarker?: boolean };

export interface WorkflowTaskCompletion {
  /** Those of this task, in order; the last ones' commands are `commands`. */
  activations: readonly Activation[];
  /** Of all activations of the task, without those that concern local activities. */
  commands: readonly TaskCommand[];
  queryAnswers: readonly QueryAnswer[];
  /** Local activities go on: the next task comes at once, and the worker keeps what it knows. */
  mustContinue: boolean;
}

/** Why a workflow task failed: an error in workflow code, or `nondeterminism`. */
export interface WorkflowTaskFailure {
  kind: 'error' | 'nondeterminism';
  message: string;
}

export interface ActivityTask {
  /** Another one for each attempt. */
  id: number;
  run: RunInfo;
  activityId: string;
  activityType: string;
  taskQueue: string;
  args: readonly Payload[];
  headers: Record<string, Payload>;
  heartbeatDetails: readonly Payload[];
  /** From 1. */
  attempt: number;
  /** Milliseconds since 1970. */
  scheduledAt: number;
  attemptScheduledAt: number;
  startedAt: number;
  /** 0: none. */
  startToCloseMs: number;
  scheduleToCloseMs: number;
  heartbeatMs: number;
  retryPolicy: RetryPolicy | undefined;
}

export type ActivityOutcome = { completed: Payload } | { failed: Failure } | { cancelled: Failure };

/** What a heartbeat is answered. `gone`: the attempt timed out, or its workflow is over. */
export interface HeartbeatAnswer {
  cancelRequested: boolean;
  isReset: boolean;
  isGone: boolean;
}

/**
 * A worker's line to the server, for one process and one namespace. Every call fails with a
 * `ServiceError`-like error of gRPC (`grpc-errors.ts`), stays open when the process is dead, and
 * may take its time. The polls are answered with undefined when the process closes the line.
 */
export interface WorkerLine {
  pollWorkflowTask(taskQueue: string): Promise<WorkflowTask | undefined>;
  completeWorkflowTask(task: WorkflowTask, completion: WorkflowTaskCompletion): Promise<void>;
  failWorkflowTask(task: WorkflowTask, failure: WorkflowTaskFailure): Promise<void>;
  pollActivityTask(taskQueue: string): Promise<ActivityTask | undefined>;
  /** `details`: of the last heartbeat; a failure brings them along. */
  completeActivity(
    task: ActivityTask,
    outcome: ActivityOutcome,
    details?: readonly Payload[],
  ): Promise<void>;
  heartbeat(task: ActivityTask, details: readonly Payload[]): Promise<HeartbeatAnswer>;
  close(): void;
}
