/** What workflow code, which has no flags, is to know of them: it stands in the memo of its run. */

/** Of the runs that a process starts: how long the work of a dead worker waits for another one. */
export interface RunTimeouts {
  /** For a workflow task. */
  workflowTaskSeconds: number;
  /** For an activity whose heartbeats have ended. */
  heartbeatSeconds: number;
}

const name = 'heartbeatSeconds';
const usualSeconds = 30;

export function memoOf({ heartbeatSeconds }: RunTimeouts): Record<string, unknown> {
  return { [name]: heartbeatSeconds };
}

/** A run that something else started has the usual one. */
export function heartbeatSecondsIn(memo: Record<string, unknown> | undefined): number {
  const given = memo?.[name];
  return typeof given === 'number' && given > 0 ? given : usualSeconds;
}
