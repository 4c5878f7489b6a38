/** Acme on the wire: a list of servers, and one for each key. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening, type Listening } from '../../support/listening.ts';

interface AcmeServer {
  id: string;
  name: string;
  status: 'booting' | 'up' | 'ending' | 'broken';
  labels: Record<string, string>;
}

interface Call {
  method: string;
  url: URL;
  token: string;
  body: { name: string; idempotencyKey: string; labels: Record<string, string> };
}

interface Answer {
  status: number;
  body: object;
}

export const acmeToken = 'hunter2';

export class Acme implements AsyncDisposable {
  readonly servers = new Map<string, AcmeServer>();
  /** Names of all that were ever made. */
  readonly made: string[] = [];
  readonly #byKey = new Map<string, AcmeServer>();
  readonly #http = createServer((request, response) => void this.#respond(request, response));
  #open: Listening | undefined;
  url = '';

  /** Of the name. */
  living(name: string): AcmeServer[] {
    return [...this.servers.values()].filter((server) => server.name === name);
  }

  async start(): Promise<this> {
    this.#open = await listening(this.#http);
    this.url = this.#open.url;
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open?.close();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { status, body: answer } = this.#answer({
      method: request.method ?? '',
      url: new URL(request.url ?? '', 'http://acme'),
      token: request.headers.authorization ?? '',
      body: body === '' ? {} : JSON.parse(body),
    });
    response.writeHead(status, { 'x-request-id': `acme-${this.made.length}` });
    response.end(JSON.stringify(answer));
  }

  #answer({ method, url, token, body }: Call): Answer {
    if (token !== `Bearer ${acmeToken}`) return refused(401, 'bad_token');
    if (method === 'POST') return this.#make(body);
    const id = url.pathname.slice('/servers/'.length);
    if (id === '') return { status: 200, body: { servers: this.#list(url.searchParams) } };
    const server = this.servers.get(id);
    if (!server) return refused(404, 'not_found');
    if (method === 'DELETE') server.status = 'ending';
    const seen = { ...server };
    // What is on its way is there with the next look.
    if (method === 'GET' && server.status === 'booting') server.status = 'up';
    if (method === 'GET' && server.status === 'ending') this.servers.delete(id);
    return { status: 200, body: { servers: [seen] } };
  }

  #list(query: URLSearchParams): AcmeServer[] {
    return [...this.servers.values()].filter(({ name, labels }) =>
      [...query].every(([key, value]) => (key === 'name' ? name : labels[key]) === value),
    );
  }

  #make({ name, idempotencyKey, labels }: Call['body']): Answer {
    const known = this.#byKey.get(idempotencyKey);
    if (known && !this.servers.has(known.id)) return refused(409, 'key_spent');
    if (known) return { status: 200, body: { servers: [known] } };
    const server: AcmeServer = { id: `s-${this.made.length}`, name, status: 'booting', labels };
    this.made.push(name);
    this.#byKey.set(idempotencyKey, server);
    this.servers.set(server.id, server);
    return { status: 201, body: { servers: [server] } };
  }
}

const refused = (status: number, code: string): Answer => ({
  status,
  body: { code, message: 'no' },
});
