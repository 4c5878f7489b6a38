/**
 * The API server in memory over HTTP, on a port of its own. A test can have it answer something
 * else, drop connections or say nothing.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { KubeObject } from '../../../kube/client/client.ts';
import type { KubeConfig } from '../../../kube/client/kubeconfig.ts';
import { ApiServer } from './api-server.ts';
import type { ApiServerOptions } from './api-server.ts';
import type { Body } from './creation.ts';
import { patchOf, queryOf, requestOf } from './http-request.ts';
import type { Request } from './http-request.ts';
import { overTheWire } from './json.ts';
import { typeServedAt } from './paths.ts';
import { StatusError, badRequest, methodNotAllowed, statusOf } from './status.ts';
import type { Stored } from './store.ts';
import { keptAlive } from '../../../deploy/local/virtual-cloud/http-server.ts';

interface OpenWatch {
  request: Request;
  close(): void;
}

/** An answer that the API server did not think of, e.g. that of a proxy. */
export interface Answer {
  code: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export const status = (...fault: Parameters<typeof statusOf>): Answer => ({
  code: fault[0],
  body: statusOf(...fault),
});

export class HttpApiServer {
  readonly requests: Request[] = [];
  /** That were ever opened. */
  connections = 0;
  /** Answers instead of the server; undefined lets the request through. */
  respond: (request: Request) => Answer | 'reset' | 'hang' | undefined = () => undefined;
  readonly #api: ApiServer;
  readonly #server: Server;
  readonly #watches = new Map<ServerResponse, OpenWatch>();

  private constructor(server: Server, options: ApiServerOptions) {
    this.#server = server;
    this.#api = new ApiServer(options);
  }

  static async start(options: ApiServerOptions = {}): Promise<HttpApiServer> {
    const server = createServer(keptAlive);
    const face = new HttpApiServer(server, options);
    server.on('connection', () => (face.connections += 1));
    server.on('request', (request, response) => void face.#serve(request, response));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return face;
  }

  get kubeConfig(): KubeConfig {
    const address = this.#server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return {
      cluster: { name: 'in-memory', server: `http://127.0.0.1:${port}`, skipTLSVerify: false },
      user: { name: 'nobody' },
      namespace: undefined,
      source: 'test',
    };
  }

  get version(): string {
    return String(this.#api.store.version);
  }

  get watchCount(): number {
    return this.#watches.size;
  }

  /** Undefined when there is none. */
  object(path: string): Stored | undefined {
    return this.#api.has(path) ? overTheWire(this.#api.get(path)) : undefined;
  }

  /** Stores an object as it is, past all rules. */
  put(object: KubeObject): Stored {
    return overTheWire(this.#api.put(object));
  }

  /** Serves a kind whose CRD may be absent, from now on. */
  install(kind: string): void {
    this.#api.install(kind);
  }

  /** Takes an object away, past all rules. */
  remove(path: string): void {
    this.#api.remove(path);
  }

  /** Versions below this are expired, for watches and for pages. */
  forget(below: number): void {
    this.#api.store.forget(below);
  }

  /**
   * Tells the watches that want to know how far the server is, after a write that none of them
   * hears of.
   */
  bookmark(): void {
    this.#api.store.advance();
    const metadata = { resourceVersion: this.version };
    for (const [watch, { request }] of this.#watches) {
      if (request.query.get('allowWatchBookmarks') !== 'true') continue;
      const object = { ...typeServedAt(request.path), metadata };
      watch.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
    }
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
    const restore = this.#api.store.backup();
    return () => {
      restore();
      this.endWatches('destroy');
    };
  }

  /** Ends all watches in the orderly way, or breaks their connections. */
  endWatches(how: 'end' | 'destroy'): void {
    for (const [watch, { close }] of this.#watches) {
      close();
      watch[how]();
    }
    this.#watches.clear();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await requestOf(incoming);
    this.requests.push(request);
    const fault = this.respond(request);
    if (fault === 'hang') return;
    if (fault === 'reset') incoming.socket.destroy();
    else if (fault !== undefined) send(response, fault);
    else this.#answer(request, response);
  }

  #answer(request: Request, response: ServerResponse): void {
    try {
      if (isWatch(request)) this.#watch(request, response);
      else send(response, this.#answerTo(request));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      send(response, { code: error.status.code, body: error.status });
    }
  }

  #answerTo(request: Request): Answer {
    const { method, path, body, isMalformed } = request;
    if (isMalformed) throw badRequest('the body is not JSON');
    if (method === 'GET') return { code: 200, body: this.#api.get(path, queryOf(request)) };
    if (method === 'POST') return { code: 201, body: this.#api.create(path, body) };
    if (method === 'PUT') return this.#updated(path, body);
    if (method === 'DELETE') return { code: 200, body: this.#api.delete(path, body) };
    if (method !== 'PATCH') throw methodNotAllowed();
    return { code: 200, body: this.#api.patch(path, patchOf(request)) };
  }

  /** What is not there may be made by it. */
  #updated(path: string, body: Body): Answer {
    const { version } = this.#api.store;
    const object = this.#api.update(path, body);
    const isNew = this.#api.store.changesSince(version).some(({ before }) => !before);
    return { code: isNew ? 201 : 200, body: object };
  }

  #watch(request: Request, response: ServerResponse): void {
    const lines: string[] = [];
    let write = (line: string): void => void lines.push(line);
    let isOver = false;
    const close = this.#api.watch(request.path, queryOf(request), (event) => {
      write(`${JSON.stringify(event)}\n`);
      isOver ||= event.type === 'ERROR';
    });
    // A refusal has been thrown by now, and has a status code of its own.
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    write = (line) => void response.write(line);
    for (const line of lines) write(line);
    if (isOver) {
      response.end();
      return;
    }
    this.#watches.set(response, { request, close });
    response.on('close', () => {
      close();
      this.#watches.delete(response);
    });
  }
}

/** An object is read also where a watch was asked for. */
function isWatch({ method, query }: Request): boolean {
  return method === 'GET' && ['true', '1'].includes(query.get('watch') ?? '');
}

function send(response: ServerResponse, { code, body = {}, headers = {} }: Answer): void {
  response.writeHead(code, headers);
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
