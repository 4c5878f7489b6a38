/**
 * How a process serves one namespace: it begins, and where that fails it begins again, ever later;
 * so it does when the access to the target cluster changes. No other namespace hears of it.
 */
import { after, anySignal, random } from '../../activities/system/system.ts';
import { backoffMs } from '../../workflows/values/backoff.ts';
import type { Waiting } from '../kube/clients.ts';
import type { Logger } from '../log/logger.ts';
import { reasonOf } from '../log/reason.ts';
import { Scope } from '../process/scope.ts';
import type { TargetAccess, TargetSecrets } from './target-secrets.ts';

export interface Attempt {
  namespace: string;
  /** Ends with the attempt: what it opens is added here. */
  scope: Scope;
  /** Aborted when the attempt or the process is to end: all that waits listens to it. */
  signal: AbortSignal;
  /** Of the Secrets of the namespace; undefined where the process has one target for all. */
  access: TargetAccess | undefined;
  log: Logger;
  /** Why it is not served yet, while the attempt goes on. */
  report(reason: string): void;
}

/** Of an attempt, for what waits for a server: why it waits is why the namespace is not served. */
export function waitingOf({ log, signal, report }: Attempt): Waiting {
  return {
    log,
    signal,
    onReason: (reason) => {
      if (reason !== undefined) report(reason);
    },
  };
}

export interface ServedNamespaceOptions {
  namespace: string;
  /** Resolves when the namespace is served, which lasts until the scope of the attempt ends. */
  serve(attempt: Attempt): Promise<void>;
  /** Of the process. What is served goes on until it retires; what waits ends at once. */
  stopping: AbortSignal;
  /** Undefined where the process has one target for all. */
  watchSecrets?: ((onChange: () => void) => TargetSecrets) | undefined;
  /** First and longest wait between two attempts. */
  waitMs: { first: number; max: number };
  log: Logger;
  /** Undefined: it is served. Called when that changes. */
  onReason(reason: string | undefined): void;
  /** Errors after which no further attempt makes sense: thrown by `ended`. */
  isFinal(error: unknown): boolean;
}

/** Served for so long, its next failure is another one. */
const stableMs = 60_000;

export class ServedNamespace {
  readonly #options: ServedNamespaceOptions;
  readonly #retiring = new AbortController();
  readonly #secrets: TargetSecrets | undefined;
  readonly #firstOutcome = Promise.withResolvers<void>();
  readonly #firstServed = Promise.withResolvers<void>();
  #reason: string | undefined = 'is about to begin';
  #scope: Scope | undefined;
  #wake: () => void = () => undefined;
  /** The access has changed since the last attempt began. */
  #isChanged = false;
  /** Rejects with an error that is final. */
  readonly ended: Promise<void>;

  /** Begins at once. */
  constructor(options: ServedNamespaceOptions) {
    this.#options = options;
    this.#secrets = options.watchSecrets?.(() => this.#accessChanged());
    this.ended = this.#run();
  }

  /** Undefined while the namespace is served. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Fulfilled when it is served for the first time, or is known not to be. */
  get settled(): Promise<void> {
    return this.#firstOutcome.promise;
  }

  /** Fulfilled when it is served for the first time. */
  get served(): Promise<void> {
    return this.#firstServed.promise;
  }

  async retire(): Promise<void> {
    this.#retiring.abort();
    this.#scope?.end('the namespace is served no more');
    this.#wake();
    await this.ended.catch(() => undefined);
    await this.#secrets?.close();
  }

  async #run(): Promise<void> {
    const { waitMs } = this.#options;
    for (let attempt = 1; !this.#isEnding; attempt += 1) {
      const isStable = await this.#attempt();
      if (this.#isEnding) return;
      if (isStable) attempt = 1;
      const range = { firstMs: waitMs.first, maxMs: waitMs.max, jitter: 0.5 };
      await this.#pause(backoffMs({ attempt, ...range }, random()));
    }
  }

  /** Ends with the attempt. True: it was served for a while. */
  async #attempt(): Promise<boolean> {
    const { namespace, serve, log, isFinal, stopping } = this.#options;
    const scope = new Scope(log);
    const signal = anySignal([scope.signal, stopping]);
    this.#scope = scope;
    this.#isChanged = false;
    let isStable = false;
    try {
      const report = (reason: string): void => {
        if (!signal.aborted && this.#reason !== undefined) this.#note(reason);
      };
      const access = await this.#secrets?.access(signal, report);
      await serve({ namespace, scope, signal, access, log, report });
      scope.signal.throwIfAborted();
      this.#note(undefined);
      const stable = after(stableMs, () => (isStable = true), { keepsAlive: false });
      await endOf(scope.signal);
      stable.cancel();
      // One that goes on purpose is not tried again, and no Event has to say why.
      if (!this.#isEnding) this.#note(reasonOf(scope.signal.reason));
    } catch (error) {
      if (isFinal(error)) throw error;
      if (!this.#isEnding) this.#note(reasonOf(error));
    } finally {
      await scope.close();
    }
    return isStable;
  }

  get #isEnding(): boolean {
    return this.#retiring.signal.aborted || this.#options.stopping.aborted;
  }

  #accessChanged(): void {
    const reason = this.#secrets?.whyStale();
    if (reason !== undefined) this.#scope?.end(reason);
    this.#isChanged = true;
    this.#wake();
  }

  #note(reason: string | undefined): void {
    this.#firstOutcome.resolve();
    if (reason === undefined) this.#firstServed.resolve();
    if (reason === this.#reason) return;
    this.#reason = reason;
    this.#options.onReason(reason);
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#isChanged) return;
    await new Promise<void>((resolve) => {
      const timer = after(milliseconds, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

async function endOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
