/** A process' client of an API server in memory: the calls travel, and may get lost. */
import type {
  KubeClient,
  KubeObject,
  KubeList,
  PatchType,
  Query,
  WatchEvent,
} from '../../../kube/client/client.ts';
import { KubeError, errorOfAnswer, errorOfTransport } from '../../../kube/client/errors.ts';
import { whole } from '../../../kube/client/normalize.ts';
import type { Page } from '../../../kube/client/paging.ts';
import { withRetries } from '../../../kube/client/http-client.ts';
import type { ApiServer } from '../../support/api-server/api-server.ts';
import { targetOf } from '../../support/api-server/paths.ts';
import { overTheWire } from '../../support/api-server/json.ts';
import type { Change } from '../../support/api-server/store.ts';
import { StatusError } from '../../support/api-server/status.ts';
import type { WatchedEvent } from '../../support/api-server/watches.ts';
import { activityOfLateAttempt } from './late-attempt.ts';
import { ConnectionBroken, journey } from '../engine/journey.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Breaking, Verdict, Weather } from './weather.ts';

/** An API server, and who may hold up or refuse what is asked of it. */
export interface Cluster {
  name: string;
  server: ApiServer;
  /** Away: it does not answer. */
  isUp: boolean;
  /** Asked before a pod is evicted. */
  refusalOfEviction?(path: string): Verdict | undefined;
  /** Each hears the path of a process' request that is carried out, before its answer leaves. */
  readonly listeners?: Set<(path: string) => void>;
}

/** A write of a process that an API server carried out. */
export interface Write {
  process: SimulatedProcess;
  cluster: Cluster;
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body: unknown;
  /** Of an attempt that was over before it sent this. */
  lateActivity?: string | undefined;
  /** The network brought this call twice, and this is the second time. */
  isAgain: boolean;
  /** Undefined where there was none. */
  before: KubeObject | undefined;
  after: KubeObject | undefined;
}

export type WriteListener = (write: Write) => void;

export interface KubeClientParts {
  simulation: Simulation;
  process: SimulatedProcess;
  weather: Weather;
  cluster: Cluster;
  /** Milliseconds; default 10 s, as that of the real client. */
  callTimeoutMs?: number;
  onWrite?: WriteListener;
}

interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  contentType?: string;
  body?: unknown;
}

/** @param isAgain See `Write`. */
type Effect = (server: ApiServer, isAgain: boolean) => object;

const jsonPatch = 'application/json-patch+json';

export class SimulatedKubeClient implements KubeClient {
  readonly #parts: KubeClientParts;

  constructor(parts: KubeClientParts) {
    this.#parts = parts;
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    return await this.#answer({ method: 'GET', path }, (server) =>
      server.get(path, this.#mayBeStale(path, query)),
    );
  }

  async list<T>(path: string, query: Query = {}): Promise<KubeList<T>> {
    const { metadata, items } = await this.get<Page<T>>(path, query);
    return { metadata: { resourceVersion: metadata.resourceVersion }, items: items ?? [] };
  }

