/**
 * An API server in memory. What a request may do, and what it is answered, is decided here, for the
 * client in the process and for the one over HTTP alike. It answers as kube-apiserver 1.35 does,
 * but for this:
 *
 * - Of the server's own types nothing is validated or defaulted but metadata, and of that no
 *   labels, annotations, owners and names of finalizers. What is empty in a spec stays. The same
 *   goes for our kinds without `crds`.
 * - It knows the resources of resources.ts, without their subresources `scale`, `binding`, `log`.
 *   Discovery knows our groups alone. Of a kind that is optional nothing is served until `install`,
 *   or until an object of it is put.
 * - Every namespace exists, and none is terminating.
 * - It has GET, LIST, WATCH, POST, PUT, PATCH and DELETE of one object: no server-side apply, no
 *   dry run, no deletion of a collection.
 * - It has no authentication, authorization or throttling.
 * - There are no managedFields: a write that changes nothing else is none here, and a version
 *   there, e.g. of metadata in a patch of the `/status` of one of our kinds.
 * - No PodDisruptionBudget holds up an eviction. Without `gracefulPods` pods go at once, as if a
 *   kubelet had ended them.
 * - It has no garbage collector: `orphan` and `foregroundDeletion` stay until a test removes them.
 * - Without `inWholeSeconds` times have milliseconds, and no two objects have the same one.
 * - Bookmarks come when a test asks for them; `timeoutSeconds` ends no watch.
 * - Only conditions, addresses, owners and finalizers are merged by a strategic patch.
 * - These are refused in other words: a selector, a token or a body that cannot be read, a type of
 *   content that is not known, another kind of the server's own types in a patch, a method that a
 *   path has not.
 * - An eviction with another UID is refused at once, there after ten seconds; a deletion with the
 *   version of an object that goes by its `propagationPolicy` is done, there it is refused.
 *
 * test/e2e/input/api-server-differential.test.ts asks both the same.
 */
import type { KubeObject, Query } from '../../../kube/client/client.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import { newObject } from './creation.ts';
import type { Body } from './creation.ts';
import { afterDeletion, graceOfPod, isOver, requirePreconditions } from './deletion.ts';
import type { DeleteOptions } from './deletion.ts';
import { withEvictionCondition } from './eviction.ts';
import { isSameJson, overTheWire } from './json.ts';
import { listOf, shownAs } from './lists.ts';
import { withoutEmpty } from './metadata.ts';
import { createClock, generatedName } from './naming.ts';
import type { Clock } from './naming.ts';
import { requireVersion } from './pages.ts';
import { patchedBody, requireKnownType } from './patching.ts';
import type { Patch } from './patching.ts';
import { isSubresource, servedApi, targetOf, targetOfObject } from './paths.ts';
import type { Target } from './paths.ts';
import { apiVersionOf, resources } from './resources.ts';
import { encodedSecret } from './secrets.ts';
import {
  alreadyExists,
  badRequest,
  detailsOfDeleted,
  methodNotAllowed,
  notFound,
  nothingServed,
  otherUid,
  success,
} from './status.ts';
import type { Status } from './status.ts';
import { ObjectStore } from './store.ts';
import type { Stored } from './store.ts';
import { patchedObject, replacedObject, requireNumber, requireUpdatable } from './updating.ts';
import { openWatch } from './watches.ts';
import type { WatchedEvent } from './watches.ts';

export interface ApiServerOptions {
  /** Milliseconds since 1970. Default the host's clock. */
  now?: (() => number) | undefined;
  /** Default UIDs that a person can read. */
  uuid?: (() => string) | undefined;
  /**
   * Times in whole seconds, as a real server has them. Default milliseconds, and no two objects are
   * of the same one: which of them is older must not be left to chance.
   */
  inWholeSeconds?: boolean;
  /**
   * A pod of a Node stays for its grace period, until something in the place of a kubelet deletes
   * it with `gracePeriodSeconds: 0`. Default it goes at once.
   */
  gracefulPods?: boolean;
  /**
   * What deploy/crds prunes and refuses is pruned and refused: fields that are not known, types and
   * rules. Default any content of our kinds is taken.
   */
  crds?: boolean;
  /** At least so many changes are kept for watches and pages; older ones expire. Default all. */
  keptChanges?: number | undefined;
  /** Of what there was before, default 100. */
  version?: number | undefined;
}

