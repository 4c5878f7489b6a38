import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening } from '../../support/listening.ts';
import { fromRelease } from '../../../deploy/local/binaries/release.ts';
import { SourceUnavailable, type AcquireWorld } from '../../../deploy/local/binaries/source.ts';
import { tools, type Release, type Tool } from '../../../deploy/local/binaries/tools.ts';

/** A release site that serves these files. */
const files = new Map<string, Buffer>();
const site = createServer((request, response) => {
  const body = files.get(request.url ?? '');
  response.writeHead(body === undefined ? 404 : 200);
  response.end(body);
});
const { url: base, close } = await listening(site);
afterAll(close);

const world: AcquireWorld = {
  platform: { os: 'linux', arch: 'amd64' },
  env: {},
  cacheDir: '/nowhere',
  report: () => undefined,
};

function toolFrom(release: Release): Tool {
  return { ...tools.etcd, release: () => release };
}

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

async function download(release: Release): Promise<string> {
  const target = join(mkdtempSync(join(tmpdir(), 'millwright-release-')), 'etcd');
  await fromRelease(toolFrom(release), target, world);
  return readFileSync(target, 'utf8');
}

describe('an official release', () => {
  test('is taken when its checksum is the published one', async () => {
    const content = Buffer.from('the binary');
    files.set('/etcd', content);
    files.set('/etcd.sha256', Buffer.from(digestOf(content)));
    const release = { url: `${base}/etcd`, checksumUrl: `${base}/etcd.sha256` };
    await expect(download(release)).resolves.toBe('the binary');
  });

  test('is unpacked when it is an archive', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millwright-archive-'));
    mkdirSync(join(folder, 'etcd-v3'));
    writeFileSync(join(folder, 'etcd-v3', 'etcd'), 'from the archive');
    execFileSync('tar', ['-czf', join(folder, 'etcd.tar.gz'), '-C', folder, 'etcd-v3']);
    const content = readFileSync(join(folder, 'etcd.tar.gz'));
    files.set('/etcd.tar.gz', content);
    files.set('/SHA256SUMS', Buffer.from(`00  other\n${digestOf(content)}  etcd.tar.gz\n`));
    const release = {
      url: `${base}/etcd.tar.gz`,
      checksumUrl: `${base}/SHA256SUMS`,
      member: 'etcd-v3/etcd',
    };
    await expect(download(release)).resolves.toBe('from the archive');
  });

  test('is refused when its checksum is another', async () => {
    files.set('/changed', Buffer.from('not the binary'));
    files.set('/changed.sha256', Buffer.from(digestOf(Buffer.from('the binary'))));
    const release = { url: `${base}/changed`, checksumUrl: `${base}/changed.sha256` };
    await expect(download(release)).rejects.toThrow(/has SHA-256 .*, not the published/);
  });

  test('an official release that is missing is skipped with the answer of the site', async () => {
    const release = { url: `${base}/missing`, checksumUrl: `${base}/missing.sha256` };
    await expect(download(release)).rejects.toThrow('missing.sha256 answers 404');
  });

  test('an official release that is out of reach is skipped within seconds', async () => {
    const unreachable = 'http://127.0.0.1:1/etcd';
    const release = { url: unreachable, checksumUrl: `${unreachable}.sha256` };
    await expect(download(release)).rejects.toThrow('127.0.0.1:1 is out of reach');
  });

  test('an official release that does not answer is skipped after 10 s', async () => {
    await using silent = await listening(createServer());
    const url = `${silent.url}/etcd`;
    await expect(download({ url, checksumUrl: url })).rejects.toThrow('no answer within 10 s');
  });

  test('an official release whose checksum breaks off leaves the word to the next source', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '64' });
      response.write('00', () => response.destroy());
    });
    await using cut = await listening(server);
    const url = `${cut.url}/etcd`;
    const taken = download({ url, checksumUrl: url });
    await expect(taken).rejects.toThrow(SourceUnavailable);
    await expect(taken).rejects.toThrow(`${url} broke off`);
  });

  test('an archive that cannot be unpacked leaves the word to the next source', async () => {
    const content = Buffer.from('no archive');
    files.set('/no.tar.gz', content);
    files.set('/no.sha256', Buffer.from(digestOf(content)));
    const release = { url: `${base}/no.tar.gz`, checksumUrl: `${base}/no.sha256`, member: 'etcd' };
    const taken = download(release);
    await expect(taken).rejects.toThrow(SourceUnavailable);
    await expect(taken).rejects.toThrow('no.tar.gz cannot be unpacked: tar ended with code');
  });
});
