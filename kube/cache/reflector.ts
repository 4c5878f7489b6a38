/**
 * A local copy of one resource: listed once, then watched for ever. It never gives up: a broken
 * watch resumes where it was, and a version that the server has forgotten, or does not know any
 * more, is answered by a new list.
 */
import { createBackoff } from '../client/backoff.ts';
import type { Backoff, BackoffRange } from '../client/backoff.ts';
import type { KubeClient, KubeObject, Query } from '../client/client.ts';
import {
  KubeError,
  isGone,
  isTooLarge,
  isTooLargeVersion,
  isUnreachable,
  tooLarge,
} from '../client/errors.ts';
import { ObjectCache } from './object-cache.ts';
import type { ObjectCacheOptions, CachedObject } from './object-cache.ts';
import { PageSize, pagesOf } from '../client/paging.ts';
import type { Page } from '../client/paging.ts';
import { pause } from '../client/pause.ts';
import { isNewer } from './resource-version.ts';
import { orAborted } from '../../activities/system/or-aborted.ts';
import { monotonicMs, nowMs } from '../../activities/system/system.ts';

export interface ReflectorOptions<
  K extends KubeObject,
  T extends CachedObject,
> extends ObjectCacheOptions<K, T> {
  client: KubeClient;
  path: string;
  query?: Query;
  /**
   * Start the watch here instead of at the list: so deletions that happened while no watch was open
   * are reported, and of the live objects only those that changed since.
   */
  since?: string | undefined;
  /**
   * Changes before the new list are not known: the server has forgotten what came after `since`, or
   * its database was restored to an older state. Called once the list is in.
   */
  onHistoryLost?(reason: string): void;
  /** `heard` is another version, or undefined by now. */
  onHeard?(): void;
  /** Default 0.2 to 30 s. */
  backoff?: BackoffRange;
  /**
   * With more than that, as JSON of what is kept, it fails as `TooLarge`, again and again. Default
   * 32 MiB, that of some 20,000 Machines.
   */
  mostKept?: number;
}

interface ListOutcome {
  /** Version of the list. */
  listed: string;
  /** Live objects that are not newer are no news. */
  reportedUpTo: string | undefined;
  /** See `onHistoryLost`. */
  lost: string | undefined;
}

/**
 * A watch that ends sooner is taken for a failure, or a server that closes at once would be asked
 * in a tight loop.
 */
const shortWatchMs = 2_000;
/**
 * Bookmarks come each minute, and load balancers end connections that are silent for less, such as
 * 20 s: that says nothing of the server, which has answered just before.
 */
const heldWatchMs = 10_000;
const defaultMostKept = 32 * 1024 * 1024;
/** One failure is a connection that broke. */
const failuresOfBrokenWatch = 2;

export class Reflector<K extends KubeObject, T extends CachedObject> {
  /** Fulfilled when the first list is in. */
  readonly synced: Promise<void>;
  readonly #options: ReflectorOptions<K, T>;
  readonly #cache: ObjectCache<K, T>;
  readonly #backoff: Backoff;
  readonly #pageSize: PageSize;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #resolveSynced: (() => void) | undefined;
  #isSynced = false;
  #mustList = true;
  #version: string | undefined;
  #isSinceForgotten = false;
  /** When the last watch was asked for; undefined where a list failed before it. */
  #watchedAt: number | undefined;
  /** The watch that is open has brought something. */
  #isHearing = false;
  #restarts = 0;
  /** In a row, without anything heard from the server in between. */
  #failures = 0;
  #lastEventAt = monotonicMs();
  #awaySince: number | undefined;

  /** Starts at once. */
  constructor(options: ReflectorOptions<K, T>) {
    this.#options = options;
    this.#cache = new ObjectCache(options);
    this.#pageSize = new PageSize(options.path);
    this.#backoff = createBackoff(options.backoff ?? { firstMs: 200, maxMs: 30_000 });
    this.synced = new Promise((resolve) => {
      this.#resolveSynced = resolve;
    });
    this.#running = this.#run();
  }

  /** By name; see `nameOf`. */
  get items(): ReadonlyMap<string, T> {
    return this.#cache.items;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  /**
   * The watch fails again and again, as where a role allows a list only: what is known gets old.
   */
  get isBroken(): boolean {
    return this.#failures >= failuresOfBrokenWatch;
  }

  /** Everything up to here has been reported; undefined before the first list. */
  get resourceVersion(): string | undefined {
    return this.#version;
  }

  /**
   * As `resourceVersion`, but undefined unless the watch that is open has brought something:
   * between two watches the server may be restored to another history, in which the same version is
   * another state.
   */
  get heard(): string | undefined {
    return this.#isHearing ? this.#version : undefined;
  }

  /**
   * Since when the server gives no answer, milliseconds since 1970. One connection that breaks says
   * nothing.
   */
  get awaySince(): number | undefined {
    return this.isBroken ? this.#awaySince : undefined;
  }

  /** How often a list or watch broke. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Since the server last sent anything, bookmarks included. */
  get lastEventAgeSeconds(): number {
    return (monotonicMs() - this.#lastEventAt) / 1_000;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const startedAt = monotonicMs();
      this.#watchedAt = undefined;
      try {
        if (this.#mustList || (await this.#wentBack())) await this.#list();
        await this.#watch();
        if (monotonicMs() - startedAt < shortWatchMs) await this.#wait(0);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#noteFailure(error);
        await this.#wait(error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0);
      }
    }
  }

  #noteFailure(error: unknown): void {
    this.#restarts += 1;
    if (this.#hasHeld(error)) this.#forgetFailures();
    this.#failures += 1;
    if (!isUnreachable(error)) this.#awaySince = undefined;
    else this.#awaySince ??= nowMs();
    this.#mustList ||= isGone(error) || isTooLargeVersion(error);
    this.#isSinceForgotten ||= isGone(error) && this.#isAtSince();
    if (isTooLarge(error)) this.#forget();
    this.#options.onError(error);
  }

  /** The kept objects fill the memory of all, and they are not the whole. */
  #forget(): void {
    this.#cache.clear();
    this.#isSynced = false;
    this.#mustList = true;
  }

  /** A connection was closed, on which a watch was open for a while. */
  #hasHeld(error: unknown): boolean {
    if (!(error instanceof KubeError) || error.reason !== 'Unreachable') return false;
    return this.#watchedAt !== undefined && monotonicMs() - this.#watchedAt >= heldWatchMs;
  }

