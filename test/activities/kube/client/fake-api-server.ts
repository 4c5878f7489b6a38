/**
 * An API server of one resource, in this process: list in pages, watch, create, merge patch,
 * delete. Faults are set by the test: an answer instead of the next ones, dropped connections,
 * silence.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { KubeConfig } from '../../../../activities/kube/client/kubeconfig.ts';

export interface Stored {
  metadata: {
    name: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp: string;
    annotations?: Record<string, string>;
  };
  [field: string]: unknown;
}

export interface Fault {
  code: number;
  body?: unknown;
  headers?: Record<string, string>;
}

interface Body {
  metadata?: { name?: string; resourceVersion?: string };
  [field: string]: unknown;
}

export interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Body;
}

export class FakeApiServer {
  readonly requests: Request[] = [];
  /** Answers instead of the server; undefined lets the request through. */
  respond: (request: Request) => Fault | 'reset' | 'hang' | undefined = () => undefined;
  /** Watches from versions below this get 410. */
  forgottenBelow = 0;
  #objects = new Map<string, Stored>();
  readonly #server: Server;
  readonly #watches = new Map<ServerResponse, URLSearchParams>();
  #history: { version: number; name: string; line: string }[] = [];
  #version = 100;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FakeApiServer> {
    const server = createServer();
    const fake = new FakeApiServer(server);
    server.on('request', (request, response) => void fake.#answer(request, response));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return fake;
  }

  get kubeConfig(): KubeConfig {
    const address = this.#server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return {
      cluster: { name: 'fake', server: `http://127.0.0.1:${port}`, skipTLSVerify: false },
      user: { name: 'nobody' },
      namespace: undefined,
      source: 'test',
    };
  }

  get version(): string {
    return String(this.#version);
  }

  get watchCount(): number {
    return this.#watches.size;
  }

  object(name: string): Stored | undefined {
    return this.#objects.get(name);
  }

  put(name: string, fields: Body = {}, uid = `uid-${name}`): Stored {
    const isNew = this.#objects.get(name)?.metadata.uid !== uid;
    const creationTimestamp = '2026-01-01T00:00:00Z';
    const metadata = { ...fields.metadata, name, uid, creationTimestamp };
    const object = { ...fields, metadata: { ...metadata, resourceVersion: this.#next() } };
    this.#objects.set(name, object);
    this.#tell(isNew ? 'ADDED' : 'MODIFIED', object);
    return object;
  }

  remove(name: string): void {
    const object = this.#objects.get(name);
    if (object === undefined) return;
    this.#objects.delete(name);
    const metadata = { ...object.metadata, resourceVersion: this.#next() };
    this.#tell('DELETED', { ...object, metadata });
  }

  bookmark(): void {
    this.#tell('BOOKMARK', { metadata: { resourceVersion: this.#next() } });
  }

  /** Sends to all watches as it is. */
  raw(text: string | Uint8Array): void {
    for (const watch of this.#watches.keys()) watch.write(text);
  }

  /**
   * Takes a backup of the database; the function that it returns restores it, and breaks all
   * watches.
   */
  backup(): () => void {
    const [version, objects, history] = [this.#version, [...this.#objects], [...this.#history]];
    return () => {
      this.#version = version;
      this.#objects = new Map(objects);
      this.#history = [...history];
      this.endWatches('destroy');
    };
  }

  /** Ends all watches in the orderly way, or breaks their connections. */
  endWatches(how: 'end' | 'destroy'): void {
    for (const watch of this.#watches.keys()) watch[how]();
    this.#watches.clear();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }

  #tell(type: string, object: { metadata: { name?: string; resourceVersion: string } }): void {
    const line = `${JSON.stringify({ type, object })}\n`;
    const { name = '' } = object.metadata;
    this.#history.push({ version: this.#version, name, line });
    for (const [watch, query] of this.#watches) {
      // A watch from a version that is still to come hears nothing before it, as in a real server.
      const from = Number(query.get('resourceVersion') ?? 0);
      if (selects(query, name) && this.#version > from) watch.write(line);
    }
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await requestOf(incoming);
    this.requests.push(request);
    const fault = this.respond(request);
    if (fault === 'hang') return;
    if (fault === 'reset') incoming.socket.destroy();
    else if (fault !== undefined) send(response, fault);
    else if (request.query.get('watch') === 'true') this.#watch(request, response);
    else send(response, this.#handle(request));
  }

  #handle(request: Request): Fault {
    const name = nameOf(request.path);
    if (request.method === 'POST') return this.#create(request);
    if (name === undefined) return { code: 200, body: this.#page(request.query) };
    const object = this.#objects.get(name);
    if (object === undefined) return status(404, 'NotFound');
    if (request.method === 'PATCH') return this.#patch(object, request.body);
    if (request.method === 'DELETE') this.remove(name);
    return { code: 200, body: object };
  }

  #create({ body }: Request): Fault {
    const name = body.metadata?.name ?? 'nameless';
    if (this.#objects.has(name)) return status(409, 'AlreadyExists');
    return { code: 201, body: this.put(name, body) };
  }

  #patch(object: Stored, body: Body): Fault {
    const wanted = body.metadata?.resourceVersion;
    const { name, uid, resourceVersion } = object.metadata;
    if (wanted !== undefined && wanted !== resourceVersion) return status(409, 'Conflict');
    return { code: 200, body: this.put(name, merge(object, body), uid) };
  }

  #page(query: URLSearchParams): object {
    const limit = Number(query.get('limit') ?? 500);
    const start = Number(query.get('continue') ?? 0);
    const all = [...this.#objects.values()].filter(({ metadata }) => selects(query, metadata.name));
    const items = all.slice(start, start + limit);
    const rest = start + limit < all.length ? { continue: String(start + limit) } : {};
    return { metadata: { resourceVersion: this.version, ...rest }, items };
  }

  #watch({ query }: Request, response: ServerResponse): void {
    const from = Number(query.get('resourceVersion') ?? 0);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (from < this.forgottenBelow) {
      const { body } = status(410, 'Expired');
      response.end(`${JSON.stringify({ type: 'ERROR', object: body })}\n`);
      return;
    }
    for (const { version, name, line } of this.#history) {
      if (version > from && selects(query, name)) response.write(line);
    }
    this.#watches.set(response, query);
    response.on('close', () => this.#watches.delete(response));
  }
}

/** The only field selector that is known names one object; bookmarks have no name. */
function selects(query: URLSearchParams, name: string): boolean {
  const selector = query.get('fieldSelector');
  return name === '' || selector === null || selector === `metadata.name=${name}`;
}

export const status = (code: number, reason: string, details = {}): Fault => ({
  code,
  body: { kind: 'Status', code, reason, message: `${reason} it is`, details },
});

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const url = new URL(incoming.url ?? '/', 'http://fake');
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  const body: Body = text === '' ? {} : JSON.parse(text);
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body,
  };
}

function send(response: ServerResponse, { code, body = {}, headers = {} }: Fault): void {
  response.writeHead(code, headers);
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Names of collections are plural, those of objects in these tests are not. */
function nameOf(path: string): string | undefined {
  const last = path.split('/').at(-1) ?? '';
  return ['things', 'leases', 'configmaps'].includes(last) ? undefined : last;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A merge patch. */
function merge(target: object, patch: object): Body {
  const merged = new Map<string, unknown>(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const held = merged.get(key);
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? merge(isObject(held) ? held : {}, value) : value);
  }
  return Object.fromEntries(merged);
}
