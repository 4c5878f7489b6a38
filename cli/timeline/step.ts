/** A part of a machine's lifecycle. */

/** Times in milliseconds. */
export interface Step {
  /**
   * `activity`: something was done, or tried. `wait`: nothing was to be done. `write`: a short one,
   * to Kubernetes. `moment`: a person or a check asked for something. `event`: what an object or an
   * Event says, until the next one.
   */
  kind: 'activity' | 'wait' | 'write' | 'moment' | 'event';
  name: string;
  start: number;
  /** Absent while it lasts. */
  end?: number | undefined;
  /** Attempts of the last one that was tried; absent for what is not tried again. */
  attempts?: number | undefined;
  /** How many of the kind followed each other. */
  times: number;
  failure?: string | undefined;
}

export interface Lifecycle {
  /** Milliseconds. */
  from: number;
  /** Absent while it lasts. */
  until?: number | undefined;
  /** How it is, or how it ended. */
  state: string;
  /** `Temporal`, or the objects. */
  source: string;
  runs: number;
  steps: readonly Step[];
  notes: readonly string[];
}

/** Between two of a kind: what follows so soon is the same thing, seen twice. */
const gapMs = 2_000;

/** A check that is done each minute is one line. */
export function merged(steps: readonly Step[]): Step[] {
  const result: Step[] = [];
  for (const step of steps.toSorted((a, b) => a.start - b.start)) {
    const before = result.findLast(({ kind, name }) => kind === step.kind && name === step.name);
    if (before && isContinued(before, step, result)) join(before, step);
    else result.push({ ...step });
  }
  return result;
}

function isContinued(before: Step, step: Step, all: readonly Step[]): boolean {
  if (before.end === undefined) return false;
  if (step.kind === 'wait') return step.start - before.end <= gapMs;
  // Merges short writes and moments, but only those that nothing else came between, but waits.
  const since = all.slice(all.indexOf(before) + 1);
  return step.kind !== 'activity' && since.every(({ kind }) => kind === 'wait');
}

function join(before: Step, { end, attempts, times, failure }: Step): void {
  before.end = end;
  before.times += times;
  if (attempts !== undefined) before.attempts = attempts;
  if (failure !== undefined) before.failure = failure;
}