  async create<T>(path: string, body: unknown): Promise<T> {
    const { weather, cluster } = this.#parts;
    const sent = overTheWire(body);
    return await this.#write({ method: 'POST', path, body: sent }, (server) =>
      server.create(path, weather.admitted(sent, path, cluster.name)),
    );
  }

  async update<T>(path: string, body: unknown): Promise<T> {
    const sent = overTheWire(body);
    return await this.#write({ method: 'PUT', path, body: sent }, (server) =>
      server.update(path, sent),
    );
  }

  async patch<T>(path: string, type: PatchType, body: unknown): Promise<T> {
    const sent = overTheWire(body);
    const call: Call = {
      method: 'PATCH',
      path,
      ...(type === 'json' && { contentType: jsonPatch }),
    };
    return await this.#write({ ...call, body: sent }, (server) =>
      server.patch(path, { type, body: sent }),
    );
  }

  async delete(path: string, body: unknown = {}): Promise<Partial<KubeObject>> {
    const sent = overTheWire(body);
    return await this.#write({ method: 'DELETE', path, body: sent }, (server) =>
      server.delete(path, sent),
    );
  }

  watch<T>(path: string, query: Query, signal: AbortSignal): AsyncIterable<WatchEvent<T>> {
    return new Watch(this.#parts, { path, query, signal }).events<T>();
  }

  async close(): Promise<void> {}

  /** A list that may come from the cache of the API server is some changes behind. */
  #mayBeStale(path: string, query: Query): Query {
    if (String(query['resourceVersion'] ?? '') !== '0' || targetOf(path)?.name !== '') return query;
    const { weather, cluster } = this.#parts;
    const { version, forgottenBelow } = cluster.server.store;
    const behind = weather.changesBehind();
    if (behind === 0) return query;
    const resourceVersion = String(Math.max(version - behind, forgottenBelow, 1));
    return { ...query, resourceVersion, resourceVersionMatch: 'Exact' };
  }

  /** The change that it makes is the last one of the store while it is carried out. */
  async #write<T>(
    call: Call & { body: unknown },
    effect: (server: ApiServer) => object,
  ): Promise<T> {
    const { process, cluster, onWrite } = this.#parts;
    if (!onWrite) return await this.#answer(call, effect);
    const lateActivity = activityOfLateAttempt();
    return await this.#answer(call, (server, isAgain) => {
      const changes: Change[] = [];
      const close = server.store.listen((change) => changes.push(change));
      try {
        return effect(server);
      } finally {
        close();
        for (const { before, after } of changes) {
          const { method, path, body } = call;
          if (method === 'GET') continue;
          const objects = { before: before?.object, after: after?.object };
          onWrite({ process, cluster, method, path, body, lateActivity, isAgain, ...objects });
        }
      }
    });
  }

  async #answer<T>(call: Call, effect: Effect): Promise<T> {
    return await withRetries(call, () => this.#attempt<T>(call, effect));
  }

  async #attempt<T>(call: Call, effect: Effect): Promise<T> {
    const { simulation, process, weather, cluster, callTimeoutMs = 10_000 } = this.#parts;
    const name = `${call.method} ${call.path}`;
    let arrivals = 0;
    return await new Promise<T>((resolve, reject) => {
      const timer = process.after(callTimeoutMs, () => reject(timedOut(call)));
      const answered = journey(simulation, {
        process,
        fate: weather.fateOf(process, name, cluster.name),
        effect: () => {
          arrivals += 1;
          if (!cluster.isUp) throw new ConnectionBroken('connect ECONNREFUSED');
          const asked = { call: name, cluster: cluster.name, body: call.body };
          const verdict = weather.verdictOn(process, asked) ?? refusalOf(cluster, call);
          if (verdict) throw refused(call, verdict);
          const answer = answerTo(call, () => effect(cluster.server, arrivals > 1));
          for (const hear of cluster.listeners ?? []) hear(call.path);
          return answer;
        },
      });
      answered
        .then(resolve, (error: unknown) => reject(errorOfTransport(call, error)))
        .finally(() => timer.cancel());
    });
  }
}

function refusalOf(cluster: Cluster, { method, path }: Call): Verdict | undefined {
  const isEviction = method === 'POST' && path.endsWith('/eviction');
  return isEviction ? cluster.refusalOfEviction?.(path.replace(/\/eviction$/, '')) : undefined;
}

function timedOut(call: Call): KubeError {
  const cause = { name: 'TimeoutError', message: 'The operation was aborted due to timeout' };
  return errorOfTransport(call, cause);
}

function refused({ method, path }: Call, verdict: Verdict): KubeError {
  const { code, reason, message, retryAfterSeconds, details } = verdict;
  const text = JSON.stringify({ kind: 'Status', code, reason, message, details });
  const retryAfter = retryAfterSeconds === undefined ? undefined : String(retryAfterSeconds);
  return errorOfAnswer({ method, path, code, text, retryAfter });
}

function answerTo(call: Call, answer: () => object): ReturnType<typeof JSON.parse> {
  try {
    return whole(overTheWire(answer()));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { status } = error;
    const { method, path } = call;
    throw errorOfAnswer({ method, path, code: status.code ?? 0, text: JSON.stringify(status) });
  }
}

interface WatchCall {
  path: string;
  query: Query;
  signal: AbortSignal;
}

interface Bookmark {
  type: 'BOOKMARK';
  object: { metadata: { resourceVersion: string } };
}

type Heard = WatchedEvent | Bookmark | Error;

/** Bookmarks come as often as from a real server. */
const bookmarkMs = 60_000;

