/**
 * The garbage collector of an API server: it deletes dependents whose owners are gone, and carries
 * out the propagation policies `Foreground` and `Orphan`.
 */
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import { pathOf } from '../../support/api-server/paths.ts';
import type { Change, Entry } from '../../support/api-server/store.ts';
import { isNotFound } from './not-found.ts';
import type { Cluster } from '../world/kube-client.ts';

interface Dependent {
  path: string;
  uid: string;
}

/** A collector that is busy or restarts acts late. Milliseconds. */
const soonMs = 50;
const lateMs = 20_000;

export class GarbageCollector {
  readonly #simulation: Simulation;
  readonly #cluster: Cluster;
  readonly #chance: Chance;
  readonly #dependents = new Map<string, Map<string, Dependent>>();

  constructor(simulation: Simulation, cluster: Cluster) {
    this.#simulation = simulation;
    this.#cluster = cluster;
    this.#chance = simulation.chance.fork();
  }

  start(): void {
    this.#cluster.server.store.listen((change) => this.#hear(change));
  }

  #hear({ before, after }: Change): void {
    if (before) this.#index(before, false);
    if (after) this.#index(after, true);
    const uid = before?.object.metadata.uid;
    const isReplaced = after?.object.metadata.uid !== uid;
    if (before && uid !== undefined && isReplaced) this.#soon(() => this.#ownerGone(uid));
    if (after) this.#considerFinalizers(after);
    if (before && isReplaced) this.#considerOwnersOf(before);
  }

  #index({ object, target }: Entry, isPresent: boolean): void {
    const { uid = '', ownerReferences = [] } = object.metadata;
    for (const owner of ownerReferences) {
      const known = this.#dependents.get(owner.uid) ?? new Map<string, Dependent>();
      if (isPresent) known.set(uid, { path: pathOf(target), uid });
      else known.delete(uid);
      if (known.size > 0) this.#dependents.set(owner.uid, known);
      else this.#dependents.delete(owner.uid);
    }
  }

  #soon(action: () => void): void {
    const isLate = this.#chance.happens(0.05);
    this.#simulation.after(this.#chance.between(1, isLate ? lateMs : soonMs), () => {
      if (this.#cluster.isUp) action();
      else this.#soon(action);
    });
  }

  #ownerGone(uid: string): void {
    for (const dependent of this.#dependents.get(uid)?.values() ?? []) this.#delete(dependent);
  }

  #delete({ path, uid }: Dependent): void {
    try {
      this.#cluster.server.delete(path, {
        preconditions: { uid },
        propagationPolicy: 'Background',
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #considerFinalizers({ object, target }: Entry): void {
    const { deletionTimestamp, finalizers = [], uid = '' } = object.metadata;
    if (deletionTimestamp === undefined) return;
    const path = pathOf(target);
    if (finalizers.includes('orphan')) this.#soon(() => this.#orphan(path, uid));
    if (finalizers.includes('foregroundDeletion')) this.#soon(() => this.#foreground(path, uid));
  }

  /** A dependent that went may have been the last that its owner waited for. */
  #considerOwnersOf({ object }: Entry): void {
    for (const owner of object.metadata.ownerReferences ?? []) {
      this.#soon(() => {
        const entry = this.#entryOf(owner.uid);
        if (entry) this.#considerFinalizers(entry);
      });
    }
  }

  #entryOf(uid: string): Entry | undefined {
    return this.#cluster.server.store.entryOfUid(uid);
  }

  #orphan(path: string, uid: string): void {
    if (this.#entryOf(uid) === undefined) return;
    for (const dependent of this.#dependents.get(uid)?.values() ?? []) {
      const entry = this.#entryOf(dependent.uid);
      const owners = entry?.object.metadata.ownerReferences ?? [];
      const ownerReferences = owners.filter((owner) => owner.uid !== uid);
      this.#patch(dependent.path, { ownerReferences, uid: dependent.uid });
    }
    this.#release(path, uid, 'orphan');
  }

  #foreground(path: string, uid: string): void {
    const dependents = [...(this.#dependents.get(uid)?.values() ?? [])];
    const blocking = dependents.filter((dependent) => this.#blocks(dependent, uid));
    for (const dependent of dependents) {
      const entry = this.#entryOf(dependent.uid);
      if (entry && entry.object.metadata.deletionTimestamp === undefined) this.#delete(dependent);
    }
    if (blocking.every(({ uid: of }) => this.#entryOf(of) === undefined)) {
      this.#release(path, uid, 'foregroundDeletion');
    }
  }

  #blocks({ uid }: Dependent, owner: string): boolean {
    const owners = this.#entryOf(uid)?.object.metadata.ownerReferences ?? [];
    return owners.some((reference) => reference.uid === owner && reference.blockOwnerDeletion);
  }

  #release(path: string, uid: string, finalizer: string): void {
    const finalizers = this.#entryOf(uid)?.object.metadata.finalizers ?? [];
    if (!finalizers.includes(finalizer)) return;
    this.#patch(path, { finalizers: finalizers.filter((other) => other !== finalizer), uid });
  }

  #patch(path: string, metadata: object): void {
    try {
      this.#cluster.server.patch(path, { type: 'merge', body: { metadata } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
