import { mkdtempSync, rmSync, symlinkSync, writeFileSync, renameSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../../../workers/config/config.ts';
import { endWhenRotated, faultOfStart } from '../../../workers/process/rotated-files.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { logLines } from '../log/log-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'rotated-files-'));
const secret = join(folder, 'secret');
afterEach(() => rmSync(secret, { recursive: true, force: true }));

/** As a kubelet does it: the files are links through a link, which is replaced. */
function write(content: string): string {
  const data = join(secret, `data-${content}`);
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, 'tls.crt'), content);
  symlinkSync(data, join(secret, '..data-next'));
  renameSync(join(secret, '..data-next'), join(secret, '..data'));
  const file = join(secret, 'tls.crt');
  rmSync(file, { force: true });
  symlinkSync(join(secret, '..data', 'tls.crt'), file);
  return file;
}

type Read = Parameters<typeof endWhenRotated>[0]['config'];

const temporal = { address: 't:7233', namespace: 'n', connection: { address: 't:7233' } };
const inCluster = { kind: 'inCluster' } as const;

interface Now {
  /** Why no process could start with the files as they are. */
  fault?: string | undefined;
}

function watched(files: readonly string[], clusters: Partial<Read> = {}, now: Now = {}) {
  const system = new HandSystem();
  const controller = new AbortController();
  const reasons: string[] = [];
  const shutdown = {
    signal: controller.signal,
    begin(reason: string) {
      reasons.push(reason);
      controller.abort();
    },
  };
  const ofTemporal = { ...temporal, files };
  const config: Read = { control: inCluster, target: 'none', ...clusters, temporal: ofTemporal };
  const { log, lines } = logLines();
  const whyUnusable = (): string | undefined => now.fault;
  system.run(() => endWhenRotated({ config, log, shutdown, whyUnusable }));
  return {
    to: (milliseconds: number) => system.run(() => system.to(milliseconds)),
    reasons,
    lines,
  };
}

test('a process ends once, within a minute, when a file that it has read is replaced', async () => {
  const file = write('old');
  const { to, reasons } = watched([file]);
  await to(600_000);
  expect(reasons).toEqual([]);
  write('new');
  await to(610_000);
  expect(reasons).toEqual([]);
  await to(671_000);
  expect(reasons).toEqual([`${file} has changed: it is read at the start`]);
});

test('a kubeconfig is such a file as well: its token and its certificates are read once', async () => {
  const path = write('old');
  const { to, reasons } = watched([], { target: { kind: 'file', path } });
  write('new');
  await to(71_000);
  expect(reasons).toEqual([`${path} has changed: it is read at the start`]);
});

test('a file that cannot be read for a while is no change', async () => {
  const file = write('same');
  const { to, reasons } = watched([file]);
  rmSync(secret, { recursive: true });
  await to(300_000);
  write('same');
  await to(600_000);
  expect(reasons).toEqual([]);
});

test('a process goes on with what it has while none could start with what a file holds now', async () => {
  const now: Now = {};
  const file = write('old');
  const { to, reasons, lines } = watched([file], {}, now);
  now.fault = '--payload-keys: line 2: must be an id';
  write('wrong');
  await to(600_000);
  expect(reasons).toEqual([]);
  expect(lines.filter(({ level }) => level === 50)).toMatchObject([{ file, reason: now.fault }]);
  delete now.fault;
  write('right');
  await to(671_000);
  expect(reasons).toEqual([`${file} has changed: it is read at the start`]);
});

test('whether a process could start shows by reading what it would read', async () => {
  const keys = join(folder, 'keys');
  const kubeconfig = join(folder, 'kubeconfig');
  const argv = [`--payload-keys=${keys}`, `--control-kubeconfig=${kubeconfig}`];
  const env: Record<string, string> = {};
  const why = (): string | undefined =>
    faultOfStart(() => readCommandLine({ component: 'worker', argv, env }));
  const cluster = { name: 'a', cluster: { server: 'https://a.example' } };
  const context = { name: 'a', context: { cluster: 'a', user: 'a' } };
  const named = { clusters: [cluster], contexts: [context], users: [{ name: 'a', user: {} }] };
  writeFileSync(kubeconfig, JSON.stringify({ ...named, 'current-context': 'a' }));
  writeFileSync(keys, `a ${Buffer.alloc(32, 1).toString('base64')}\n`);
  expect(why()).toBeUndefined();
  writeFileSync(keys, 'a AAAA\n');
  expect(why()).toContain('the key a must be 32 bytes');
  writeFileSync(keys, `a ${Buffer.alloc(32, 1).toString('base64')}\n`);
  writeFileSync(kubeconfig, 'nothing');
  expect(why()).toContain(kubeconfig);
  writeFileSync(kubeconfig, JSON.stringify({ ...named, 'current-context': 'a' }));
  const [one, other] = [await selfSigned({ name: 'a' }), await selfSigned({ name: 'a' })];
  env['TEMPORAL_TLS_CLIENT_CERT_DATA'] = one.certificate;
  env['TEMPORAL_TLS_CLIENT_KEY_DATA'] = one.key;
  expect(why()).toBeUndefined();
  env['TEMPORAL_TLS_CLIENT_KEY_DATA'] = other.key;
  expect(why()).toContain('the certificate is of another key');
});
