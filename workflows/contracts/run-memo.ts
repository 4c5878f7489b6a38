/** Flags that workflow code, which has none, needs to know: they stand in the memo of its run. */

/** Time that the work of a dead worker waits for another one, in the runs that a process starts. */
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