export class ApiServer {
  readonly store: ObjectStore;
  readonly #options: ApiServerOptions;
  readonly #clock: Clock;
  /** Objects of our kinds as they were created. */
  readonly #unwritten = new WeakSet<Stored>();
  readonly #hasCrds: boolean;
  /** Kinds whose CRD was installed, of those that may be absent. */
  readonly #installed = new Set<string>();

  constructor(options: ApiServerOptions = {}) {
    const { now = Date.now, inWholeSeconds = false, keptChanges, version, crds = false } = options;
    this.#hasCrds = crds;
    this.#options = options;
    this.#clock = createClock(now, inWholeSeconds);
    this.store = new ObjectStore({ keptChanges, version });
  }

  /**
   * Stores an object as it is, past all rules; what its metadata leaves out is made up. One with
   * another UID takes the place of the one before it.
   */
  put(object: KubeObject): Stored | undefined {
    const target = targetOfObject(object);
    this.install(target.resource.kind);
    const copy: Stored = overTheWire(object);
    copy.apiVersion ??= apiVersionOf(target.resource);
    copy.metadata = withoutEmpty(copy.metadata);
    copy.metadata.uid ??= this.#uidFor(target.name);
    copy.metadata.creationTimestamp ??= this.#clock.nextTime();
    if (target.resource.countsGenerations) copy.metadata.generation ??= 1;
    const present = this.store.object(target);
    if (present && present.metadata.uid !== copy.metadata.uid) this.store.remove(target);
    return this.#write(target, copy);
  }

  /** Serves a kind whose CRD may be absent, from now on. */
  install(kind: string): void {
    this.#installed.add(kind);
  }

  /** Serves it no more; its objects go with it. */
  uninstall(kind: string): void {
    const resource = resources.find((one) => one.kind === kind);
    if (!resource) return;
    const all = { resource, namespace: '', name: '', subresource: '' };
    for (const { target } of this.store.entriesOf(all)) this.store.remove(target);
    this.#installed.delete(kind);
  }

  /** Whether there is something at this path, be it empty. */
  serves(path: string): boolean {
    const target = targetOf(path);
    return target !== undefined && this.#isInstalled(target);
  }

  /** Takes an object away, past all rules. */
  remove(path: string): void {
    const target = this.#named(path);
    if (this.store.object(target)) this.store.remove(target);
  }

