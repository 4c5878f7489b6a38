import { mkdtempSync, rmSync, symlinkSync, writeFileSync, renameSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endWhenRotated } from '../../../workers/process/rotated-files.ts';
import { HandSystem } from '../../support/hand-system.ts';
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

function watched(files: readonly string[], clusters: Partial<Read> = {}) {
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
  system.run(() => endWhenRotated({ config, log: logLines().log, shutdown }));
  return { to: (milliseconds: number) => system.run(() => system.to(milliseconds)), reasons };
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
