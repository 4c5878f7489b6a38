/**
 * An HTTP relay of a test: it stands in front of a server and lets somebody look at, hold or cut
 * each request.
 */
import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import {
  Agent as HttpsAgent,
  createServer as createTlsServer,
  request as httpsRequest,
} from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { Tls } from '../../../kube/client/credentials.ts';
import { host } from '../../../deploy/local/supervision/ports.ts';

export interface RelayedRequest {
  method: string;
  /** Path and query of the request; its origin is the server's. */
  url: URL;
  body: string;
}

/** The server behind, and what it wants to see of who asks. */
export interface Upstream {
  origin: string;
  headers?: Record<string, string>;
  tls?: Tls;
}

export interface ServerTls {
  cert: string;
  key: string;
}

/**
 * Called for each request. `forward` sends it on and resolves with the head of the answer. Returns
 * the answer for the client, or undefined: then the client's connection is cut.
 */
export type Gate = (
  request: RelayedRequest,
  forward: () => Promise<IncomingMessage>,
) => Promise<IncomingMessage | undefined>;

/** Of one connection, not of the message. Lengths are set anew. */
const hopHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

/**
 * Speaks plain HTTP to its clients, or TLS where it is given a certificate, on a port of its own.
 * Answers that never end stream through.
 */
export class Relay {
  readonly #upstream: Upstream;
  readonly #gate: Gate;
  readonly #agent: Agent;
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';

  constructor(upstream: Upstream, gate: Gate, serverTls?: ServerTls) {
    this.#upstream = upstream;
    this.#gate = gate;
    this.#scheme = serverTls ? 'https' : 'http';
    this.#agent = upstream.tls
      ? new HttpsAgent({ keepAlive: true, ...upstream.tls })
      : new Agent({ keepAlive: true });
    // A connection that the server closes while a request is on its way would look like a fault of
    // the upstream.
    const limits = { keepAliveTimeout: 0, requestTimeout: 0 };
    const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      void this.#relay(incoming, outgoing);
    };
    this.#server = serverTls
      ? createTlsServer({ ...limits, ...serverTls }, listener)
      : createServer(limits, listener);
  }

  /** Resolves with the address to give to clients. */
  async start(): Promise<string> {
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the relay has no port');
    return `${this.#scheme}://${host}:${address.port}`;
  }

  /** Cuts all connections of clients, with what they sent and nobody read yet. */
  cutAll(): void {
    this.#server.closeAllConnections();
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cutAll();
    await closed;
    this.#agent.destroy();
  }

  /** Whatever fails on the way looks to the client as a broken connection. */
  async #relay(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const { method = 'GET', url = '/' } = incoming;
      const request = {
        method,
        url: new URL(url, this.#upstream.origin),
        body: await textOf(incoming),
      };
      const answer = await this.#gate(request, () => this.#forward(request, incoming, outgoing));
      if (answer === undefined) {
        incoming.destroy();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
      // A watch says nothing for a while, and its client waits for the head.
      outgoing.flushHeaders();
      await pipeline(answer, outgoing);
    } catch {
      incoming.destroy();
    }
  }

  async #forward(
    { method, url, body }: RelayedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<IncomingMessage> {
    const send = this.#upstream.tls ? httpsRequest : httpRequest;
    const { host: _host, ...headers } = withoutHops(incoming.headers);
    const request = send(url, {
      method,
      agent: this.#agent,
      headers: {
        ...headers,
        ...this.#upstream.headers,
        ...(body !== '' && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    // What breaks before the answer comes out of `once`, what breaks later out of the answer.
    request.on('error', () => {});
    // The client is gone: nobody waits for the answer.
    outgoing.once('close', () => request.destroy());
    const answered = once(request, 'response');
    request.end(body);
    const [answer]: IncomingMessage[] = await answered;
    if (answer === undefined) throw new Error(`${method} ${url.pathname}: no answer`);
    return answer;
  }
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function withoutHops(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopHeaders.has(name)));
}
