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

/** Its events have no order, and how many tasks take them up is up to the moment. */
const taskEvents = new Set([
  'WORKFLOW_TASK_SCHEDULED',
  'WORKFLOW_TASK_STARTED',
  'WORKFLOW_TASK_COMPLETED',
]);

/**
 * Of a script whose steps are taken one after the other everything is compared as it is. Where
 * branches run side by side the server promises no order between them, and may give two events to
 * one workflow task or to two: so events are sorted, those of tasks that went well are left out,
 * and a log is sorted by branch, each of which keeps its order.
 */
export function normalized({ isUnordered = false }: Script, found: Observation): Observation {
  if (!isUnordered) return found;
  const runs = found.runs.map(({ status, events, end, log }) => ({
    status,
    events: events.filter((type) => !taskEvents.has(type)).toSorted(),
    end: byBranch(end),
    log: byBranch(log),
  }));
  return { ...found, runs };
}

function byBranch(log: readonly string[]): string[] {
  const branchOf = (line: string): string => /^[\d.a-z]*\d/.exec(line)?.[0] ?? '';
  return log.toSorted((a, b) => {
    const [one, other] = [branchOf(a), branchOf(b)];
    if (one === other) return 0;
    return one < other ? -1 : 1;
  });
}
