/**
 * When a round that has found something starts a run of a check. The run decides what is done about
 * it (docs/decisions/0054-one-round-for-an-install.md).
 */

/** State of the Schedule of a check in Temporal. */
export interface ScheduleFacts {
  isPaused: boolean;
  isRunning: boolean;
  /** Start of the last run, milliseconds. Absent: there was none. */
  startedAt?: number;
}

export interface Trigger {
  schedule: ScheduleFacts;
  /** Runs that this process has started for the same finding. */
  earlier: number;
  /** Of the check. */
  periodSeconds: number;
  /** Between two runs for the same finding. */
  longestWaitSeconds: number;
  /** Milliseconds. */
  now: number;
}

/**
 * A new finding starts a run at once. A finding that a run leaves as it was starts the next one
 * after a period, then after two, four and so on. A paused check is left alone.
 */
export function mayTrigger(trigger: Trigger): boolean {
  const { schedule, earlier, now } = trigger;
  const { isPaused, isRunning, startedAt } = schedule;
  if (isPaused || isRunning) return false;
  if (earlier === 0 || startedAt === undefined) return true;
  return now - startedAt >= waitSeconds(trigger) * 1_000;
}

/** Checks are a period apart, and not to the second: half a period is left for that. */
function waitSeconds({ earlier, periodSeconds, longestWaitSeconds }: Trigger): number {
  const periods = 2 ** (earlier - 1) - 0.5;
  return Math.min(periods * periodSeconds, longestWaitSeconds);
}
