/** Certificates of a cloud with an authority of its own, and of one that asks for ours. */
import type { ServerOptions } from 'node:https';
import { startTlsFront, type TlsFront } from '../../../support/fronts.ts';
import { startOpenStackDouble, type OpenStackDouble } from '../../../doubles/openstack/double.ts';
import { selfSigned, type SelfSigned } from '../../../support/self-signed.ts';
import { failureOf } from '../failure-of.ts';
import { aDriverFor, aSecret, openStackRequest } from './openstack-world.ts';

let double: OpenStackDouble;
let client: SelfSigned;
beforeAll(async () => {
  double = await startOpenStackDouble();
  client = await selfSigned({ name: 'worker', isAuthority: true });
});
afterAll(() => double[Symbol.asyncDispose]());

const startFront = async (options: ServerOptions = {}): Promise<TlsFront> =>
  await startTlsFront(['localhost'], double.url, options);

const described = (front: TlsFront, more: Record<string, string>): Promise<unknown> =>
  aDriverFor(`https://localhost:${front.port}`).describeInstance(
    openStackRequest('secure', { secret: { ...aSecret, ...more } }),
  );

test('caCert is what the cloud is checked against, in Keystone and behind it', async () => {
  await using front = await startFront();
  expect(await described(front, { caCert: front.certificate })).toBeUndefined();
  expect(front.callers.length).toBeGreaterThan(1);
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
  const trusted = { caCert: front.certificate };
  expect(await failureOf(described(front, trusted))).toMatchObject({ settled: false });
  const own = { clientCert: client.certificate, clientKey: client.key };
  expect(await described(front, { ...trusted, ...own })).toBeUndefined();
  expect(new Set(front.callers)).toEqual(new Set(['worker']));
});
