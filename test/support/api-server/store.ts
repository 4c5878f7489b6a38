/** What an API server keeps: objects by path, and their history, as etcd has it. */
import type { KubeObject } from '../../../activities/kube/client/client.ts';
import { pathOf } from './paths.ts';
import type { Target } from './paths.ts';

export interface Stored extends KubeObject {
  [field: string]: unknown;
}

/** A stored object is never changed: a write replaces it. */
export interface Entry {
  target: Target;
  object: Stored;
}

export interface Change {
  version: number;
  path: string;
  /** Undefined where there was none. */
  before: Entry | undefined;
  /** After a deletion undefined. */
  after: Entry | undefined;
}

export type Listener = (change: Change) => void;

export class ObjectStore {
  #objects = new Map<string, Entry>();
  readonly #paths = new Map<string, string>();
  #history: Change[] = [];
  #version = 100;
  #forgottenBelow = 0;
  readonly #listeners = new Set<Listener>();

  /** Of the newest change, of any object. */
  get version(): number {
    return this.#version;
  }

  /** Older versions are expired. */
  get forgottenBelow(): number {
    return this.#forgottenBelow;
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
    return [...this.#at(version).values()]
      .filter(({ target }) => isIn(target, collection))
      .toSorted((a, b) => (placeOf(a.target) < placeOf(b.target) ? -1 : 1));
  }

  /** Stores an object under the next version, and returns it as it is stored. */
  write(target: Target, object: Stored): Stored {
    this.#version += 1;
    const stored: Stored = structuredClone(object);
    stored.metadata.resourceVersion = String(this.#version);
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
    this.#forgottenBelow = below;
  }

  changesSince(version: number): Change[] {
    return this.#history.filter((change) => change.version > version);
  }

  /** Returns what ends it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Takes a backup of the database; the function that it returns restores it. */
  backup(): () => void {
    const [version, objects, history] = [this.#version, [...this.#objects], [...this.#history]];
    return () => {
      this.#version = version;
      this.#objects = new Map(objects);
      this.#paths.clear();
      for (const [path, { object }] of objects) this.#paths.set(object.metadata.uid ?? '', path);
      this.#history = [...history];
    };
  }

  #apply(target: Target, after: Entry | undefined): void {
    const path = pathOf(target);
    const change: Change = { version: this.#version, path, before: this.entry(target), after };
    if (change.before) this.#paths.delete(change.before.object.metadata.uid ?? '');
    if (after) {
      this.#objects.set(path, after);
      this.#paths.set(after.object.metadata.uid ?? '', path);
    } else this.#objects.delete(path);
    this.#history.push(change);
    for (const listener of this.#listeners) listener(change);
  }

  /** The changes since then are taken back, the newest first. */
  #at(version: number): Map<string, Entry> {
    if (version >= this.#version) return this.#objects;
    const objects = new Map(this.#objects);
    for (const { path, before } of this.changesSince(version).toReversed()) {
      if (before) objects.set(path, before);
      else objects.delete(path);
    }
    return objects;
  }
}

/** Whether an object is of a collection: in its namespace, or in all of them. */
export function isIn({ resource, namespace }: Target, collection: Target): boolean {
  return (
    resource === collection.resource &&
    (collection.namespace === '' || collection.namespace === namespace)
  );
}

/** By which lists are sorted. */
export function placeOf({ namespace, name }: Target): string {
  return namespace === '' ? `/${name}` : `/${namespace}/${name}`;
}
