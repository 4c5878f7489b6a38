/** What an API server keeps: objects by path, and their history, as etcd has it. */
import { History } from './history.ts';
import { frozen } from './json.ts';
import { pathOf } from './paths.ts';
import type { Target } from './paths.ts';
import type { Resource } from './resources.ts';
import { SortedEntries, entriesBefore } from './sorted-entries.ts';
import type { Change, Entry, Listener, Stored } from './stored.ts';

export type { Change, Entry, Listener, Stored, StoredMeta } from './stored.ts';

interface StoreOptions {
  keptChanges?: number | undefined;
  version?: number | undefined;
}

export class ObjectStore {
  #objects = new Map<string, Entry>();
  readonly #sorted = new Map<Resource, SortedEntries>();
  readonly #paths = new Map<string, string>();
  readonly #history: History;
  #version: number;
  #restores = 0;
  readonly #listeners = new Set<Listener>();
  readonly #listenersOf = new Map<Resource, Set<Listener>>();

  /**
   * `keptChanges`: at least so many are kept for watches and pages. Default all. `version`: of what
   * there was before, default 100.
   */
  constructor({ keptChanges, version = 100 }: StoreOptions = {}) {
    this.#version = version;
    this.#history = new History(keptChanges);
  }

  /** Of the newest change, of any object. */
  get version(): number {
    return this.#version;
  }

  /**
   * How many backups were restored. A version does not always go back then: the backup may be of a
   * history that an earlier restore had ended, and later than all since.
   */
  get restores(): number {
    return this.#restores;
  }

  /** Older versions are expired. */
  get forgottenBelow(): number {
    return this.#history.forgottenBelow;
  }

  entry(target: Target): Entry | undefined {
    return this.#objects.get(pathOf(target));
  }

  object(target: Target): Stored | undefined {
    return this.entry(target)?.object;
  }

  /** The object with this UID; undefined when there is none any more. */
  entryOfUid(uid: string): Entry | undefined {
    const path = this.#paths.get(uid);
    return path === undefined ? undefined : this.#objects.get(path);
  }

  /** All of a collection, by namespace and name, as they were at a version. */
  entriesOf(collection: Target, version = this.#version): Entry[] {
    const { resource, namespace } = collection;
    const entries = this.#sorted.get(resource)?.of(namespace) ?? [];
    if (version >= this.#version) return entries;
    return entriesBefore(this.changesSince(version, collection), entries);
  }

  /**
   * Stores an object under the next version, and returns it as it is stored. The object is handed
   * over: it shares nothing with others but what is stored already.
   */
  write(target: Target, object: Stored): Stored {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    const stored: Stored = frozen({ ...object, metadata });
    this.#apply(target, { target, object: stored });
    return stored;
  }

  remove(target: Target): void {
    this.#version += 1;
    this.#apply(target, undefined);
  }

  /** As after a write to an object that this store does not keep. */
  advance(): void {
    this.#version += 1;
  }

  /** Compacts the history: what was before is expired. */
  forget(below: number): void {
    this.#history.forget(below);
  }

  /** The oldest first; default of all collections. */
  changesSince(version: number, collection?: Target): Change[] {
    const changes = this.#history.since(version);
    if (!collection) return changes;
    return changes.filter(({ before, after }) => {
      const target = (after ?? before)?.target;
      return target !== undefined && isIn(target, collection);
    });
  }

  /** Default to the changes of all resources. Returns what ends it. */
  listen(listener: Listener, resource?: Resource): () => void {
    const listeners = resource ? this.#listenersTo(resource) : this.#listeners;
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  /** Takes a backup of the database; the function that it returns restores it. */
  backup(): () => void {
    const [version, objects, restoreHistory] = [
      this.#version,
      [...this.#objects],
      this.#history.backup(),
    ];
    const sorted = [...this.#sorted].map(
      ([resource, entries]) => [resource, entries.of('')] as const,
    );
    return () => {
      this.#restores += 1;
      this.#version = version;
      this.#objects = new Map(objects);
      this.#sorted.clear();
      for (const [resource, entries] of sorted) {
        this.#sorted.set(resource, new SortedEntries(entries));
      }
      this.#paths.clear();
      for (const [path, { object }] of objects) this.#paths.set(object.metadata.uid ?? '', path);
      restoreHistory();
    };
  }

  #apply(target: Target, after: Entry | undefined): void {
    const path = pathOf(target);
    const change: Change = { version: this.#version, path, before: this.#objects.get(path), after };
    if (change.before) this.#paths.delete(change.before.object.metadata.uid ?? '');
    if (after) {
      this.#objects.set(path, after);
      this.#sortedOf(target.resource).set(after);
      this.#paths.set(after.object.metadata.uid ?? '', path);
    } else {
      this.#objects.delete(path);
      this.#sortedOf(target.resource).delete(target);
    }
    this.#history.add(change);
    for (const listener of this.#listeners) listener(change);
    for (const listener of this.#listenersOf.get(target.resource) ?? []) listener(change);
  }

  #sortedOf(resource: Resource): SortedEntries {
    const sorted = this.#sorted.get(resource) ?? new SortedEntries();
    this.#sorted.set(resource, sorted);
    return sorted;
  }

  #listenersTo(resource: Resource): Set<Listener> {
    const listeners = this.#listenersOf.get(resource) ?? new Set();
    this.#listenersOf.set(resource, listeners);
    return listeners;
  }
}

/** Whether an object is of a collection: in its namespace, or in all of them. */
export function isIn({ resource, namespace }: Target, collection: Target): boolean {
  return (
    resource === collection.resource &&
    (collection.namespace === '' || collection.namespace === namespace)
  );
}
