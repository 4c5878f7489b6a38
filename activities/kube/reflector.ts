/**
 * A local copy of one resource: listed once, then watched for ever. It never gives up: a broken watch resumes
 * where it was, and a version that the server has forgotten is answered by a new list.
 */
import { createBackoff } from './backoff.ts';
import type { Backoff, BackoffRange } from './backoff.ts';
import type { KubeClient, KubeObject, Query } from './client.ts';
import { KubeError, isGone } from './errors.ts';
import { Mirror } from './mirror.ts';
import type { MirrorOptions, Trimmed } from './mirror.ts';
import { pause } from './pause.ts';

export interface ReflectorOptions<K extends KubeObject, T extends Trimmed> extends MirrorOptions<
  K,
  T
> {
  client: KubeClient;
  path: string;
  query?: Query;
  /**
   * Start the watch here instead of at the list: so deletions that happened while nobody watched are reported,
   * and of the live objects only those that changed since.
   */
  since?: string | undefined;
  /** Default 0.2 to 30 s. */
  backoff?: BackoffRange;
}

interface Page<K> {
  metadata: { resourceVersion: string; continue?: string };
  /** Null for an empty list of metadata. */
  items: K[] | null;
}

const pageSize = 500;
/** A watch that ends sooner is taken for a failure, or a server that closes at once would be asked in a tight loop. */
const shortWatchMs = 2_000;

export class Reflector<K extends KubeObject, T extends Trimmed> {
  /** Fulfilled when the first list is in. */
  readonly synced: Promise<void>;
  readonly #options: ReflectorOptions<K, T>;
  readonly #mirror: Mirror<K, T>;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #resolveSynced: (() => void) | undefined;
  #isSynced = false;
  #mustList = true;
  #version: string | undefined;
  #restarts = 0;
  #lastEventAt = performance.now();

  /** Starts at once. */
  constructor(options: ReflectorOptions<K, T>) {
    this.#options = options;
    this.#mirror = new Mirror(options);
    this.#backoff = createBackoff(options.backoff ?? { firstMs: 200, maxMs: 30_000 });
    this.synced = new Promise((resolve) => {
      this.#resolveSynced = resolve;
    });
    this.#running = this.#run();
  }

  /** By name; see `nameOf`. */
  get items(): ReadonlyMap<string, T> {
    return this.#mirror.items;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Everything up to here has been reported; undefined before the first list. */
  get resourceVersion(): string | undefined {
    return this.#version;
  }

  /** How often a list or watch broke. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Since the server last sent anything, bookmarks included. */
  get lastEventAgeSeconds(): number {
    return (performance.now() - this.#lastEventAt) / 1_000;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const startedAt = performance.now();
      try {
        if (this.#mustList) await this.#list();
        await this.#watch();
        if (performance.now() - startedAt < shortWatchMs) await this.#wait(0);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#restarts += 1;
        this.#mustList ||= isGone(error);
        this.#options.onError(error);
        await this.#wait(error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0);
      }
    }
  }

  async #wait(atLeastMs: number): Promise<void> {
    await pause(Math.max(atLeastMs, this.#backoff.next()), this.#stopping.signal);
  }

  async #list(): Promise<void> {
    const { client, path, query, since } = this.#options;
    // Later lists report every difference: they repair what a watch has lost.
    const reportedUpTo = this.#isSynced ? undefined : since;
    const uids = new Set<string>();
    let listed = '';
    let next: string | undefined;
    do {
      const page: Page<K> = await client.get(path, { ...query, limit: pageSize, continue: next });
      this.#lastEventAt = performance.now();
      if (listed === '') listed = page.metadata.resourceVersion;
      for (const object of page.items ?? []) {
        uids.add(object.metadata.uid);
        this.#mirror.put(object, reportedUpTo);
      }
      next = page.metadata.continue;
    } while (next);
    this.#mirror.keepOnly(uids, listed);
    this.#version = reportedUpTo ?? listed;
    this.#mustList = false;
    this.#isSynced = true;
    this.#resolveSynced?.();
  }

  async #watch(): Promise<void> {
    const { client, path, query } = this.#options;
    const from = { ...query, resourceVersion: this.#version };
    for await (const event of client.watch<K>(path, from, this.#stopping.signal)) {
      this.#lastEventAt = performance.now();
      this.#backoff.reset();
      if (event.type === 'DELETED') this.#mirror.remove(event.object);
      else if (event.type === 'ADDED' || event.type === 'MODIFIED') this.#mirror.put(event.object);
      this.#version = event.object.metadata.resourceVersion;
    }
  }
}
