/**
 * What the histories of a scenario say about its workflows: which ended badly, which tasks failed,
 * and whether the present code would have made them.
 */
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { IllegalStateError } from '@temporalio/common';
import type { DataConverter } from '@temporalio/common';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import type { ReplayHistoriesIterable } from '@temporalio/worker';
import { noTraceSinks } from '../../../workers/traces/no-traces.ts';

export interface RecordedRun {
  workflowId: string;
  /** `COMPLETED`, `RUNNING`, `FAILED`, ... */
  status: string;
  history: History;
}

const goodEnds = new Set(['RUNNING', 'COMPLETED', 'CONTINUED_AS_NEW']);
/**
 * Of a failed workflow task, as Temporal's API numbers it: news came in between, and the task is
 * done again.
 */
const unhandledCommand = 1;
/**
 * Of the SDK's core when tasks time out on a busy machine: the next attempt replays from the start.
 */
const sdkHiccup = /History is out of order/;

/**
 * SDK 1.24.0, when a task times out on a busy machine while a local activity runs: its answer comes
 * for a run that left the cache.
 */
const sdkLostActivity =
  /^\[TMPRL1100\] Nondeterminism error: Missing associated machine for LocalActivity\(\d+\)$/;

/**
 * The same, when the worker goes on with the run that it had, without the signals that came in
 * between: on replay they come first, and the code asks for something else.
 */
const sdkWentOn =
  /^\[TMPRL1100\] Nondeterminism error: (No command scheduled for event HistoryEvent\(|Activity type of recorded marker '\w+' does not match activity type of local activity command ')/;

/**
 * Whether the SDK broke the run, and the server began another:
 * docs/decisions/0006-broken-histories.md. Code that changed in the middle of a run ends it with
 * the same words (`versions-broken.test.ts`): only where all workers have one code it is the SDK.
 */
export function wasBrokenBySdk(history: History): boolean {
  const end = history.events?.at(-1)?.workflowExecutionFailedEventAttributes;
  const message = end?.failure?.message ?? '';
  const isOfSdk =
    sdkLostActivity.test(message) || (sdkWentOn.test(message) && hasTimedOut(history));
  return isOfSdk && Boolean(end?.newExecutionRunId);
}

/**
 * The same of a run that ended otherwise before a worker replayed it, as one that was terminated:
 * only the replay of a test shows it. `message`: what that failed with.
 */
export function cannotBeReplayedBySdk(message: string, history: History): boolean {
  const words = /"(\[TMPRL1100\][^"]*)"/.exec(message)?.[1] ?? '';
  return (sdkLostActivity.test(words) || sdkWentOn.test(words)) && hasTimedOut(history);
}

/** A run none of whose tasks timed out, as on a quiet machine, was broken by our code. */
function hasTimedOut({ events }: History): boolean {
  return (events ?? []).some(({ workflowTaskTimedOutEventAttributes: timedOut }) => timedOut);
}

/** Runs that ended otherwise than by completing: `machine/x/y: FAILED`. */
export function badEndOf({ workflowId, status, history }: RecordedRun): string[] {
  const isGood = goodEnds.has(status) || wasBrokenBySdk(history);
  return isGood ? [] : [`${workflowId}: ${status}`];
}

/** Workflow tasks that failed, other than because news came in between. */
export function failedTasksOf({ workflowId, history }: RecordedRun): string[] {
  return (history.events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => {
    const message = failed?.failure?.message ?? '';
    const isHarmless = Number(failed?.cause) === unhandledCommand || sdkHiccup.test(message);
    return failed && !isHarmless
      ? [`${workflowId}: a task failed (cause ${failed.cause}): ${message}`]
      : [];
  });
}

/**
 * One run of each sequence of events that was not replayed in this process yet. Most machines live
 * the same life, and a second history with the same events in the same order seldom shows what the
 * first did not.
 */
export class UnseenShapes {
  readonly #seen = new Set<string>();

  of(runs: readonly RecordedRun[]): RecordedRun[] {
    return runs.filter((run) => {
      const shape = shapeOf(run);
      const isNew = !this.#seen.has(shape);
      this.#seen.add(shape);
      return isNew;
    });
  }
}

function shapeOf({ history: { events } }: RecordedRun): string {
  const shapes = (events ?? []).map((event) => {
    const { activityTaskScheduledEventAttributes: activity } = event;
    const { workflowExecutionSignaledEventAttributes: signal } = event;
    const { markerRecordedEventAttributes: marker, eventType } = event;
    return [eventType, activity?.activityType?.name, signal?.signalName, marker?.markerName];
  });
  return JSON.stringify(shapes);
}

interface Coding {
  codePath: string;
  dataConverter?: DataConverter | undefined;
}

/** The last replay that began, without its outcome. */
let replaying: Promise<unknown> = Promise.resolve();

/**
 * Histories that the present code would not have made. One replay at a time: the SDK has one
 * runtime in a process, which ends with each of them.
 */
export async function failedReplays(
  runs: readonly RecordedRun[],
  coding: Coding,
): Promise<string[]> {
  if (runs.length === 0) return [];
  const replay = replaying.then(() => replayed(runs, coding));
  replaying = replay.catch(() => undefined);
  return await replay;
}

async function replayed(
  runs: readonly RecordedRun[],
  { codePath, dataConverter }: Coding,
): Promise<string[]> {
  quieten();
  const failures: string[] = [];
  const histories: ReplayHistoriesIterable = runs.filter(
    ({ history }) => hasBegun(history) && !wasBrokenBySdk(history),
  );
  const historyOf = new Map(runs.map(({ history }) => [runIdOf(history), history]));
  for await (const { workflowId, runId, error } of Worker.runReplayHistories(
    { workflowBundle: { codePath }, sinks: noTraceSinks, ...(dataConverter && { dataConverter }) },
    histories,
  )) {
    if (!error || cannotBeReplayedBySdk(error.message, historyOf.get(runId) ?? {})) continue;
    failures.push(`${workflowId}: its history cannot be replayed: ${error.message}`);
  }
  return failures;
}

function runIdOf({ events }: History): string {
  return events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId ?? '';
}

/** One that no worker has had yet says nothing about the code. */
function hasBegun({ events }: History): boolean {
  return (events ?? []).some(({ workflowTaskCompletedEventAttributes: done }) => done);
}

let isQuiet = false;

/** The SDK tells its whole life otherwise, in each file of tests. */
function quieten(): void {
  if (isQuiet) return;
  isQuiet = true;
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
  } catch (error) {
    // A file of tests that runs a worker of its own has a runtime already.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
