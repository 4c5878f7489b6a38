/**
 * Objects that were read or written a moment ago, for activities that read the same one many times
 * a second.
 */
import type { KubeClient, KubeObject } from '../client/client.ts';
import { ignoreNotFound } from '../client/ignore.ts';
import { isNewer } from './resource-version.ts';
import { monotonicMs } from '../../activities/system/system.ts';

/**
 * Age up to which an object is used without a read: a change that was not signalled yet may be
 * missed for so long. An object that was signalled to a workflow is read anew.
 */
const longestAgeMs = 2_000;

interface Kept {
  /** JSON, so that one reader cannot change what the next one gets. */
  text: string;
  resourceVersion: string;
  at: number;
}

/**
 * A read that begins with an old object is a read that began earlier: harmless where its writes
 * carry the resourceVersion. A caller that knows of a later one says so.
 */
export class RecentObjects {
  readonly #client: KubeClient;
  readonly #kept = new Map<string, Kept>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /**
   * Undefined when there is none. `atLeast`: a resourceVersion that was seen; absent: read it
   * in any case.
   */
  async read<T extends KubeObject>(
    path: string,
    atLeast: string | undefined,
  ): Promise<T | undefined> {
    const kept = this.#kept.get(path);
    const isFresh = kept !== undefined && monotonicMs() - kept.at < longestAgeMs;
    if (isFresh && atLeast !== undefined && !isNewer(atLeast, kept.resourceVersion)) {
      const object: T = JSON.parse(kept.text);
      return object;
    }
    const object = await ignoreNotFound(this.#client.get<T>(path));
    if (object) this.#keep(path, object);
    else this.#kept.delete(path);
    return object;
  }

  /**
   * Keeps what a write returns. A result that does not hold means that another client wrote, so the
   * next reader asks the API server.
   */
  async write(path: string, patch: () => Promise<KubeObject>): Promise<void> {
    this.#kept.delete(path);
    const object = await ignoreNotFound(patch());
    if (object) this.#keep(path, object);
  }

  #keep(path: string, object: KubeObject): void {
    for (const [key, { at }] of this.#kept) {
      // In the order of their age.
      if (monotonicMs() - at < longestAgeMs) break;
      this.#kept.delete(key);
    }
    this.#kept.delete(path);
    const { resourceVersion } = object.metadata;
    this.#kept.set(path, { text: JSON.stringify(object), resourceVersion, at: monotonicMs() });
  }
}
