/**
 * The garbage collector: it deletes objects whose owners are all gone, and carries out the
 * propagation policies `Foreground` and `Orphan`. What it does follows from the objects as they are
 * at that moment; which ones it sees to, and which objects depend on them, from what it has heard.
 */
import type { KubeObject, OwnerReference } from '../../../kube/client/client.ts';
import { pathOf } from '../../support/api-server/paths.ts';
import type { Target } from '../../support/api-server/paths.ts';
import { resources } from '../../support/api-server/resources.ts';
import type { Entry } from '../../support/api-server/store.ts';
import type { News } from './change-feed.ts';
import { Controller } from './controller.ts';
import type { ControllerParts } from './controller.ts';
import { isDeleting } from './objects.ts';
import { OwnerGraph } from './owner-graph.ts';
import { deleteObject, patchObject } from './writes.ts';

/** Owners that are in no API server here, such as ReplicaSets. */
export interface OtherOwners {
  hasKind(kind: string): boolean;
  has(uid: string): boolean;
  /** Calls `hear` when one goes. */
  onGone(hear: (uid: string) => void): void;
}

const foreground = 'foregroundDeletion';
const orphan = 'orphan';

/** Of an owner: there for good, absent, or deleted as soon as its dependents are. */
type OwnerState = 'solid' | 'dangling' | 'waiting' | 'invalid';

export class GarbageCollector extends Controller {
  readonly #graph = new OwnerGraph();
  readonly #others: OtherOwners;

  constructor(parts: ControllerParts, others: OtherOwners) {
    super('garbage collector', parts);
    this.#others = others;
  }

  start(): void {
    this.listen(resources.map(({ kind }) => kind));
    this.#others.onGone((uid) => this.#seeToDependents(uid));
  }

  protected override hear({ path, before, after }: News): void {
    if (before) this.#graph.remove(before);
    if (after) this.#graph.put(path, after);
    if (before) this.#seeToUnblocked(before, after);
    if (after) {
      if (haveOwnersChanged(before, after)) this.#seeToNewOwners(after);
      this.#seeToDeletion(before, after);
    } else if (before) this.#seeToDependents(before.metadata.uid);
  }

  #seeToDependents(ownerUid: string): void {
    for (const { uid } of this.#graph.dependentsOf(ownerUid)) this.enqueue(uid);
  }

  /** An owner that waited for this object may wait for none now. */
  #seeToUnblocked(before: KubeObject, after: KubeObject | undefined): void {
    if (after && !haveOwnersChanged(before, after)) return;
    for (const { uid } of before.metadata.ownerReferences ?? []) {
      if (this.#isWaiting(uid)) this.enqueue(uid);
    }
  }

