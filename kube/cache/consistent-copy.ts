/**
 * Consistent reads of a large list without the list. The API server is asked for its version and
 * one object; once the watch of a local copy has come so far, the copy shows what a list that began
 * at the same time would have shown, or something newer. That says nothing about who wrote last, so
 * it holds with any number of processes (docs/decisions/0036-consistent-copies.md).
 */
import type { KubeObject } from '../client/client.ts';
import type { Page } from '../client/paging.ts';
import type { Timer } from '../../activities/system/system.ts';
import { after, monotonicMs } from '../../activities/system/system.ts';
import { LazyReflector } from './lazy-reflector.ts';
import type { CachedObject } from './object-cache.ts';
import type { Reflector, ReflectorOptions } from './reflector.ts';
import { isNewer } from './resource-version.ts';
import { SharedRead } from './shared-read.ts';

export interface CopyLimits {
  /** A list of fewer is cheaper than a watch. Default 200. */
  smallest?: number;
  /** So long the watch may take to come so far; default is what a list would take. */
  patienceMs?: number;
}

export type CopyOptions<K extends KubeObject, T extends CachedObject> = CopyLimits &
  Omit<ReflectorOptions<K, T>, 'since' | 'onHeard' | 'onChange' | 'onHistoryLost'>;

interface Probe {
  resourceVersion: string;
  count: number;
}

interface Waiter {
  version: string;
  end(hasCome: boolean): void;
}

const defaultSmallest = 200;
/** Some 0.2 s for 1,000 machines. */
const listMsPerObject = 0.2;
/** A list that was small is not measured again for so long. */
const smallForMs = 30_000;

export class ConsistentCopy<K extends KubeObject, T extends CachedObject> {
  readonly #options: CopyOptions<K, T>;
  readonly #smallest: number;
  readonly #reflector: LazyReflector<K, T>;
  readonly #probes: SharedRead<Probe>;
  readonly #waiting = new Set<Waiter>();
  #smallUntil = Number.NEGATIVE_INFINITY;
  /** An object could not be read, so the copy leaves it out. */
  #hasHole = false;

  constructor(options: CopyOptions<K, T>) {
    this.#options = options;
    this.#smallest = options.smallest ?? defaultSmallest;
    this.#probes = new SharedRead(() => this.#probe());
    this.#reflector = new LazyReflector({
      ...options,
      transform: (object, previous) => this.#trim(object, previous),
      onChange: () => undefined,
      onHeard: () => this.#hear(),
    });
  }

  /**
   * Returns the objects as they were when this was called, or later, sorted by name. Undefined: the
   * copy does not know them, and the API server has to be asked for a list. The result is shared:
   * it is only read.
   */
  async read(): Promise<T[] | undefined> {
    if (this.#hasHole || monotonicMs() < this.#smallUntil) return undefined;
    const before = this.#reflector.running?.heard;
    const { resourceVersion, count } = await this.#probes.next();
    if (count < this.#smallest) {
      this.#smallUntil = monotonicMs() + smallForMs;
      return undefined;
    }
    const reflector = this.#reflector.use();
    // The copy was ahead of the server already: it was restored.
    if (before === undefined || isNewer(before, resourceVersion)) return undefined;
    if (!(await this.#hasCome(reflector, resourceVersion)) || this.#hasHole) return undefined;
    return [...reflector.items.values()].toSorted(byName);
  }

  /**
   * Returns the objects as they were at this version, or later. Undefined: the copy does not know
   * them. Changes that came after it may be missing.
   */
  async readFrom(version: string): Promise<T[] | undefined> {
    if (this.#hasHole || !this.#reflector.isRunning) return undefined;
    const reflector = this.#reflector.use();
    if (!(await this.#hasCome(reflector, version)) || this.#hasHole) return undefined;
    return [...reflector.items.values()].toSorted(byName);
  }

  async close(): Promise<void> {
    await this.#reflector.close();
  }

  #trim(object: K, previous: T | undefined): T {
    try {
      return this.#options.transform(object, previous);
    } catch (error) {
      this.#hasHole = true;
      throw error;
    }
  }

  async #probe(): Promise<Probe> {
    const { client, path } = this.#options;
    const query = { limit: 1, as: 'PartialObjectMetadata' };
    const { metadata, items } = await client.get<Page<KubeObject>>(path, query);
    const count = (items?.length ?? 0) + (metadata.remainingItemCount ?? 0);
    return { resourceVersion: metadata.resourceVersion, count };
  }

  async #hasCome(reflector: Reflector<K, T>, version: string): Promise<boolean> {
    if (reflector.heard === undefined) return false;
    if (!isNewer(version, reflector.heard)) return true;
    const patienceMs = this.#options.patienceMs ?? reflector.items.size * listMsPerObject;
    return await new Promise((resolve) => {
      const timer: Timer = after(patienceMs, () => end(false), { keepsAlive: false });
      const waiting = { version, end: (hasCome: boolean) => end(hasCome) };
      const end = (hasCome: boolean): void => {
        timer.cancel();
        this.#waiting.delete(waiting);
        resolve(hasCome);
      };
      this.#waiting.add(waiting);
    });
  }

  #hear(): void {
    const heard = this.#reflector.running?.heard;
    for (const { version, end } of this.#waiting) {
      if (heard === undefined) end(false);
      else if (!isNewer(version, heard)) end(true);
    }
  }
}

function byName(a: CachedObject, b: CachedObject): number {
  return a.name < b.name ? -1 : 1;
}
