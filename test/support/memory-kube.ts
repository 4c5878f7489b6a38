/** An API server in memory: as much of one as our activities can tell. */
import type {
  KubeClient,
  KubeList,
  KubeObject,
  PatchType,
  Query,
  WatchEvent,
} from '../../activities/kube/client/client.ts';
import { KubeError } from '../../activities/kube/client/errors.ts';
import { whole } from '../../activities/kube/client/normalize.ts';
import { applyJsonPatch } from './memory-json-patch.ts';
import { isRecord, merge } from './memory-patch.ts';
import { pathOf } from './memory-paths.ts';
import { MemoryWatches } from './memory-watches.ts';
import { isSelected } from './memory-selector.ts';

interface Stored extends KubeObject {
  [field: string]: unknown;
}

interface Patch extends Record<string, unknown> {
  metadata?: Record<string, unknown>;
}

interface DeleteOptions {
  preconditions?: Record<string, unknown>;
}

interface Verdict {
  code: number;
  reason: string;
  message?: string;
  details?: KubeError['details'];
}

interface Call {
  method: string;
  path: string;
  body?: unknown;
}

/**
 * What a test wants to go wrong: an error to answer with, or nothing. Runs before the call is
 * carried out.
 */
export type Fault = (call: Call) => Verdict | undefined;

export class MemoryKube implements KubeClient {
  /** Every call so far, e.g. `PATCH /api/v1/nodes/web-0`. */
  readonly calls: string[] = [];
  /** Every body that was sent, in the order of the calls that have one. */
  readonly bodies: unknown[] = [];
  fault: Fault = () => undefined;
  readonly #objects = new Map<string, Stored>();
  readonly #watches = new MemoryWatches();
  #version = 100;
  /** Of the newest timestamp, milliseconds. */
  #latest = 0;

  constructor(...objects: object[]) {
    for (const object of objects) this.put(object);
  }

  /** Stores an object as it is; what its metadata leaves out is made up. */
  put(object: object): void {
    const stored: Stored = whole(overTheWire(object));
    this.#store(pathOf(stored), stored);
  }

