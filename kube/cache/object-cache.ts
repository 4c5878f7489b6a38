/** The cache behind a reflector: trimmed objects by name, and what changed with each event. */
import type { KubeObject, ObjectMeta } from '../client/client.ts';
import { isNewer } from './resource-version.ts';

/** Fields that the cache keeps of an object at least. */
export interface CachedObject {
  uid: string;
  name: string;
  resourceVersion: string;
}

export interface Change<T> {
  type: 'live' | 'gone';
  /** The object; where it vanished, its last state. */
  object: T;
  /** Object that the cache held of this UID before. */
  previous: T | undefined;
  /** Version of the event; of a deletion that only a list revealed, the list's. */
  resourceVersion: string;
  /** False of what the first list has that is not newer than the reflector's `since`. */
  isNews: boolean;
}

export interface ObjectCacheOptions<K extends KubeObject, T extends CachedObject> {
  /** Trims before anything is stored. `previous` has the same UID. */
  transform(object: K, previous: T | undefined): T;
  /**
   * Distinguishes the objects, and is the `name` that `transform` gives. Default `metadata.name`:
   * of one namespace, or of a cluster-wide resource.
   */
  nameOf?(metadata: ObjectMeta): string;
  /** Called after the cache was updated. */
  onChange(change: Change<T>): void;
  /**
   * `transform` or `onChange` threw for one object, which is then left out: it must not hide all
   * others.
   */
  onError(error: unknown): void;
}

export class ObjectCache<K extends KubeObject, T extends CachedObject> {
  readonly items = new Map<string, T>();
  /** Size of all kept objects, as JSON. */
  #size = 0;
  /**
   * Names of what the cache holds from before a restore: its versions compare with no later ones.
   */
  readonly #outdated = new Set<string>();
  readonly #options: ObjectCacheOptions<K, T>;

  constructor(options: ObjectCacheOptions<K, T>) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** Without a word to who listens. */
  clear(): void {
    this.items.clear();
    this.#outdated.clear();
    this.#size = 0;
  }

  /** Takes in a live object of a watch. An object not newer than the held one comes late. */
  put(object: K): void {
    const held = this.#heldFor(object);
    if (held === undefined || this.#isNewsOf(held, object.metadata.resourceVersion))
      this.#take(object, held, true);
  }

  /**
   * Takes in a live object of a list, which shows the present state: where it has an older version
   * than the held object, the server was restored, perhaps with its own version raised above the
   * old ones. An object that is not newer than `reportedUpTo` is no news.
   */
  putListed(object: K, reportedUpTo?: string): void {
    const held = this.#heldFor(object);
    const { resourceVersion } = object.metadata;
    const isSame = held?.resourceVersion === resourceVersion && !this.#outdated.has(held.name);
    if (isSame) return;
    const isNews = reportedUpTo === undefined || isNewer(resourceVersion, reportedUpTo);
    this.#take(object, held, isNews);
  }

  #take(object: K, held: T | undefined, isNews: boolean): void {
    const { uid, resourceVersion } = object.metadata;
    const previous = held?.uid === uid ? held : undefined;
    this.#guarded(() => {
      const next = this.#options.transform(object, previous);
      // A new UID under an old name: a deletion and a creation of which we saw only the end.
      if (held !== undefined && previous === undefined) this.#drop(held, resourceVersion);
      this.#size += sizeOf(next) - sizeOf(this.items.get(next.name));
      this.items.set(next.name, next);
      this.#outdated.delete(next.name);
      this.#options.onChange({ type: 'live', object: next, previous, resourceVersion, isNews });
    });
  }

  /** Takes in a deletion; the object may be one that the cache never held. */
  remove(object: K): void {
    const { uid, resourceVersion } = object.metadata;
    const held = this.#heldFor(object);
    const previous = held?.uid === uid ? held : undefined;
    this.#guarded(() => this.#drop(this.#options.transform(object, previous), resourceVersion));
  }

  /** The server was restored: the next list counts, whatever versions it has. */
  distrustVersions(): void {
    for (const name of this.items.keys()) this.#outdated.add(name);
  }

  #isNewsOf(held: T, resourceVersion: string): boolean {
    return this.#outdated.has(held.name) || isNewer(resourceVersion, held.resourceVersion);
  }

  /** A list is complete: what it did not have is gone. */
  keepOnly(uids: ReadonlySet<string>, resourceVersion: string): void {
    for (const held of this.items.values()) {
      if (!uids.has(held.uid)) this.#guarded(() => this.#drop(held, resourceVersion));
    }
  }

  #heldFor({ metadata }: K): T | undefined {
    return this.items.get(this.#options.nameOf?.(metadata) ?? metadata.name);
  }

  #drop(object: T, resourceVersion: string): void {
    const held = this.items.get(object.name);
    const previous = held?.uid === object.uid ? held : undefined;
    if (previous !== undefined) {
      this.items.delete(object.name);
      this.#size -= sizeOf(held);
    }
    this.#outdated.delete(object.name);
    this.#options.onChange({ type: 'gone', object, previous, resourceVersion, isNews: true });
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

const sizeOf = (object: unknown): number => JSON.stringify(object)?.length ?? 0;
