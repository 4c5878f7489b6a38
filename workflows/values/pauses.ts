/**
 * Deadlines run only while the system could act. Times that kept it from acting are known as
 * pauses, and a deadline moves by those that lie inside it. All times in milliseconds.
 */

export const pauseReasons = ['stop', 'watcher', 'worker', 'temporal', 'target'] as const;

/**
 * `stop`: a person stopped everything. `watcher`: none led, also because the control cluster did
 * not answer it. `worker`, `temporal`: none answered. `target`: the cluster of the Nodes did not
 * answer.
 */
export type PauseReason = (typeof pauseReasons)[number];

export interface Period {
  from: number;
  until: number;
}

export interface Pause extends Period {
  reason: PauseReason;
}

export interface Timer {
  from: number;
  timeoutMs: number;
}

/**
 * After a pause agents on Nodes need up to a minute until they report, and workflows some seconds
 * to catch up.
 */
const graceMs = 60_000;

/** Ordered, without overlaps: what lies in two pauses counts once. */
export function unionOf(periods: readonly Period[]): Period[] {
  const union: Period[] = [];
  const ordered = periods
    .filter(({ from, until }) => from < until)
    .toSorted((a, b) => a.from - b.from);
  for (const { from, until } of ordered) {
    const last = union.at(-1);
    if (last && from <= last.until) last.until = Math.max(last.until, until);
    else union.push({ from, until });
  }
  return union;
}

/** So much of the time between was paused. */
export function pausedMs(periods: readonly Period[], { from, until }: Period): number {
  return unionOf(periods).reduce(
    (sum, pause) => sum + Math.max(Math.min(pause.until, until) - Math.max(pause.from, from), 0),
    0,
  );
}

/**
 * When the time is over: pauses that begin before that move it by what they take. After the last of
 * them some of it is left, so that what happened meanwhile can be seen.
 */
export function deadlineOf({ from, timeoutMs }: Timer, periods: readonly Period[]): number {
  const grace = Math.min(timeoutMs, graceMs);
  let deadline = from + timeoutMs;
  for (const pause of unionOf(periods)) {
    if (pause.until <= from) continue;
    if (pause.from >= deadline) break;
    const moved = deadline + pause.until - Math.max(pause.from, from);
    deadline = Math.max(moved, pause.until + grace);
  }
  return deadline;
}

/**
 * A drain goes on without the cluster of the Nodes, as with MCM: it ends at its timeout all the
 * same.
 */
export function pausesOfDrain(pauses: readonly Pause[]): Pause[] {
  return pauses.filter(({ reason }) => reason !== 'target');
}

/**
 * While its API server is away a Node cannot report either. Where Nodes and Machines are in one
 * cluster, no watcher leads then.
 */
export function pausesOfNodes(pauses: readonly Pause[]): Pause[] {
  return pauses.filter(({ reason }) => reason === 'target' || reason === 'watcher');
}