  /** The stored object; throws when there is none. */
  async read<T>(path: string): Promise<T> {
    return overTheWire(this.#found('GET', path));
  }

  has(path: string): boolean {
    return this.#objects.has(path);
  }

  /** Calls that change something. */
  writes(): string[] {
    return this.calls.filter((call) => !/^(GET|WATCH) /.test(call));
  }

  /** With a limit: one page with all that a list has. */
  async get<T>(path: string, query: Query = {}): Promise<T> {
    if ('limit' in query) return overTheWire(await this.list(path, query));
    await this.#arrive({ method: 'GET', path });
    return overTheWire(this.#found('GET', path));
  }

  async list<T>(path: string, query: Query = {}): Promise<KubeList<T>> {
    await this.#arrive({ method: 'GET', path });
    const items = [...this.#objects]
      .filter(([key]) => isListed(key, path))
      .map(([, object]) => object)
      .filter((object) => isSelected(object, query));
    const resourceVersion = String(this.#version);
    return { metadata: { resourceVersion }, items: overTheWire(items) };
  }

  async create<T>(path: string, body: unknown): Promise<T> {
    await this.#arrive({ method: 'POST', path, body });
    if (path.endsWith('/eviction'))
      return overTheWire(this.#evict(path.replace(/\/eviction$/, ''), body));
    const object: Stored = overTheWire(body);
    const key = `${path}/${object.metadata.name}`;
    if (this.has(key)) throw failure({ method: 'POST', path }, alreadyExists(key));
    this.#store(key, object);
    return await this.read<T>(key);
  }

  async patch<T>(path: string, type: PatchType, body: unknown): Promise<T> {
    await this.#arrive({ method: 'PATCH', path, body });
    const key = path.replace(/\/status$/, '');
    const present = this.#found('PATCH', key);
    const merged = this.#patched({ method: 'PATCH', path, body }, present, type);
    // A status is written by its own path only, and nothing else is.
    const kept = path === key ? { status: present['status'] } : { spec: present['spec'] };
    const next: Stored = { ...merged, ...(isCustom(key) && kept), metadata: merged.metadata };
    if (isCustom(key) && path === key) next.metadata.generation = generationOf(present, next);
    this.#store(key, next);
    return overTheWire(next);
  }

  #patched(call: Call, present: Stored, type: PatchType): Stored {
    if (type !== 'json') {
      const patch: Patch = overTheWire(call.body);
      this.#requirePreconditions(call, present, patch.metadata ?? {});
      return overTheWire(merge(present, patch, type));
    }
    const patched = applyJsonPatch(present, overTheWire(call.body));
    if (patched) return overTheWire(patched);
    throw failure(call, { code: 422, reason: 'Invalid', message: 'the patch does not apply' });
  }

  async delete(path: string, body: unknown = {}): Promise<void> {
    await this.#arrive({ method: 'DELETE', path, body });
    const present = this.#found('DELETE', path);
    const { preconditions = {} }: DeleteOptions = overTheWire(body);
    this.#requirePreconditions({ method: 'DELETE', path }, present, preconditions);
    present.metadata.deletionTimestamp ??= this.#nextTime();
    this.#store(path, present);
  }

  watch<T>(path: string, _query: Query, signal: AbortSignal): AsyncIterable<WatchEvent<T>> {
    this.calls.push(`WATCH ${path}`);
    return this.#watches.open((key) => isListed(key, path), signal);
  }

  /** Open ones. */
  get watchCount(): number {
    return this.#watches.count;
  }

  async close(): Promise<void> {}

  async #arrive(call: Call): Promise<void> {
    this.calls.push(`${call.method} ${call.path}`);
    if (call.body !== undefined) this.bodies.push(call.body);
    // As over a network: whatever else is ready runs first.
    await Promise.resolve();
    const verdict = this.fault(call);
    if (verdict) throw failure(call, verdict);
  }

  #evict(path: string, body: unknown): Stored {
    const pod = this.#found('POST', path);
    const { deleteOptions }: { deleteOptions?: DeleteOptions } = overTheWire(body);
    const { preconditions = {} } = deleteOptions ?? {};
    this.#requirePreconditions({ method: 'POST', path }, pod, preconditions);
    this.#remove(path, pod);
    return pod;
  }

  #found(method: string, path: string): Stored {
    const object = this.#objects.get(path);
    if (object) return structuredClone(object);
    throw failure({ method, path }, { code: 404, reason: 'NotFound' });
  }

  #requirePreconditions(
    call: Call,
    { metadata }: Stored,
    { uid, resourceVersion }: Record<string, unknown>,
  ): void {
    // An empty UID is none.
    if (uid && uid !== metadata.uid) {
      const message = `Precondition failed: UID in precondition: ${JSON.stringify(uid)}, UID in object meta: ${metadata.uid}`;
      throw failure(call, { code: 409, reason: 'Conflict', message });
    }
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
      const message =
        'the object has been modified; please apply your changes to the latest version';
      throw failure(call, { code: 409, reason: 'Conflict', message });
    }
  }

  /**
   * The present, but no two objects are of one millisecond: which of them is older must not be left
   * to chance.
   */
  #nextTime(): string {
    this.#latest = Math.max(Date.now(), this.#latest + 1);
    return new Date(this.#latest).toISOString();
  }

  /** An object that is being deleted goes with its last finalizer. */
  #store(key: string, object: Stored): void {
    this.#version += 1;
    const { metadata } = object;
    metadata.resourceVersion = String(this.#version);
    metadata.uid ??= `uid-of-${metadata.name}-${this.#version}`;
    metadata.creationTimestamp ??= this.#nextTime();
    encodeSecret(object);
    const isGoing = metadata.deletionTimestamp !== undefined;
    if (isGoing && (metadata.finalizers ?? []).length === 0) {
      this.#remove(key, object);
      return;
    }
    const type = this.has(key) ? 'MODIFIED' : 'ADDED';
    this.#objects.set(key, structuredClone(object));
    this.#watches.tell(key, { type, object });
  }

  #remove(key: string, object: Stored): void {
    this.#objects.delete(key);
    this.#watches.tell(key, { type: 'DELETED', object });
  }
}

/** Nothing is shared with whoever sent it; its reader says what it is, as with any JSON. */
function overTheWire(value: unknown): ReturnType<typeof JSON.parse> {
  return JSON.parse(JSON.stringify(value));
}

function isCustom(path: string): boolean {
  return path.startsWith('/apis/machine.sapcloud.io/');
}

/** In its namespace, or in all of them. */
function isListed(key: string, path: string): boolean {
  const inAll = key.replace(/\/namespaces\/[^/]+\//, '/');
  return [key, inAll].some(
    (one) => one.startsWith(`${path}/`) && !one.slice(path.length + 1).includes('/'),
  );
}

function generationOf(before: Stored, after: Stored): number {
  const isSame = JSON.stringify(before['spec']) === JSON.stringify(after['spec']);
  return (before.metadata.generation ?? 1) + (isSame ? 0 : 1);
}

function encodeSecret(object: Stored): void {
  const { stringData, data } = object;
  if (!isRecord(stringData)) return;
  const encoded = Object.entries(stringData).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ]);
  object['data'] = { ...(isRecord(data) && data), ...Object.fromEntries(encoded) };
  delete object['stringData'];
}

function alreadyExists(path: string): Verdict {
  return { code: 409, reason: 'AlreadyExists', message: `${path} already exists` };
}

function failure({ method, path }: Call, { message, ...verdict }: Verdict): KubeError {
  return new KubeError({ method, path, message: message ?? verdict.reason, ...verdict });
}
