/**
 * A local copy of a resource whose CRD may be absent, or come and go: then there are no objects.
 * One that roles do not let be read is known to be there, and nothing more.
 */
import { createBackoff } from '../client/backoff.ts';
import type { KubeObject } from '../client/client.ts';
import type { KubeError } from '../client/errors.ts';
import { isForbidden, isNotFound } from '../client/errors.ts';
import { pause } from '../client/pause.ts';
import type { OptionalResource } from '../client/served.ts';
import { isServed } from '../client/served.ts';
import { orAborted } from '../../activities/system/or-aborted.ts';
import { monotonicMs } from '../../activities/system/system.ts';
import type { CachedObject } from './object-cache.ts';
import type { ReflectorOptions } from './reflector.ts';
import { Reflector } from './reflector.ts';

export interface OptionalReflectorOptions<
  K extends KubeObject,
  T extends CachedObject,
> extends ReflectorOptions<K, T> {
  resource: OptionalResource;
  /** Reading is refused, or allowed again (undefined). Not called for single failures. */
  onRefusal?(refusal: KubeError | undefined): void;
}

/** So long until it is asked again whether the CRD has come. */
const absentForMs = 60_000;
/** An API server that has just started refuses for a moment what it allows then. */
const refusedForMs = 3_000;

/** Why a reflector was ended. */
type End = { isGone: true } | { isGone: false; refusal: KubeError };

export class OptionalReflector<K extends KubeObject, T extends CachedObject> {
  /** Fulfilled when it is listed, not served, or refused for seconds. */
  readonly synced: Promise<void>;
  readonly #options: OptionalReflectorOptions<K, T>;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #backoff = createBackoff({ firstMs: 1_000, maxMs: 30_000 });
  #resolveSynced: () => void = () => undefined;
  #isSynced = false;
  #reflector: Reflector<K, T> | undefined;
  #since: string | undefined;
  #refusedSince: number | undefined;
  #refusal: KubeError | undefined;
  #failures = 0;

  /** Starts at once. */
  constructor(options: OptionalReflectorOptions<K, T>) {
    this.#options = options;
    this.#since = options.since;
    this.synced = new Promise((resolve) => {
      this.#resolveSynced = resolve;
    });
    this.#running = this.#run();
  }

  /** By name; see `nameOf`. None while they are not known. */
  get items(): ReadonlyMap<string, T> {
    return this.#reflector?.items ?? new Map();
  }

  /** Its CRD is there, as far as is known. */
  get isServed(): boolean {
    return this.#reflector !== undefined || this.#refusal !== undefined;
  }

  /** It is served, and is not listed for now. */
  get isListing(): boolean {
    return this.#reflector?.isSynced === false;
  }

  /** Why they are not known, though there may be some. */
  get refusal(): KubeError | undefined {
    return this.#refusal;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get isBroken(): boolean {
    return this.#reflector?.isBroken ?? false;
  }

  get resourceVersion(): string | undefined {
    return this.#reflector?.resourceVersion;
  }

  get awaySince(): number | undefined {
    return this.#reflector?.awaySince;
  }

  /** How often a list or watch broke. */
  get restarts(): number {
    return this.#failures + (this.#reflector?.restarts ?? 0);
  }

  /** 0 while there is nothing to hear of. */
  get lastEventAgeSeconds(): number {
    return this.#reflector?.lastEventAgeSeconds ?? 0;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const waitMs = await this.#attempt();
      if (!signal.aborted) await pause(waitMs, signal);
    }
  }

  /** One reflector, if there is to be one. Returns after how long the next one comes. */
  async #attempt(): Promise<number> {
    const { client, resource, onError } = this.#options;
    const { signal } = this.#stopping;
    try {
      if (!(await orAborted(isServed(client, resource), signal))) return this.#beAbsent();
    } catch (error) {
      if (signal.aborted) return 0;
      this.#failures += 1;
      onError(error);
      return this.#backoff.next();
    }
    const end = await this.#follow();
    if (!end) return 0;
    this.#failures += 1;
    if (end.isGone) return this.#beAbsent();
    this.#noteRefusal(end.refusal);
    return this.#backoff.next();
  }

  #beAbsent(): number {
    this.#refuse(undefined);
    this.#sync();
    return absentForMs;
  }

  /** Undefined when it was stopped. */
  async #follow(): Promise<End | undefined> {
    const { promise: ended, resolve: end } = Promise.withResolvers<End | undefined>();
    const { signal } = this.#stopping;
    const stop = (): void => end(undefined);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const reflector = new Reflector<K, T>({
      ...this.#options,
      since: this.#since,
      onError: (error) => {
        if (isNotFound(error)) end({ isGone: true });
        else if (isForbidden(error)) end({ isGone: false, refusal: error });
        else this.#options.onError(error);
      },
    });
    this.#reflector = reflector;
    void this.#noteListed(reflector);
    const reason = await ended;
    signal.removeEventListener('abort', stop);
    this.#failures += reflector.restarts;
    this.#reflector = undefined;
    await reflector.stop();
    if (reason) this.#forget(reflector);
    return reason;
  }

  async #noteListed(reflector: Reflector<K, T>): Promise<void> {
    await reflector.synced;
    this.#backoff.reset();
    this.#refuse(undefined);
    this.#sync();
  }

  /** What is not known any more is gone to who listens; the next list is all news. */
  #forget({ items, resourceVersion = '' }: Reflector<K, T>): void {
    this.#since = undefined;
    for (const object of items.values()) {
      const gone = { type: 'gone', object, previous: object, resourceVersion } as const;
      this.#options.onChange({ ...gone, isNews: true });
    }
  }

  /** Once it has been known whether there are any, a refusal counts at once. */
  #noteRefusal(refusal: KubeError): void {
    this.#refusedSince ??= monotonicMs();
    if (!this.#isSynced && monotonicMs() - this.#refusedSince < refusedForMs) return;
    this.#refuse(refusal);
    this.#sync();
  }

  #refuse(refusal: KubeError | undefined): void {
    if (!refusal) this.#refusedSince = undefined;
    const isChange = (this.#refusal === undefined) !== (refusal === undefined);
    this.#refusal = refusal;
    if (isChange) this.#options.onRefusal?.(refusal);
  }

  #sync(): void {
    this.#isSynced = true;
    this.#resolveSynced();
  }
}
