/**
 * What one comparison consists of: steps that a workflow takes, what its activities do, and what
 * happens from outside at which moments. Plain JSON, so that it travels as a workflow's input.
 */

import type { Reapply } from '../../../support/reset-run.ts';

/** What one attempt of an activity does. */
export interface AttemptPlan {
  /** Details of heartbeats, one after the other, each followed by `pauseMs`. */
  beats?: readonly string[];
  pauseMs?: number;
  /** Then works for so long; it hears nothing of a cancellation. */
  worksMs?: number;
  /** Then beats until it is cancelled. */
  untilCancelled?: boolean;
  ends: AttemptEnd;
}

export type AttemptEnd =
  | { is: 'done'; value?: string }
  /** Throws an ApplicationFailure. */
  | { is: 'failed'; type: string; isFinal?: boolean; nextDelayMs?: number; details?: string }
  /** Throws an error of JavaScript. */
  | { is: 'broken'; message: string }
  /** Throws the cancellation that it heard of, or one of its own. */
  | { is: 'cancelled' };

export interface ActivityStep {
  do: 'activity' | 'local';
  /** Unique in its script. */
  label: string;
  /** The last one is that of all further attempts. */
  attempts: readonly AttemptPlan[];
  /** Milliseconds each. */
  startToClose?: number;
  scheduleToClose?: number;
  scheduleToStart?: number;
  heartbeat?: number;
  /** Of local activities: longer waits than this are timers of the workflow. */
  localRetryThreshold?: number;
  cancellation?: 'WAIT_CANCELLATION_COMPLETED' | 'TRY_CANCEL' | 'ABANDON';
  /** Default: without a limit, after 300 ms each. */
  retry?: RetryPlan;
  /** Nobody polls its task queue. */
  isUnserved?: boolean;
}

export interface RetryPlan {
  attempts?: number;
  firstMs?: number;
  coefficient?: number;
  finalTypes?: readonly string[];
}

export type Step = LastingStep | EndingStep;

/** What it ends with is noted, and the run goes on. */
export type LastingStep =
  | ActivityStep
  | { do: 'sleep'; ms: number }
  /** One more signal of this name; undefined in time says so. */
  | { do: 'await'; signal: string; withinMs?: number }
  | { do: 'parallel'; branches: readonly (readonly Step[])[] }
  /** Cancels `body` when `until` is over, and waits for its end. */
  | { do: 'cancel'; body: readonly Step[]; until: readonly Step[] }
  /** Not touched by a cancellation of the run. */
  | { do: 'shield'; body: readonly Step[] }
  | { do: 'state'; value: string }
  | { do: 'memo'; value: string };

/** What may end the run, or its task. */
export type EndingStep =
  /** Fails the workflow task for so long after the start of the run. */
  | { do: 'break'; forMs: number }
  | { do: 'continue'; steps: readonly Step[] }
  /** Fails the run. */
  | { do: 'fail'; type: string; isFinal?: boolean; nextDelayMs?: number }
  /** Fails the run with what the activity failed with. */
  | { do: 'rethrow'; step: ActivityStep }
  /** Fails the run as cancelled if it was. */
  | { do: 'confess' };

/** When an outside action is due; it is asked for again and again. */
export type Moment =
  /** This attempt of the activity runs: `label#2`. */
  | { started: string }
  /** The server lists the activity with this attempt as one that waits. */
  | { waiting: string; attempt: number }
  /** The newest run's history has so many events of this type. */
  | { event: string; count?: number }
  /** No workflow task is open. */
  | { resting: true }
  /** The newest run is over. */
  | { closed: true }
  /** The script's schedule is so. */
  | { schedule: ScheduleCounts }
  | { afterMs: number };

export interface ScheduleCounts {
  isPaused?: boolean;
  /** Runs that were started, and those that were not beside an open one. */
  taken?: number;
  skipped?: number;
  running?: number;
  /** Runs that are remembered. */
  recent?: number;
}

export type Action =
  | { act: 'signal'; name: string; ofRun?: 'first' }
  | { act: 'signalWithStart'; name: string; steps?: readonly Step[] }
  | {
      act: 'start';
      conflict?: 'FAIL' | 'USE_EXISTING';
      reuse?: 'ALLOW_DUPLICATE' | 'REJECT_DUPLICATE';
    }
  | { act: 'query'; name: 'log' | 'unknown' }
  | UpdateAction
  | ScheduleAction
  | { act: 'describe' }
  | { act: 'cancel' }
  | { act: 'terminate' }
  | { act: 'reset'; label: string }
  | ResetAction
  | CrewAction;

/** Of the newest run, to this one of its workflow tasks that were completed, from 1. */
export interface ResetAction {
  act: 'resetRun';
  task: number;
  reapply: Reapply;
}

/**
 * Its handler notes it and answers at once, after half a second (`slow`), or with an error of a
 * kind (`failing`); or it is refused before. `id`: two of one id are one.
 */
export interface UpdateAction {
  act: 'update';
  name: 'plain' | 'slow' | 'failing' | 'refused' | 'unknown';
  id?: string;
}

/**
 * To the script's schedule, which starts nothing by itself. `end`: signals its last run, `result`
 * waits for its end. `steps`: of its runs.
 */
export interface ScheduleAction {
  act: 'schedule';
  to: 'create' | 'trigger' | 'pause' | 'resume' | 'describe' | 'end' | 'result' | 'delete';
  steps?: readonly Step[];
}

/** `killWorker`: as `kill -9` does. `stopWorker`: as SIGTERM does, and waits for its end. */
export interface CrewAction {
  act: 'killWorker' | 'stopWorker' | 'startWorker';
}

export type Outside = Action & { when?: readonly Moment[] };

export interface Script {
  name: string;
  steps: readonly Step[];
  outside?: readonly Outside[];
  start?: {
    retry?: RetryPlan;
    /** Milliseconds each. */
    executionTimeout?: number;
    runTimeout?: number;
    taskTimeout?: number;
  };
  /** What happens at once has no order that the server promises: it is compared sorted. */
  isUnordered?: boolean;
}

/** Whether it needs a worker process of its own. */
export function endsWorkers({ outside = [] }: Script): boolean {
  return outside.some(({ act }) => act === 'killWorker' || act === 'stopWorker');
}
