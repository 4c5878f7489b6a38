/** All that the watcher knows, with the lookups that dispatch needs. */
import type { Change } from '../../kube/cache/object-cache.ts';
import { hasSameSelector, SelectorMismatches } from './selector-mismatches.ts';
import type { Resource, Views } from './views.ts';

/** A change together with the resource that it happened to. */
export type WatchedChange = { [R in Resource]: Change<Views[R]> & { resource: R } }[Resource];

export interface StoreView {
  find<R extends Resource>(resource: R, name: string): Views[R] | undefined;
  all<R extends Resource>(resource: R): Iterable<Views[R]>;
  machinesOfNode(name: string): Iterable<Views['machines']>;
  machinesOfClass(name: string): Iterable<Views['machines']>;
  /** Those that protect it; see `ClassView`. */
  classesOfSecret(name: string): Iterable<Views['machineClasses']>;
  /** Names of machines that the set controls and its selector does not match; at most 100. */
  mismatchesOf(set: string): string[];
}

type Maps = { [R in Resource]: Map<string, Views[R]> };

export class Store implements StoreView {
  readonly #maps: Maps = {
    machines: new Map(),
    machineSets: new Map(),
    machineDeployments: new Map(),
    machineClasses: new Map(),
    secrets: new Map(),
    nodes: new Map(),
    disruptionPolicies: new Map(),
    configMaps: new Map(),
  };
  readonly #byNode = new Index<Views['machines']>(({ nodeName }) =>
    nodeName === undefined ? [] : [nodeName],
  );
  readonly #byClass = new Index<Views['machines']>(({ className }) => [className]);
  readonly #byOwner = new Index<Views['machines']>(({ owner }) =>
    owner === undefined ? [] : [owner],
  );
  readonly #mismatches = new SelectorMismatches();
  readonly #bySecret = new Index<Views['machineClasses']>(
    ({ protectedSecrets }) => protectedSecrets,
  );

  find<R extends Resource>(resource: R, name: string): Views[R] | undefined {
    return this.#maps[resource].get(name);
  }

  all<R extends Resource>(resource: R): Iterable<Views[R]> {
    return this.#maps[resource].values();
  }

  machinesOfNode(name: string): Iterable<Views['machines']> {
    return this.#byNode.under(name);
  }

  machinesOfClass(name: string): Iterable<Views['machines']> {
    return this.#byClass.under(name);
  }

  classesOfSecret(name: string): Iterable<Views['machineClasses']> {
    return this.#bySecret.under(name);
  }

  mismatchesOf(set: string): string[] {
    return this.#mismatches.of(set);
  }

  /** Reports whether any object waits for us before it goes. */
  hasFinalizers(): boolean {
    const {
      nodes: _ofTarget,
      disruptionPolicies: _without,
      configMaps: _others,
      ...ours
    } = this.#maps;
    return Object.values(ours).some((objects) => {
      for (const { hasFinalizer } of objects.values()) if (hasFinalizer) return true;
      return false;
    });
  }

  apply(change: WatchedChange): void {
    if (change.resource === 'machines') {
      const replacement = this.#replace('machines', change);
      for (const index of [this.#byNode, this.#byClass, this.#byOwner]) index.replace(replacement);
      this.#updateMismatch(replacement);
    } else if (change.resource === 'machineSets') {
      this.#updateMismatches(change.object.name, this.#replace('machineSets', change));
    } else if (change.resource === 'machineClasses') {
      this.#bySecret.replace(this.#replace('machineClasses', change));
    } else {
      this.#replace<Resource>(change.resource, change);
    }
  }

  #updateMismatch({ previous, next }: Replacement<Views['machines']>): void {
    if (previous !== undefined) this.#mismatches.forget(previous);
    if (next?.owner !== undefined)
      this.#mismatches.update(next, this.find('machineSets', next.owner));
  }

  #updateMismatches(name: string, { previous, next }: Replacement<Views['machineSets']>): void {
    if (previous !== undefined && next !== undefined && hasSameSelector(previous, next)) return;
    if (previous === undefined && next === undefined) return;
    this.#mismatches.updateAll(name, next, this.#byOwner.under(name));
  }

  /** The event of an earlier UID does not touch its successor. */
  #replace<R extends Resource>(
    resource: R,
    { type, object }: Change<Views[R]>,
  ): Replacement<Views[R]> {
    const map: Map<string, Views[R]> = this.#maps[resource];
    const held = map.get(object.name);
    if (type === 'live') {
      map.set(object.name, object);
      return { previous: held, next: object };
    }
    if (held?.uid !== object.uid) return { previous: undefined, next: undefined };
    map.delete(object.name);
    return { previous: held, next: undefined };
  }
}

interface Replacement<T> {
  previous: T | undefined;
  next: T | undefined;
}

class Index<T extends { name: string }> {
  readonly #groups = new Map<string, Map<string, T>>();
  readonly #keysOf: (item: T) => string[];

  constructor(keysOf: (item: T) => string[]) {
    this.#keysOf = keysOf;
  }

  under(key: string): Iterable<T> {
    return this.#groups.get(key)?.values() ?? [];
  }

  replace({ previous, next }: Replacement<T>): void {
    if (previous !== undefined) this.#leave(previous);
    if (next !== undefined) this.#join(next);
  }

  #leave(item: T): void {
    for (const key of this.#keysOf(item)) {
      const group = this.#groups.get(key);
      group?.delete(item.name);
      if (group?.size === 0) this.#groups.delete(key);
    }
  }

  #join(item: T): void {
    for (const key of this.#keysOf(item)) {
      const group = this.#groups.get(key) ?? new Map<string, T>();
      this.#groups.set(key, group.set(item.name, item));
    }
  }
}