/** One connection of a watch: events come in order, each after its own delay. */
class Watch {
  readonly #parts: KubeClientParts;
  readonly #call: WatchCall;
  readonly #heard: Heard[] = [];
  #wake: () => void = () => undefined;
  #close: () => void = () => undefined;
  #lastAt = 0;
  #isOver = false;

  constructor(parts: KubeClientParts, call: WatchCall) {
    this.#parts = parts;
    this.#call = call;
  }

  async *events<T>(): AsyncGenerator<WatchEvent<T>> {
    const { process } = this.#parts;
    const { signal } = this.#call;
    const stop = (): void => this.#wake();
    signal.addEventListener('abort', stop, { once: true });
    process.onEnd(() => this.#close());
    try {
      await this.#opened();
      while (!signal.aborted) {
        for (const event of this.#heard.splice(0)) yield this.#read<T>(event);
        if (this.#isOver) return;
        if (this.#heard.length > 0 || signal.aborted) continue;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.#isOver = true;
      this.#close();
    }
  }

  async #opened(): Promise<void> {
    const { simulation, process, weather, cluster, callTimeoutMs = 10_000 } = this.#parts;
    const { path, query } = this.#call;
    const call: Call = { method: 'GET', path };
    const fate = {
      ...weather.fateOf(process, `WATCH ${path}`, cluster.name),
      againAfterMs: undefined,
    };
    await new Promise<void>((resolve, reject) => {
      const timer = process.after(callTimeoutMs, () => reject(timedOut(call)));
      const opened = journey(simulation, {
        process,
        fate,
        effect: () => {
          if (!cluster.isUp) throw new ConnectionBroken('connect ECONNREFUSED');
          // It arrives after its caller gave up.
          if (this.#isOver) return;
          const refusal = weather.refusalOf(`GET ${path}`, cluster.name);
          if (refusal) throw refused(call, refusal);
          answerTo(call, () => {
            const end = cluster.server.watch(path, query, (event) => this.#tell(event));
            const unhook = weather.onBreak((breaking) => this.#hearBreaking(breaking));
            this.#close = () => {
              end();
              unhook();
            };
            return {};
          });
          this.#bookmarkLater();
        },
      });
      opened
        .then(resolve, (error: unknown) => reject(errorOfTransport(call, error)))
        .finally(() => timer.cancel());
    });
  }

  #hearBreaking(breaking: Breaking): void {
    const { process, cluster } = this.#parts;
    if (breaking.cluster !== cluster.name) return;
    if (breaking.process !== undefined && breaking.process !== process.name) return;
    // The client gave the connection up, and hears nothing more of what was under way on it.
    this.#lastAt = 0;
    this.#later(0, new ConnectionBroken('the watch broke'));
  }

  #tell(event: WatchedEvent | Bookmark): void {
    const { process, weather, cluster } = this.#parts;
    const delayMs = cluster.isUp ? weather.delayOfEvent(process, cluster.name) : undefined;
    if (delayMs === undefined) this.#later(0, new ConnectionBroken('the watch broke'));
    else this.#later(delayMs, event);
  }

  /** Never before what was told earlier. */
  #later(delayMs: number, event: Heard): void {
    const { simulation } = this.#parts;
    this.#lastAt = Math.max(this.#lastAt, simulation.now + delayMs);
    simulation.after(this.#lastAt - simulation.now, () => {
      if (this.#isOver || !this.#parts.process.isAlive) return;
      this.#heard.push(event);
      this.#wake();
    });
  }

  #bookmarkLater(): void {
    const { simulation, process, cluster } = this.#parts;
    simulation.after(bookmarkMs, () => {
      if (this.#isOver || !process.isAlive || this.#call.signal.aborted) return;
      const resourceVersion = String(cluster.server.store.version);
      this.#tell({ type: 'BOOKMARK', object: { metadata: { resourceVersion } } });
      this.#bookmarkLater();
    });
  }

  #read<T>(event: Heard): WatchEvent<T> {
    const call: Call = { method: 'GET', path: this.#call.path };
    if (event instanceof Error) {
      this.#isOver = true;
      throw errorOfTransport(call, event);
    }
    if (event.type !== 'ERROR') return whole(overTheWire(event));
    this.#isOver = true;
    const { code = 500, reason = 'Unknown', message = '' } = event.object;
    throw new KubeError({ code, reason, message, method: 'WATCH', path: call.path });
  }
}
