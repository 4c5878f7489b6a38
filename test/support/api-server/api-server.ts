/**
 * An API server in memory. What a request may do, and what it is answered, is decided here, for the
 * client in the process and for the one over HTTP alike. It answers as kube-apiserver 1.35 does,
 * but for this:
 *
 * - A patch of the `/status` of one of our kinds with another UID is refused with 422, as a patch
 *   of the object is. A real server takes no notice of the UID there, and writes the status.
 * - There are no schemas: nothing is validated, pruned or defaulted but metadata, and of that no
 *   labels, annotations, owners and names of finalizers. What is empty in a spec stays.
 * - It knows the resources of resources.ts, without their subresources `scale`, `binding`, `log`.
 * - Every namespace exists, and none is terminating.
 * - It has GET, LIST, WATCH, POST, PATCH and DELETE of one object: no PUT, no server-side apply, no
 *   dry run, no deletion of a collection.
 * - It has no authentication, authorization or throttling.
 * - There are no managedFields, and only our kinds begin with a generation.
 * - Pods go at once, as if a kubelet had ended them; no PodDisruptionBudget holds up an eviction.
 * - It has no garbage collector: `orphan` and `foregroundDeletion` stay until a test removes them.
 * - Creation timestamps have milliseconds, and no two objects have the same one.
 * - Bookmarks come when a test asks for them; `timeoutSeconds` ends no watch.
 * - Only conditions, addresses, owners and finalizers are merged by a strategic patch.
 * - These are refused in other words, and sometimes before or after something else that is wrong:
 *   a selector, a token or a body that cannot be read, a type of content that is not known, another
 *   kind or apiVersion in a patch, a method that a path has not.
 */
import type { KubeObject, Query } from '../../../activities/kube/client/client.ts';
import { newObject } from './creation.ts';
import type { Body } from './creation.ts';
import { afterDeletion, requirePreconditions } from './deletion.ts';
import type { DeleteOptions } from './deletion.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import { isSameJson } from './json.ts';
import { withoutEmpty } from './metadata.ts';
import { requireVersion } from './pages.ts';
import { listOf, shownAs } from './lists.ts';
import { patchedObject, requireKnownType } from './patching.ts';
import type { Patch } from './patching.ts';
import { targetOf, targetOfObject } from './paths.ts';
import { apiVersionOf } from './resources.ts';
import type { Target } from './paths.ts';
import { encodedSecret } from './secrets.ts';
import {
  alreadyExists,
  badRequest,
  detailsOfDeleted,
  methodNotAllowed,
  notFound,
  nothingServed,
  success,
} from './status.ts';
import type { Status } from './status.ts';
import { ObjectStore } from './store.ts';
import type { Stored } from './store.ts';
import { openWatch } from './watches.ts';
import type { WatchedEvent } from './watches.ts';

export interface ApiServerOptions {
  /** Milliseconds since 1970. Default the host's clock. */
  now?: (() => number) | undefined;
}

export class ApiServer {
  readonly store = new ObjectStore();
  /** Of the newest timestamp, milliseconds. */
  #latest = 0;
  readonly #now: () => number;

  constructor({ now = Date.now }: ApiServerOptions = {}) {
    this.#now = now;
  }

  /**
   * Stores an object as it is, past all rules; what its metadata leaves out is made up. One with
   * another UID takes the place of the one before it.
   */
  put(object: KubeObject): Stored | undefined {
    const target = targetOfObject(object);
    const copy: Stored = structuredClone({ ...object });
    copy.apiVersion ??= apiVersionOf(target.resource);
    copy.metadata = withoutEmpty(copy.metadata);
    copy.metadata.uid ??= this.#uidFor(target.name);
    copy.metadata.creationTimestamp ??= this.#nextTime();
    if (target.resource.isCustom) copy.metadata.generation ??= 1;
    const present = this.store.object(target);
    if (present && present.metadata.uid !== copy.metadata.uid) this.store.remove(target);
    return this.#write(target, copy);
  }

  /** Takes an object away, past all rules. */
  remove(path: string): void {
    const target = this.#named(path);
    if (this.store.object(target)) this.store.remove(target);
  }

