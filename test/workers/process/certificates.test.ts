import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import {
  certificateEndsIn,
  registerCertificateMetric,
} from '../../../workers/process/rotated-files.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { selfSigned } from '../../support/self-signed.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'certificates-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function certificateUntil(until: string, isAuthority = false): Promise<string> {
  return (await selfSigned({ name: 'temporal', until, isAuthority })).certificate;
}

function put(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const system = new HandSystem();

async function linesFor(files: string[], registry = new Registry()): Promise<string[]> {
  registerCertificateMetric(registry, certificateEndsIn(files));
  return samplesOf(await system.run(() => registry.metrics()));
}

const samplesOf = (text: string): string[] =>
  text.split('\n').filter((line) => line.startsWith('millwright_certificate'));

const lineOf = (file: string, end: string): string =>
  `millwright_certificate_expiry_timestamp_seconds{file="${file}"} ${Date.parse(end) / 1_000}`;

test('of a file with several certificates the first end counts', async () => {
  const [soon, late] = [await certificateUntil('2026-03-01'), await certificateUntil('2027-01-01')];
  const bundle = put('chain.pem', `${late}\n${soon}\n`);
  const one = put('tls.crt', late);
  expect(await linesFor([bundle, one])).toEqual([
    lineOf(bundle, '2026-03-01'),
    lineOf(one, '2027-01-01'),
  ]);
});

test('authorities serve until the last one ends, and a client as long as its own certificate', async () => {
  const replaced = await certificateUntil('2026-03-01', true);
  const newer = await certificateUntil('2027-01-01', true);
  const bundle = put('ca.pem', `${replaced}\n${newer}\n`);
  const chain = put('tls.crt', `${await certificateUntil('2026-04-01')}\n${newer}\n`);
  expect(await linesFor([bundle, chain])).toEqual([
    lineOf(bundle, '2027-01-01'),
    lineOf(chain, '2026-04-01'),
  ]);
});

async function encoded(end: string): Promise<string> {
  return Buffer.from(await certificateUntil(end)).toString('base64');
}

test('a kubeconfig has its certificates in base64', async () => {
  const file = put(
    'kubeconfig',
    [
      'clusters:',
      `- cluster: {certificate-authority-data: ${await encoded('2027-01-01')}, server: s}`,
      'users:',
      '- user:',
      `    client-certificate-data: "${await encoded('2026-02-01')}"`,
    ].join('\n'),
  );
  expect(await linesFor([file])).toEqual([lineOf(file, '2026-02-01')]);
});

test('a kubeconfig may be JSON', async () => {
  const user = { 'client-certificate-data': await encoded('2026-02-01') };
  const file = put('kubeconfig', JSON.stringify({ users: [{ name: 'u', user }] }));
  expect(await linesFor([file])).toEqual([lineOf(file, '2026-02-01')]);
});

test('files without a certificate, and files that are gone, have no series', async () => {
  const key = put('key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n');
  const damaged = put('damaged', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  expect(await linesFor([key, damaged, join(folder, 'gone')])).toEqual([]);
});

test('a renewed certificate counts within a minute', async () => {
  const file = put('tls.crt', await certificateUntil('2026-03-01'));
  const registry = new Registry();
  const handSystem = new HandSystem();
  const read = async () => samplesOf(await handSystem.run(() => registry.metrics()));
  registerCertificateMetric(registry, certificateEndsIn([file]));
  expect(await read()).toEqual([lineOf(file, '2026-03-01')]);
  put('tls.crt', await certificateUntil('2026-06-01'));
  await handSystem.run(() => handSystem.to(61_000));
  expect(await read()).toEqual([lineOf(file, '2026-06-01')]);
});
