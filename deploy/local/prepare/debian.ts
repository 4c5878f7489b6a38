/**
 * What tests take from Debian: packages, unpacked in the cache and not installed, and the root file
 * system of a machine.
 */
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, makingEntries, notPrepared } from '../binaries/cache.ts';
import { findOnPath, runProgram } from '../binaries/program.ts';

/** A package of this machine's Debian or Ubuntu, or the root file system that is made of those. */
export type DebianName = 'cloud-init' | 'ignition' | 'debian-root';
export const debianNames: readonly DebianName[] = ['cloud-init', 'ignition', 'debian-root'];

/** Debian 13 with what a machine of the profile `debian-13` has, or would install from a mirror. */
const root = {
  suite: 'trixie',
  packages: [
    'ca-certificates',
    'cloud-init',
    'conntrack',
    'containernetworking-plugins',
    'curl',
    'ethtool',
    'iproute2',
    'iptables',
    'kmod',
    'runc',
    'socat',
    'systemd-sysv',
  ],
};

export const isDebianName = (name: string): name is DebianName =>
  debianNames.some((known) => known === name);

/** The folder with its files. Rejects with what to run, or why this machine cannot have it. */
export async function preparedDebian(name: DebianName): Promise<string> {
  const reason = await reasonAgainst(name);
  if (reason !== undefined) throw new Error(`${name} ${reason}`);
  const { folder } = await placeOf(name);
  if (!(await isThere(folder))) throw notPrepared(name);
  return folder;
}

/** True as well where this machine cannot have it: there is nothing to do. */
export async function isDebianPrepared(name: DebianName): Promise<boolean> {
  if ((await reasonAgainst(name)) !== undefined) return true;
  return await isThere((await placeOf(name)).folder);
}

export async function makeDebian(name: DebianName, report: (line: string) => void): Promise<void> {
  const { cacheDir, folder } = await placeOf(name);
  await makingEntries(`debian-${name}`, { cacheDir, report }, async (partial) => {
    // Another may have been quicker while this one waited for the lock.
    if (await isThere(folder)) return;
    if (name === 'debian-root') await makeRoot(partial, report);
    else await unpack(name, partial);
    await rename(join(partial, name), folder);
  });
}

/** As any user: apt-get checks the signature of what it downloads. */
async function unpack(name: string, folder: string): Promise<void> {
  const options = { cwd: folder, limitMs: 0, endsWithUs: true };
  await runProgram('apt-get', ['download', '--quiet', name], options);
  const file = (await readdir(folder)).find((entry) => entry.startsWith(`${name}_`)) ?? name;
  await mkdir(join(folder, name));
  await runProgram('dpkg-deb', ['--extract', file, name], options);
  await rm(join(folder, file));
}

async function makeRoot(folder: string, report: (line: string) => void): Promise<void> {
  await unpack('mmdebstrap', folder);
  report(`making it of the packages of ${root.suite} (takes 2 min)`);
  const kind = ['--mode=root', '--variant=apt', `--include=${root.packages.join(',')}`];
  const target = join(folder, 'debian-root');
  const program = join(folder, 'mmdebstrap/usr/bin/mmdebstrap');
  const options = { limitMs: 0, endsWithUs: true };
  await runProgram('perl', [program, '--quiet', ...kind, root.suite, target], options);
}

async function reasonAgainst(name: DebianName): Promise<string | undefined> {
  const tools = ['apt-get', 'dpkg-deb', ...(name === 'debian-root' ? ['perl'] : [])];
  for (const tool of tools) {
    if ((await findOnPath(tool, process.env['PATH'] ?? '')) === undefined) {
      return `is taken from Debian's packages, and this machine has no ${tool}: run it on Debian or Ubuntu`;
    }
  }
  const isRoot = process.getuid?.() === 0;
  return name === 'debian-root' && !isRoot ? 'is made and run by root: run it as root' : undefined;
}

/** One for each release of this machine's system, and of the packages of a root. */
async function placeOf(name: DebianName): Promise<{ cacheDir: string; folder: string }> {
  const hash = createHash('sha256');
  if (name === 'debian-root') hash.update(JSON.stringify(root));
  else hash.update(await readFile('/etc/os-release').catch(() => ''));
  const cacheDir = cacheFolder(process.env);
  return { cacheDir, folder: join(cacheDir, `debian-${name}-${hash.digest('hex').slice(0, 16)}`) };
}

async function isThere(folder: string): Promise<boolean> {
  return await access(folder).then(
    () => true,
    () => false,
  );
}
