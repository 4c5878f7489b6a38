/** All objects of a kind that there were, by UID, and what became of each. */
import type { KubeObject } from '../../../../kube/client/client.ts';
import { ownerOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import { Trace } from './trace.ts';

export class Life {
  readonly uid: string;
  readonly bornAt: number;
  /** Undefined: gone. */
  readonly states: Trace<JudgedObject | undefined>;
  /** As it is, or was at its end. */
  last: JudgedObject;

  constructor(object: JudgedObject, at: number) {
    this.uid = object.metadata.uid;
    this.bornAt = at;
    this.last = object;
    this.states = new Trace<JudgedObject | undefined>(at, object);
  }

  get object(): JudgedObject | undefined {
    return this.states.now;
  }

  /** Whether it was so at some moment since then, while it existed. */
  wasSince(moment: number, isSo: (object: JudgedObject) => boolean): boolean {
    return this.states.since(moment).some((object) => object !== undefined && isSo(object));
  }

  /** Whether it has been so at every moment since then. */
  hasBeenSince(moment: number, isSo: (object: JudgedObject) => boolean): boolean {
    const states = this.states.since(moment);
    const isOld = this.bornAt <= moment;
    return isOld && states.every((object) => object !== undefined && isSo(object));
  }
}

/** An object came, changed or went. */
export type LifeListener = (life: Life, before: JudgedObject | undefined) => void;

export class Lives {
  readonly #byUid = new Map<string, Life>();
  readonly #byPlace = new Map<string, Life>();
  readonly #byOwner = new Map<string, Set<Life>>();
  readonly #listeners: LifeListener[] = [];

  listen(listener: LifeListener): void {
    this.#listeners.push(listener);
  }

  of(uid: string | undefined): Life | undefined {
    return uid === undefined ? undefined : this.#byUid.get(uid);
  }

  /** The one that has this name now. */
  named(namespace: string, name: string): Life | undefined {
    return this.#byPlace.get(`${namespace}/${name}`);
  }

  /** Those that it controls now. */
  ownedBy(uid: string): Iterable<Life> {
    return this.#byOwner.get(uid) ?? [];
  }

  /** Those that exist, and those that existed. */
  all(): Life[] {
    return Array.from(this.#byUid.values());
  }

  /** Those that exist. */
  present(): Life[] {
    return Array.from(this.#byPlace.values());
  }

  hear(before: KubeObject | undefined, after: KubeObject | undefined, at: number): void {
    if (before && before.metadata.uid !== after?.metadata.uid) this.#change(before, false, at);
    if (after) this.#change(after, true, at);
  }

  /** What there is after a database was restored. */
  replaceAll(objects: readonly KubeObject[], at: number): void {
    const uids = new Set(objects.map(({ metadata }) => metadata.uid));
    for (const life of this.present()) {
      if (!uids.has(life.uid)) this.#change(life.last, false, at);
    }
    for (const object of objects) this.#change(object, true, at);
  }

  #change(object: JudgedObject, isPresent: boolean, at: number): void {
    const { uid } = object.metadata;
    const known = this.#byUid.get(uid);
    const life = known ?? new Life(object, at);
    const before = known?.object;
    this.#byUid.set(uid, life);
    this.#unindex(life, before);
    life.last = object;
    life.states.set(at, isPresent ? object : undefined);
    this.#index(life, life.object);
    for (const listener of this.#listeners) listener(life, before);
  }

  #unindex(life: Life, object: JudgedObject | undefined): void {
    if (!object) return;
    const place = placeOf(object);
    if (this.#byPlace.get(place) === life) this.#byPlace.delete(place);
    const owner = ownerOf(object);
    if (owner !== undefined) this.#byOwner.get(owner)?.delete(life);
  }

  #index(life: Life, object: JudgedObject | undefined): void {
    if (!object) return;
    this.#byPlace.set(placeOf(object), life);
    const owner = ownerOf(object);
    if (owner === undefined) return;
    const owned = this.#byOwner.get(owner) ?? new Set<Life>();
    this.#byOwner.set(owner, owned.add(life));
  }
}

function placeOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
}
