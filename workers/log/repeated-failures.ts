/**
 * Folds failures that are repeated. The SDK logs each failed attempt of each activity: while an API
 * server is away that is the same line many times a second. The first is written; then, ever less
 * often, how many more there were; and at last that there were no more.
 */

export interface LogEntry {
  message: string;
  fields: Record<string, unknown>;
}

export interface RepeatedFailuresOptions {
  write(level: 'warn' | 'info', entry: LogEntry): void;
  /** Milliseconds; only differences count. */
  now(): number;
  /** Calls `action` once, so many milliseconds later. */
  after(milliseconds: number, action: () => void): void;
}

/** Time until the first summary, milliseconds; each later one comes after twice as long. */
const firstGap = 60_000;
const longestGap = 3_600_000;
/** Without another one for so long it is over: no activity waits as long between two attempts. */
const quiet = 120_000;
/** Kinds of failures that are folded at a time; the one that was silent longest goes. */
const kindsMax = 500;
/** A summary counts so many workflows. */
const workflowsMax = 1_000;

interface FailureRun {
  newest: LogEntry;
  begunAt: number;
  lastAt: number;
  /** Since the last line about it. */
  untold: number;
  total: number;
  gap: number;
  tellAt: number;
  workflows: Set<unknown>;
}

export class RepeatedFailures {
  readonly #options: RepeatedFailuresOptions;
  readonly #runs = new Map<string, FailureRun>();
  #isWatching = false;

  constructor(options: RepeatedFailuresOptions) {
    this.#options = options;
  }

  /** Writes a warning, or counts it. A warning that names no failure is always written. */
  take(entry: LogEntry): void {
    const kind = kindOf(entry);
    const run = kind === undefined ? undefined : this.#runs.get(kind);
    if (run) this.#again(run, entry);
    else this.#options.write('warn', entry);
    if (kind === undefined) return;
    const kept = run ?? this.#begun(entry);
    // The newest last.
    this.#runs.delete(kind);
    this.#runs.set(kind, kept);
    this.#forgetOldest();
    this.#watch();
  }

  #begun(entry: LogEntry): FailureRun {
    const now = this.#options.now();
    const workflows = new Set([entry.fields['workflowId']]);
    const counts = { untold: 0, total: 1, gap: firstGap, tellAt: now + firstGap };
    return { newest: entry, begunAt: now, lastAt: now, workflows, ...counts };
  }

  #again(run: FailureRun, entry: LogEntry): void {
    const now = this.#options.now();
    run.newest = entry;
    run.lastAt = now;
    run.untold += 1;
    run.total += 1;
    if (run.workflows.size < workflowsMax) run.workflows.add(entry.fields['workflowId']);
    if (now >= run.tellAt) this.#summarise(run);
  }

  #summarise(run: FailureRun): void {
    const { message, fields } = run.newest;
    this.#options.write('warn', {
      message: `${message}, again and again`,
      fields: { ...fields, more: run.untold, ...this.#countsOf(run) },
    });
    run.untold = 0;
    run.gap = Math.min(run.gap * 2, longestGap);
    run.tellAt = this.#options.now() + run.gap;
  }

  #countsOf({ total, workflows, begunAt, lastAt }: FailureRun): Record<string, unknown> {
    const seconds = Math.round((lastAt - begunAt) / 1_000);
    return { total, workflows: workflows.size, seconds };
  }

  #watch(): void {
    if (this.#isWatching || this.#runs.size === 0) return;
    this.#isWatching = true;
    this.#options.after(quiet / 4, () => {
      this.#isWatching = false;
      this.#endQuiet();
      this.#watch();
    });
  }

  #endQuiet(): void {
    const now = this.#options.now();
    for (const [kind, run] of this.#runs) {
      if (now - run.lastAt >= quiet) this.#end(kind, run);
    }
  }

  #forgetOldest(): void {
    if (this.#runs.size <= kindsMax) return;
    const [oldest] = this.#runs;
    if (oldest) this.#end(...oldest);
  }

  /** A failure that was not repeated has nothing to end. */
  #end(kind: string, run: FailureRun): void {
    this.#runs.delete(kind);
    if (run.total === 1) return;
    const { message, fields } = run.newest;
    const { activityType, action } = fields;
    this.#options.write('info', {
      message: `${message}: not seen again for ${quiet / 60_000} minutes`,
      fields: { activityType, action, failure: failureIn(fields), ...this.#countsOf(run) },
    });
  }
}

/** Undefined: it is no failure of an attempt. Names, ids and numbers make no difference. */
function kindOf({ message, fields }: LogEntry): string | undefined {
  const failure = failureIn(fields);
  if (failure === undefined) return undefined;
  const { activityType, action } = fields;
  const form = failure.replaceAll(/"[^"]*"|\/[^\s]*|\b[\da-f]{8}-[\da-f-]{27}\b|\d+/g, '*');
  return JSON.stringify([message, activityType, action, form]);
}

function failureIn({ error, message }: Record<string, unknown>): string | undefined {
  if (typeof message === 'string') return message;
  if (!(error instanceof Error)) return undefined;
  return `${error.name}: ${error.message}`;
}
