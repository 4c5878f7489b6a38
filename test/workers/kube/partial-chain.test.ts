/** Who is given the certificate of the issuing CA alone trusts it, as kubectl and `temporal` do. */
import { createServer } from 'node:https';
import { listening } from '../../support/listening.ts';
import { createKubeClient } from '../../../kube/client/http-client.ts';
import { connectTo } from '../../../workers/kube/clients.ts';
import type { Issued } from '../../support/issued.ts';
import { issued } from '../../support/issued.ts';
import { startFakeTemporal } from '../temporal/fake-temporal.ts';

let pki: Issued;
let others: Issued;

beforeAll(async () => {
  [pki, others] = await Promise.all([issued('127.0.0.1'), issued('127.0.0.1')]);
});

const trusted = ['intermediate', 'root'] as const;

/** Answers whatever it is asked. */
async function answerOf(ca: string): Promise<unknown> {
  const server = createServer({ key: pki.key, cert: pki.chain }, (_request, response) => {
    response.end('{"metadata":{"name":"x"}}');
  });
  await using open = await listening(server);
  const caData = Buffer.from(ca).toString('base64');
  const cluster = {
    name: 'c',
    server: `https://127.0.0.1:${open.port}`,
    caData,
    skipTLSVerify: false,
  };
  const kubeConfig = { cluster, user: { name: 'u' }, namespace: undefined, source: 'test' };
  const client = createKubeClient({ kubeConfig, userAgent: 'test' });
  try {
    return await client.get('/api/v1/nodes/x');
  } finally {
    await client.close();
  }
}

test.each(trusted)('an API server, by the certificate of its CA: %s', async (which) => {
  expect(await answerOf(pki[which])).toEqual({ metadata: { name: 'x' } });
});

/** The key that Temporal got. */
async function keySentTo(ca: string): Promise<string | undefined> {
  const server = await startFakeTemporal(() => undefined, { key: pki.key, cert: pki.chain });
  const { address } = server;
  const tls = { serverRootCACertificate: Buffer.from(ca) };
  const settings = { connection: { address, tls, apiKey: 'secret' } };
  try {
    const connection = await connectTo(settings, { connectMs: 5_000 });
    await connection.close();
    return server.headers.at(-1)?.['authorization'];
  } finally {
    await server.close();
  }
}

test.each(trusted)('Temporal, by the certificate of its CA: %s', async (which) => {
  expect(await keySentTo(pki[which])).toBe('Bearer secret');
});

test('those of others are not trusted', async () => {
  await expect(answerOf(others.intermediate)).rejects.toThrow(/certificate/);
  await expect(keySentTo(others.intermediate)).rejects.toThrow(/connect/i);
});