  has(path: string): boolean {
    return this.store.object(this.#named(path)) !== undefined;
  }

  /** One object, or a list where the path names a collection. What it returns is frozen. */
  get(path: string, query: Query = {}): object {
    const api = servedApi(path, ({ isOptional, kind }) => !isOptional || this.#installed.has(kind));
    if (api) return api;
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
    return this.#create(collection, overTheWire(body));
  }

  /** A PUT: the whole object, or its whole status. */
  update(path: string, body: Body): object {
    const target = this.#named(path);
    const wanted: Body = overTheWire(body);
    requireUpdatable(target, wanted);
    const present = this.store.object(target);
    if (present) {
      const update = { present, wanted, hasCrds: this.#hasCrds };
      return this.#replace(target, present, replacedObject(target, update));
    }
    const isCreated = target.resource.isCreatedByUpdate && target.subresource === '';
    if (!isCreated) throw notFound(target);
    const { resourceVersion = '', uid = '', ...metadata } = wanted.metadata ?? {};
    if (uid !== '') throw otherUid(target, uid, '');
    requireNumber(resourceVersion);
    return this.#create({ ...target, name: '' }, { ...wanted, metadata });
  }

  patch(path: string, { type, body }: Patch): object {
    const target = this.#named(path);
    const patch: Patch = { type, body: overTheWire(body) };
    requireKnownType(target, patch);
    const present = this.#found(target);
    const wanted = patchedBody(present, patch);
    const update = { present, wanted, hasCrds: this.#hasCrds };
    return this.#replace(target, present, patchedObject(target, update));
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

  #create(collection: Target, body: Body): Stored {
    const { name, generateName = '' } = body.metadata ?? {};
    const generated = generateName === '' ? '' : generatedName(generateName, this.store.version);
    const birth = {
      uid: this.#uidFor(name || generated),
      creationTimestamp: this.#clock.nextTime(),
      generatedName: generated,
    };
    const { target, object } = newObject(collection, body, { birth, hasCrds: this.#hasCrds });
    const present = this.store.object(target);
    if (present) throw alreadyExists(target, present.metadata.deletionTimestamp !== undefined);
    const stored = this.store.write(target, encodedSecret(object));
    if (this.#hasCrds && target.resource.isCustom) this.#unwritten.add(stored);
    return stored;
  }

  #replace(target: Target, present: Stored, wanted: Stored): Stored {
    const { resourceVersion } = present.metadata;
    const encoded = encodedSecret(wanted);
    const next = { ...encoded, metadata: { ...encoded.metadata, resourceVersion } };
    // A write that changes nothing is none, but for the first one of a status that is a default: it
    // is shown, and not stored yet.
    const isStored = present['status'] === undefined || !this.#unwritten.has(present);
    if (isStored && isSameJson(next, present)) return present;
    return this.#write(target, next) ?? next;
  }

  #delete(target: Target, options: DeleteOptions): Stored | Status {
    const present = this.#found(target);
    requirePreconditions(target, present, options);
    const { kind, isCollected, returnsDeleted } = target.resource;
    const isGraceful = this.#options.gracefulPods === true && kind === 'Pod';
    const deletion = {
      options: isCollected ? options : { ...options, propagationPolicy: '' },
      graceSeconds: isGraceful ? graceOfPod(present, options) : 0,
    };
    const next = afterDeletion(present, deletion, this.#clock);
    if (next === present) return present;
    // A pod is first told that it ends, and then it goes.
    const isTold = isGraceful && graceOf(next) !== graceOf(present) && isOver(next);
    const last = isTold ? this.store.write(target, next) : present;
    const left = this.#write(target, next);
    if (left) return left;
    if (returnsDeleted) return deletedAt(this.store.version, last);
    return success({ details: detailsOfDeleted(target, present.metadata.uid) });
  }

  #evict(target: Target, body: Body): Status {
    if (body.metadata?.name !== target.name) {
      throw badRequest('name in URL does not match name in Eviction object');
    }
    const pod = this.#found(target);
    const { deleteOptions } = body;
    const options: DeleteOptions = isRecord(deleteOptions) ? deleteOptions : {};
    requirePreconditions(target, pod, options);
    if (this.#options.gracefulPods) {
      this.#replace(target, pod, withEvictionCondition(pod, this.#clock));
    }
    this.#delete(target, options);
    return success({ code: 201 });
  }

  /** An object that is being deleted goes with its last finalizer; then there is none. */
  #write(target: Target, object: Stored): Stored | undefined {
    if (!isOver(object)) return this.store.write(target, object);
    if (this.store.object(target)) this.store.remove(target);
    return undefined;
  }

  #target(path: string): Target {
    const target = targetOf(path);
    if (!target || !this.#isInstalled(target)) throw nothingServed();
    // Of one of our kinds it is asked for what it has.
    if (!isSubresource(target)) throw notFound(target);
    return target;
  }

  #isInstalled({ resource: { isOptional, kind } }: Pick<Target, 'resource'>): boolean {
    return !isOptional || this.#installed.has(kind);
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
    return this.#options.uuid?.() ?? `uid-of-${name}-${this.store.version + 1}`;
  }
}

const graceOf = ({ metadata }: Stored): number | undefined => metadata.deletionGracePeriodSeconds;

/** As it was last, under the version of its deletion. */
function deletedAt(version: number, object: Stored): Stored {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}