  #forgetFailures(): void {
    this.#failures = 0;
    this.#backoff.reset();
  }

  async #wait(atLeastMs: number): Promise<void> {
    await pause(Math.max(atLeastMs, this.#backoff.next()), this.#stopping.signal);
  }

  /**
   * A watch that begins after the newest version hears nothing until the versions have passed it,
   * and the server does not say so. Therefore it is asked before each watch that resumes.
   */
  async #wentBack(): Promise<boolean> {
    const { metadata } = await this.#get({ limit: 1 });
    this.#lastEventAt = monotonicMs();
    this.#awaySince = undefined;
    return this.#isAhead(metadata.resourceVersion);
  }

  /** We know of later versions than the server. */
  #isAhead(listed: string): boolean {
    const known = this.#version ?? this.#options.since;
    return known !== undefined && isNewer(known, listed);
  }

  /** Nothing was heard yet of what came after the checkpoint. */
  #isAtSince(): boolean {
    const { since } = this.#options;
    return since !== undefined && this.#version === since;
  }

  async #list(): Promise<void> {
    const uids = new Set<string>();
    let outcome: ListOutcome | undefined;
    for await (const { metadata, items } of this.#pages()) {
      this.#lastEventAt = monotonicMs();
      this.#awaySince = undefined;
      outcome ??= this.#beginList(metadata.resourceVersion);
      for (const object of items ?? []) {
        uids.add(object.metadata.uid);
        this.#cache.putListed(object, outcome.reportedUpTo);
      }
      this.#requireRoom();
    }
    if (outcome === undefined) return;
    const { listed, reportedUpTo, lost } = outcome;
    this.#cache.keepOnly(uids, listed);
    this.#version = reportedUpTo ?? listed;
    this.#mustList = false;
    this.#isSinceForgotten = false;
    this.#isSynced = true;
    this.#resolveSynced?.();
    if (lost !== undefined) this.#options.onHistoryLost?.(lost);
  }

  #pages(): AsyncGenerator<Page<K>> {
    return pagesOf((page) => this.#get({ ...page }), this.#pageSize);
  }

  /**
   * A server that is away is asked for minutes, for ever smaller pages: that holds up no end, and
   * what comes after it is not taken in.
   */
  async #get(page: Query): Promise<Page<K>> {
    const { client, path, query } = this.#options;
    return await orAborted(client.get(path, { ...query, ...page }), this.#stopping.signal);
  }

  #beginList(listed: string): ListOutcome {
    const { path, since } = this.#options;
    if (this.#isAhead(listed)) {
      this.#cache.distrustVersions();
      const known = this.#version ?? since;
      const lost = `${path}: the server is at ${listed} and was at ${known}: it was restored`;
      return { listed, reportedUpTo: undefined, lost };
    }
    const lost = this.#isSinceForgotten
      ? `${path}: the server has forgotten what came after ${since}`
      : undefined;
    // Later lists report every difference: they repair what a watch has lost.
    return { listed, reportedUpTo: this.#isSynced ? undefined : since, lost };
  }

  #requireRoom(): void {
    const { path, mostKept = defaultMostKept } = this.#options;
    if (this.#cache.size > mostKept) throw tooLarge(path, `more than ${mostKept} bytes to keep`);
  }

  async #watch(): Promise<void> {
    this.#watchedAt = monotonicMs();
    try {
      await this.#follow();
    } finally {
      this.#isHearing = false;
      this.#options.onHeard?.();
    }
  }

  async #follow(): Promise<void> {
    const { client, path, query, onHeard } = this.#options;
    const from = { ...query, resourceVersion: this.#version };
    for await (const event of client.watch<K>(path, from, this.#stopping.signal)) {
      this.#lastEventAt = monotonicMs();
      this.#awaySince = undefined;
      this.#forgetFailures();
      if (event.type === 'DELETED') this.#cache.remove(event.object);
      else if (event.type === 'ADDED' || event.type === 'MODIFIED') this.#cache.put(event.object);
      this.#requireRoom();
      this.#version = event.object.metadata.resourceVersion;
      this.#isHearing = true;
      onHeard?.();
    }
  }
}
