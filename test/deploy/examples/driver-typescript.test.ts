/** The example of docs/writing-a-driver.md does what it says, on a double of its cloud. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createAcmeDriver } from '../../../deploy/examples/driver-typescript/driver.ts';
import { complaintsOf, findingsOf } from '../../support/in-process-kit.ts';

interface AcmeServer {
  id: string;
  name: string;
  labels: Record<string, string>;
}

interface Call {
  method: string;
  url: URL;
  token: string;
  body: { name: string; idempotencyKey: string; labels: Record<string, string> };
}

/** Acme: a list of servers, and one for each key. */
class Acme {
  readonly servers = new Map<string, AcmeServer>();
  readonly #byKey = new Map<string, AcmeServer>();

  answer({ method, url, token, body }: Call): { status: number; body: object } {
    if (token !== 'Bearer hunter2') return refused(401, 'bad_token');
    if (method === 'POST') return { status: 201, body: { server: this.#make(body) } };
    if (method === 'DELETE') {
      this.servers.delete(url.pathname.slice('/servers/'.length));
      return { status: 200, body: {} };
    }
    const wanted = [...url.searchParams];
    const servers = [...this.servers.values()].filter(({ labels }) =>
      wanted.every(([key, value]) => labels[key] === value),
    );
    return { status: 200, body: { servers } };
  }

  #make({ name, idempotencyKey, labels }: Call['body']): AcmeServer {
    const known = this.#byKey.get(idempotencyKey);
    if (known && this.servers.has(known.id)) return known;
    const server = { id: `s-${this.#byKey.size + 1}-${this.servers.size}`, name, labels };
    this.#byKey.set(idempotencyKey, server);
    this.servers.set(server.id, server);
    return server;
  }
}

const refused = (status: number, code: string) => ({ status, body: { code, message: 'no' } });

let acme: Acme;
let http: Server;
let url: string;

beforeEach(async () => {
  acme = new Acme();
  http = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const address = http.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const answer = acme.answer({
    method: request.method ?? '',
    url: new URL(request.url ?? '', 'http://acme'),
    token: request.headers.authorization ?? '',
    body: body === '' ? {} : JSON.parse(body),
  });
  response.writeHead(answer.status).end(JSON.stringify(answer.body));
}

afterEach(() => {
  http.closeAllConnections();
  http.close();
});

const subject = { provider: 'acme', providerSpec: { plan: 's' }, badSpecs: [{ plan: 'xl' }] };

test('the kit passes, and nothing is left', async () => {
  const driver = createAcmeDriver({ url });
  const secret = { token: 'hunter2' };
  expect(await complaintsOf({ ...subject, driver, secret })).toEqual([]);
  expect([...acme.servers]).toEqual([]);
});

test('a wrong password is Unauthenticated, without the password', async () => {
  const driver = createAcmeDriver({ url });
  const findings = await findingsOf({ ...subject, driver, secret: { token: 'mallory-1' } });
  const creates = findings.find(({ check }) => check.startsWith('creates an instance'));
  expect(creates?.came).toContain('"code":"Unauthenticated"');
  expect(JSON.stringify(findings)).not.toContain('mallory-1');
});