  has(path: string): boolean {
    return this.store.object(this.#named(path)) !== undefined;
  }

  /** One object, or a list where the path names a collection. */
  get(path: string, query: Query = {}): object {
    const target = this.#target(path);
    if (target.name === '') return listOf(this.store, target, query);
    requireVersion(this.store, query);
    return shownAs(query, this.#found(target));
  }

  create(path: string, body: Body): object {
    const collection = this.#target(path);
    if (collection.subresource === 'eviction') return this.#evict(collection, body);
    if (collection.name !== '') throw methodNotAllowed();
    if (collection.resource.isNamespaced && collection.namespace === '') throw methodNotAllowed();
    const suffix = suffixOf(this.store.version);
    const { target, object } = newObject(collection, body, {
      uid: this.#uidFor(body.metadata?.name || `${body.metadata?.generateName}${suffix}`),
      creationTimestamp: this.#nextTime(),
      suffix,
    });
    const present = this.store.object(target);
    if (present) throw alreadyExists(target, present.metadata.deletionTimestamp !== undefined);
    return this.store.write(target, encodedSecret(object));
  }

  patch(path: string, patch: Patch): object {
    const target = this.#named(path);
    requireKnownType(target, patch);
    const present = this.#found(target);
    const next = encodedSecret(patchedObject(target, present, patch));
    const { resourceVersion } = present.metadata;
    const unchanged = { ...next, metadata: { ...next.metadata, resourceVersion } };
    // A write that changes nothing is none.
    if (isSameJson(unchanged, present)) return present;
    return this.#write(target, next) ?? unchanged;
  }

  delete(path: string, options: DeleteOptions = {}): object {
    const target = this.#named(path);
    if (target.subresource !== '') throw methodNotAllowed();
    return this.#delete(target, options);
  }

  watch(path: string, query: Query, tell: (event: WatchedEvent) => void): () => void {
    const collection = this.#target(path);
    return openWatch(this.store, { collection, query }, (event) =>
      tell(event.type === 'ERROR' ? event : { ...event, object: shownAs(query, event.object) }),
    );
  }

  #delete(target: Target, options: DeleteOptions): Stored | Status {
    const present = this.#found(target);
    requirePreconditions(target, present, options);
    const next = afterDeletion(present, options, this.#nextTime());
    if (next === present) return present;
    if (this.#write(target, next)) return this.#found(target);
    return success({ details: detailsOfDeleted(target, present.metadata.uid) });
  }

  #evict(target: Target, body: Body): Status {
    this.#found(target);
    if (body.metadata?.name !== target.name) {
      throw badRequest('name in URL does not match name in Eviction object');
    }
    const { deleteOptions } = body;
    this.#delete(target, isRecord(deleteOptions) ? deleteOptions : {});
    return success({ code: 201 });
  }

  /** An object that is being deleted goes with its last finalizer; then there is none. */
  #write(target: Target, object: Stored): Stored | undefined {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const isGone = deletionTimestamp !== undefined && finalizers.length === 0;
    if (!isGone) return this.store.write(target, object);
    if (this.store.object(target)) this.store.remove(target);
    return undefined;
  }

  #target(path: string): Target {
    const target = targetOf(path);
    if (!target) throw nothingServed();
    return target;
  }

  #named(path: string): Target {
    const target = this.#target(path);
    if (target.name === '') throw methodNotAllowed();
    return target;
  }

  #found(target: Target): Stored {
    const object = this.store.object(target);
    if (!object) throw notFound(target);
    return object;
  }

  #uidFor(name: string): string {
    return `uid-of-${name}-${this.store.version + 1}`;
  }

  /**
   * The present, but no two objects are of one millisecond: which of them is older must not be left
   * to chance.
   */
  #nextTime(): string {
    this.#latest = Math.max(this.#now(), this.#latest + 1);
    return new Date(this.#latest).toISOString();
  }
}

const suffixCharacters = 'bcdfghjklmnpqrstvwxz2456789';

/** Five characters, another word for each version. */
function suffixOf(version: number): string {
  const digits = [0, 1, 2, 3, 4].map(
    (place) => Math.floor(version / suffixCharacters.length ** place) % suffixCharacters.length,
  );
  return digits.map((digit) => suffixCharacters[digit]).join('');
}
