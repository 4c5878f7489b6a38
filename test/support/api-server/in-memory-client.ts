/** The Kubernetes client of a test: it asks an API server in memory, without a network. */
import type {
  KubeClient,
  KubeList,
  KubeObject,
  PatchType,
  Query,
  WatchEvent,
} from '../../../kube/client/client.ts';
import { KubeError, errorOfAnswer } from '../../../kube/client/errors.ts';
import type { Page } from '../../../kube/client/paging.ts';
import { whole } from '../../../kube/client/normalize.ts';
import { ApiServer } from './api-server.ts';
import { overTheWire } from './json.ts';
import { StatusError } from './status.ts';
import type { Status } from './status.ts';
import type { WatchedEvent } from './watches.ts';

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

export class InMemoryClient implements KubeClient {
  /** Every call so far, e.g. `PATCH /api/v1/nodes/web-0`. */
  readonly calls: string[] = [];
  /** Every body that was sent, in the order of the calls that have one. */
  readonly bodies: unknown[] = [];
  fault: Fault = () => undefined;
  readonly #server = new ApiServer();
  #watchCount = 0;

  constructor(...objects: object[]) {
    for (const object of objects) this.put(object);
  }

  /** Stores an object as it is; what its metadata leaves out is made up. */
  put(object: object): void {
    this.#server.put(overTheWire(object));
  }

  /** Serves a kind whose CRD may be absent, from now on. */
  install(kind: string): void {
    this.#server.install(kind);
  }

  /** The stored object; throws when there is none. */
  async read<T>(path: string): Promise<T> {
    return answerTo({ method: 'GET', path }, () => this.#server.get(path));
  }

  has(path: string): boolean {
    return this.#server.has(path);
  }

  /** Calls that change something. */
  writes(): string[] {
    return this.calls.filter((call) => !/^(GET|WATCH) /.test(call));
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    return await this.#answer({ method: 'GET', path }, () => this.#server.get(path, query));
  }

  /** In one page. */
  async list<T>(path: string, query: Query = {}): Promise<KubeList<T>> {
    const { metadata, items } = await this.get<Page<T>>(path, query);
    return { metadata: { resourceVersion: metadata.resourceVersion }, items: items ?? [] };
  }

  async create<T>(path: string, body: unknown): Promise<T> {
    const sent = overTheWire(body);
    return await this.#answer({ method: 'POST', path, body }, () =>
      this.#server.create(path, sent),
    );
  }

  async update<T>(path: string, body: unknown): Promise<T> {
    const sent = overTheWire(body);
    return await this.#answer({ method: 'PUT', path, body }, () => this.#server.update(path, sent));
  }

  async patch<T>(path: string, type: PatchType, body: unknown): Promise<T> {
    const sent = overTheWire(body);
    return await this.#answer({ method: 'PATCH', path, body }, () =>
      this.#server.patch(path, { type, body: sent }),
    );
  }

  async delete(path: string, body: unknown = {}): Promise<Partial<KubeObject>> {
    const sent = overTheWire(body);
    return await this.#answer({ method: 'DELETE', path, body }, () =>
      this.#server.delete(path, sent),
    );
  }

  watch<T>(path: string, query: Query, signal: AbortSignal): AsyncIterable<WatchEvent<T>> {
    this.calls.push(`WATCH ${path}`);
    return this.#events<T>({ method: 'WATCH', path }, query, signal);
  }

  async *#events<T>(call: Call, query: Query, signal: AbortSignal): AsyncGenerator<WatchEvent<T>> {
    const events: WatchedEvent[] = [];
    let wake = nothing;
    const close = this.#opened(call, () =>
      this.#server.watch(call.path, query, (event) => {
        events.push(event);
        wake();
      }),
    );
    signal.addEventListener('abort', () => wake(), { once: true });
    try {
      while (!signal.aborted) {
        for (const event of events.splice(0)) yield heard<T>(call, event);
        if (events.length > 0 || signal.aborted) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      this.#watchCount -= 1;
      close();
    }
  }

  /** Open ones. */
  get watchCount(): number {
    return this.#watchCount;
  }

  async close(): Promise<void> {}

  #opened(call: Call, open: () => () => void): () => void {
    try {
      const close = open();
      this.#watchCount += 1;
      return close;
    } catch (error) {
      throw failureOf(call, error);
    }
  }

  async #answer<T>(call: Call, answer: () => object): Promise<T> {
    this.calls.push(`${call.method} ${call.path}`);
    if (call.body !== undefined) this.bodies.push(call.body);
    // As over a network: other tasks that are ready run first.
    await Promise.resolve();
    const verdict = this.fault(call);
    if (verdict) throw new KubeError({ ...call, message: verdict.reason, ...verdict });
    return answerTo(call, answer);
  }
}

function nothing(): void {}

function answerTo(call: Call, answer: () => object): ReturnType<typeof JSON.parse> {
  try {
    return whole(overTheWire(answer()));
  } catch (error) {
    throw failureOf(call, error);
  }
}

function failureOf(call: Call, error: unknown): unknown {
  return error instanceof StatusError ? kubeErrorOf(call, error.status) : error;
}

/** By the code that reads it from an HTTP answer. */
function kubeErrorOf({ method, path }: Call, status: Status): KubeError {
  return errorOfAnswer({ method, path, code: status.code ?? 0, text: JSON.stringify(status) });
}

function heard<T>(call: Call, event: WatchedEvent): WatchEvent<T> {
  if (event.type !== 'ERROR') return whole(overTheWire(event));
  const status: Status = overTheWire(event.object);
  throw kubeErrorOf(call, status);
}