  #isWaiting(uid: string): boolean {
    const object = this.#entryOf(uid)?.object;
    return object !== undefined && isDeletingBy(object, foreground);
  }

  #seeToNewOwners(object: KubeObject): void {
    const { uid, ownerReferences = [] } = object.metadata;
    const isAnyAbsent = ownerReferences.some(
      (owner) => this.#stateOf(owner, object) === 'dangling',
    );
    if (isAnyAbsent) this.enqueue(uid);
  }

  #seeToDeletion(before: KubeObject | undefined, after: KubeObject): void {
    const { uid } = after.metadata;
    const begins = (finalizer: string): boolean =>
      isDeletingBy(after, finalizer) && !(before && isDeletingBy(before, finalizer));
    if (begins(orphan)) this.enqueue(`${orphan} ${uid}`);
    else if (begins(foreground)) {
      this.#seeToDependents(uid);
      this.enqueue(uid);
    }
  }

  protected override sync(key: string): void {
    const [first = '', second] = key.split(' ');
    const entry = this.#entryOf(second ?? first);
    if (!entry) this.#seeToDependents(second ?? first);
    else if (second !== undefined) this.#orphanDependents(entry);
    else if (isDeletingBy(entry.object, foreground)) this.#waitForDependents(entry);
    else if (!isDeleting(entry.object)) this.#collect(entry);
  }

  #orphanDependents({ target, object }: Entry): void {
    const { uid } = object.metadata;
    for (const dependent of this.#graph.dependentsOf(uid)) this.#releaseFrom(dependent, [uid]);
    this.#removeFinalizer(pathOf(target), object, orphan);
  }

  #releaseFrom({ path, uid }: { path: string; uid: string }, owners: readonly string[]): void {
    const present = this.#entryOf(uid)?.object.metadata.ownerReferences ?? [];
    const ownerReferences = present.filter((owner) => !owners.includes(owner.uid));
    if (ownerReferences.length === present.length) return;
    this.note(`takes owners off ${path}`);
    patchObject(this.#server, { path, uid }, { metadata: { ownerReferences } });
  }

  #waitForDependents({ target, object }: Entry): void {
    const blocking = this.#graph.blockingDependentsOf(object.metadata.uid);
    if (blocking.length === 0) this.#removeFinalizer(pathOf(target), object, foreground);
    for (const { uid } of blocking) if (!this.#isWaiting(uid)) this.enqueue(uid);
  }

  #removeFinalizer(path: string, { metadata }: KubeObject, finalizer: string): void {
    const { uid, finalizers: present = [], resourceVersion } = metadata;
    const finalizers = present.filter((other) => other !== finalizer);
    if (finalizers.length === present.length) return;
    patchObject(this.#server, { path, uid }, { metadata: { finalizers, resourceVersion } });
  }

  #collect({ target, object }: Entry): void {
    const path = pathOf(target);
    const { uid, ownerReferences = [] } = object.metadata;
    if (ownerReferences.length === 0) return;
    const states = ownerReferences.map((owner) => ({ owner, state: this.#stateOf(owner, object) }));
    if (states.some(({ state }) => state === 'invalid')) return;
    const useless = states.filter(({ state }) => state !== 'solid').map(({ owner }) => owner.uid);
    if (useless.length < states.length) return this.#releaseFrom({ path, uid }, useless);
    const isAwaited = states.some(({ state }) => state === 'waiting');
    if (isAwaited && this.#graph.dependentsOf(uid).length > 0) {
      this.#breakCircle(path, object);
      return this.#delete(path, uid, 'Foreground');
    }
    this.#delete(path, uid, policyOf(object));
  }

  /** Owners that wait for each other would wait for ever. */
  #breakCircle(path: string, { metadata }: KubeObject): void {
    const { uid, ownerReferences: present = [] } = metadata;
    if (!this.#graph.dependentsOf(uid).some((dependent) => this.#isWaiting(dependent.uid))) return;
    const ownerReferences = present.map((owner) =>
      owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner,
    );
    patchObject(this.#server, { path, uid }, { metadata: { ownerReferences } });
  }

  #delete(path: string, uid: string, propagationPolicy: string): void {
    this.note(`deletes ${path} (${propagationPolicy})`);
    deleteObject(this.#server, { path, uid }, { propagationPolicy });
  }

  /** By all that a reference says of its owner, and never in another namespace. */
  #stateOf({ uid, kind, name }: OwnerReference, { metadata }: KubeObject): OwnerState {
    const resource = resources.find((one) => one.kind === kind);
    // Of a kind that it does not know, it never learns whether it is there.
    if (!resource) return this.#isGoneElsewhere(kind, uid) ? 'dangling' : 'solid';
    if (resource.isNamespaced && metadata.namespace === undefined) return 'invalid';
    const entry = this.#entryOf(uid);
    const { namespace: own = '' } = metadata;
    const namespace = resource.isNamespaced ? own : '';
    if (!entry || !isAt(entry.target, { resource, namespace, name })) return 'dangling';
    return isDeletingBy(entry.object, foreground) ? 'waiting' : 'solid';
  }

  #isGoneElsewhere(kind: string, uid: string): boolean {
    return this.#others.hasKind(kind) && !this.#others.has(uid);
  }

  #entryOf(uid: string): Entry | undefined {
    return this.#server.store.entryOfUid(uid);
  }

  get #server() {
    return this.parts.cluster.server;
  }
}

function isAt(target: Target, { resource, namespace, name }: Omit<Target, 'subresource'>): boolean {
  return target.resource === resource && target.namespace === namespace && target.name === name;
}

function isDeletingBy(object: KubeObject, finalizer: string): boolean {
  return isDeleting(object) && (object.metadata.finalizers ?? []).includes(finalizer);
}

/** A finalizer of a policy that stands there already is honoured. */
function policyOf({ metadata: { finalizers = [] } }: KubeObject): string {
  if (finalizers.includes(orphan)) return 'Orphan';
  return finalizers.includes(foreground) ? 'Foreground' : 'Background';
}

function haveOwnersChanged(before: KubeObject | undefined, after: KubeObject): boolean {
  const [last, next] = [before?.metadata.ownerReferences, after.metadata.ownerReferences];
  return last !== next && JSON.stringify(last) !== JSON.stringify(next);
}
