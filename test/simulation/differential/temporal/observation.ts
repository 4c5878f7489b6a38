/** What is compared: how a script went, without what two servers cannot have alike. */
import type { AttemptNote } from './activities.ts';
import type { Script } from './script.ts';

export interface RunObservation {
  status: string;
  /** Types of the history's events, without the prefix `EVENT_TYPE_`. */
  events: readonly string[];
  /** The log that the run ended with, or what it failed with. */
  end: readonly string[];
  /** The log, queried at the end of the script, when the run is replayed. */
  log: readonly string[];
}

export interface Observation {
  /** In the order of their starts. */
  runs: readonly RunObservation[];
  /** What each action from outside was answered. */
  answers: readonly string[];
  /** What attempts said, by attempt. */
  attempts: Record<string, string[]>;
}

export function attemptsOf(notes: readonly AttemptNote[]): Record<string, string[]> {
  const attempts: Record<string, string[]> = {};
  for (const { attempt, what } of notes) (attempts[attempt] ??= []).push(what);
  return Object.fromEntries(Object.entries(attempts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const taskEvents = new Set([
  'WORKFLOW_TASK_SCHEDULED',
  'WORKFLOW_TASK_STARTED',
  'WORKFLOW_TASK_COMPLETED',
]);

/**
 * Of a script whose steps are taken one after the other everything is compared as it is, but for
 * one thing: a task that waited in vain for the worker that has the run in its cache is left out
 * with its timeout. Whether the server waits for a worker that was killed depends on when that one
 * asked for work last.
 *
 * Where branches run side by side the server promises no order between them, and may give two
 * events to one workflow task or to two: so events are sorted, those of tasks that went well are
 * left out, and a log is sorted by branch, each of which keeps its order.
 */
export function normalized({ isUnordered = false }: Script, found: Observation): Observation {
  const runs = found.runs.map((run) => {
    const events = withoutVainTasks(run.events);
    if (!isUnordered) return { ...run, events };
    const shown = events.filter((type) => !taskEvents.has(type)).toSorted();
    return { ...run, events: shown, end: byBranch(run.end), log: byBranch(run.log) };
  });
  return { ...found, runs };
}

/** A task that timed out and was not started. */
function withoutVainTasks(events: readonly string[]): string[] {
  const kept: string[] = [];
  for (const type of events) {
    const scheduled = kept.lastIndexOf('WORKFLOW_TASK_SCHEDULED');
    const wasStarted = kept.lastIndexOf('WORKFLOW_TASK_STARTED') > scheduled;
    if (type === 'WORKFLOW_TASK_TIMED_OUT' && !wasStarted) kept.splice(scheduled, 1);
    else kept.push(type);
  }
  return kept;
}

/** Lines of the run itself, e.g. of signals, come first. */
function byBranch(log: readonly string[]): string[] {
  return log.toSorted((a, b) => {
    const [one, other] = [branchOf(a), branchOf(b)];
    if (one === other) return 0;
    return one < other ? -1 : 1;
  });
}

/** `0a.2 sleep: over` -> `0a` */
function branchOf(line: string): string {
  const place = /^\d[\d.a-z]*(?= )/.exec(line)?.[0] ?? '';
  return place.replace(/\.\d+$/, '');
}
