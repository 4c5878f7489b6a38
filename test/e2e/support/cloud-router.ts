/**
 * One address for several virtual clouds: a fleet has one driver, and each cloud makes its Nodes in
 * one target cluster.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { host } from '../../../deploy/local/supervision/ports.ts';

export interface RoutedCloud {
  address: string;
  /** Whether a machine of this name is to join its cluster. */
  isFor(name: string): boolean;
}

interface Answer {
  status: number;
  text: string;
}

export class CloudRouter {
  readonly #clouds: readonly RoutedCloud[];
  readonly #server: Server;

  constructor(clouds: readonly RoutedCloud[]) {
    this.#clouds = clouds;
    this.#server = createServer((request, response) => void this.#respond(request, response));
  }

  /** Resolves with the address to give to the driver. */
  async start(): Promise<string> {
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the router has no port');
    return `http://${host}:${address.port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await textOf(request);
      const { status, text } = await this.#answerTo(request, body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    } catch {
      request.destroy();
    }
  }

  async #answerTo({ method = 'GET', url = '' }: IncomingMessage, body: string): Promise<Answer> {
    const ask = (cloud: RoutedCloud): Promise<Answer> => forward(cloud, { method, url, body });
    if (method === 'POST' && url === '/instances') return await ask(this.#cloudOf(body));
    const answers = await Promise.all(this.#clouds.map(ask));
    if (url.startsWith('/instances?')) return listed(answers);
    // The instance is in one of them, or each says in its own words that it has none.
    const found = answers.find(({ status }) => status !== 404) ?? answers[0];
    if (!found) throw new Error('there is no cloud');
    return found;
  }

  #cloudOf(body: string): RoutedCloud {
    const { name }: { name: string } = JSON.parse(body);
    const cloud = this.#clouds.find(({ isFor }) => isFor(name));
    if (!cloud) throw new Error(`no cloud is for ${name}`);
    return cloud;
  }
}

async function forward(
  { address }: RoutedCloud,
  { method, url, body }: { method: string; url: string; body: string },
): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const init = body === '' ? { method } : { method, headers, body };
  const answer = await fetch(`${address}${url}`, init);
  return { status: answer.status, text: await answer.text() };
}

function listed(answers: readonly Answer[]): Answer {
  const failed = answers.find(({ status }) => status !== 200);
  if (failed) return failed;
  const instances = answers.flatMap(({ text }) => {
    const found: { instances: unknown[] } = JSON.parse(text);
    return found.instances;
  });
  return { status: 200, text: JSON.stringify({ instances }) };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
