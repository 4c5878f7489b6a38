/**
 * The driver in a process of its own: when it loads the SDK, and whether it goes through the proxy
 * of the environment.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startGcpDouble } from '../../../doubles/gcp/double.ts';
import type { GcpDouble } from '../../../doubles/gcp/double.ts';
import { startProxy, startTlsFront, type Proxy, type TlsFront } from '../../../support/fronts.ts';
import { aSecret, aSpec, doubleRules, project, zone } from './gcp-world.ts';

const names = ['compute.googleapis.com', 'oauth2.googleapis.com'];

let double: GcpDouble;
let front: TlsFront;
let proxy: Proxy;
let folder: string;
beforeAll(async () => {
  double = await startGcpDouble(doubleRules);
  front = await startTlsFront(names, double.url);
  proxy = await startProxy();
  proxy.openTunnels(front.port);
  folder = await mkdtemp(join(tmpdir(), 'gcp-process-'));
  await writeFile(join(folder, 'ca.pem'), front.certificate);
});
afterAll(async () => {
  await proxy.close();
  await front.close();
  await double.close();
  await rm(folder, { recursive: true });
});

test('prepare loads the SDK; requests for tokens and machines go through HTTPS_PROXY', async () => {
  const script = fileURLToPath(new URL('driver-process.ts', import.meta.url));
  const input = JSON.stringify({ providerSpec: aSpec, secret: aSecret });
  const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
  const { stdout } = await promisify(execFile)(process.execPath, [script, input], { env });
  const { loaded, made }: { loaded: number[]; made: string } = JSON.parse(stdout);
  expect(made).toBe(`gce:///${project}/${zone}/from-a-process`);
  expect(new Set(proxy.requests)).toEqual(new Set(names.map((name) => `CONNECT ${name}:443`)));
  const [created, prepared, called] = loaded;
  expect(created).toBe(0);
  expect(prepared).toBeGreaterThan(0);
  expect(called).toBe(prepared);
  expect(double.calls.map(({ operation }) => operation).slice(0, 3)).toEqual([
    'token',
    'get',
    'insert',
  ]);
});
