/** Certificates of a cloud with an authority of its own, and of one that asks for ours. */
import { createServer, type ServerOptions } from 'node:https';
import { request as httpRequest } from 'node:http';
import { TLSSocket } from 'node:tls';
import { listening } from '../../../support/listening.ts';
import { startOpenStackDouble, type OpenStackDouble } from '../../../doubles/openstack/double.ts';
import { selfSigned, type SelfSigned } from '../../../support/self-signed.ts';
import { failureOf } from '../failure-of.ts';
import { aDriverFor, aSecret, openStackRequest } from './openstack-world.ts';

let double: OpenStackDouble;
let cloud: SelfSigned;
let client: SelfSigned;
beforeAll(async () => {
  double = await startOpenStackDouble();
  cloud = await selfSigned({ name: 'localhost', hosts: ['localhost'] });
  client = await selfSigned({ name: 'worker', isAuthority: true });
});
afterAll(() => double[Symbol.asyncDispose]());

interface Front extends AsyncDisposable {
  url: string;
  /** Of the certificates that it was shown. */
  names: unknown[];
}

async function startFront(options: ServerOptions = {}): Promise<Front> {
  const names: unknown[] = [];
  const own = { key: cloud.key, cert: cloud.certificate, ...options };
  const server = createServer(own, (request, response) => {
    const { socket } = request;
    if (socket instanceof TLSSocket) names.push(socket.getPeerCertificate().subject?.CN);
    const { method, headers, url: path } = request;
    const forward = httpRequest(new URL(path ?? '/', double.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forward);
  });
  const open = await listening(server);
  return { ...open, url: `https://localhost:${open.port}`, names };
}

const described = (front: Front, more: Record<string, string>): Promise<unknown> =>
  aDriverFor(front.url).describeInstance(
    openStackRequest('secure', { secret: { ...aSecret, ...more } }),
  );

test('caCert is what the cloud is checked against, in Keystone and behind it', async () => {
  await using front = await startFront();
  expect(await described(front, { caCert: cloud.certificate })).toBeUndefined();
  expect(front.names.length).toBeGreaterThan(1);
});

test('without it the cloud is refused, unless the Secret says insecure', async () => {
  await using front = await startFront();
  expect(await failureOf(described(front, {}))).toMatchObject({ code: 'Unavailable' });
  expect(await described(front, { insecure: 'true' })).toBeUndefined();
});

test('a client certificate goes to all services', async () => {
  await using front = await startFront({
    requestCert: true,
    rejectUnauthorized: true,
    ca: client.certificate,
  });
  const trusted = { caCert: cloud.certificate };
  expect(await failureOf(described(front, trusted))).toMatchObject({ settled: false });
  const own = { clientCert: client.certificate, clientKey: client.key };
  expect(await described(front, { ...trusted, ...own })).toBeUndefined();
  expect(new Set(front.names)).toEqual(new Set(['worker']));
});
