/**
 * A machine of Debian 13 in namespaces of this one: its systemd, its cloud-init, the user data that
 * it is given. It has no kernel of its own: stand-ins take what would change ours.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { preparedDebian } from '../../../deploy/local/prepare/debian.ts';
import { startGuardian } from '../../../deploy/local/supervision/guardian.ts';
import { eventually } from '../eventually.ts';

/** What they are called with is kept in this file. */
export const standInLog = '/var/log/stand-ins';
const standIns = ['modprobe', 'swapoff', 'sysctl'];

const cloudConfig = `datasource_list: [NoCloud]
network: {config: disabled}
growpart: {mode: 'off'}
resize_rootfs: false
`;

export interface DebianMachine extends AsyncDisposable {
  /** Runs a program in it and returns what it prints. */
  run: (program: string, ...args: readonly string[]) => Promise<string>;
  /** Text of a file on its disk. */
  read: (path: string) => Promise<string>;
}

/** Ends it with all that it started when it is disposed of, or when this process ends. */
export async function bootDebian(userData: string): Promise<DebianMachine> {
  const lower = await preparedDebian('debian-root');
  const folder = await mkdtemp(join(tmpdir(), 'millwright-machine-'));
  const group = join(cgroupFolder(), folder.slice(folder.lastIndexOf('/') + 1));
  await mkdir(group);
  const disk = join(folder, 'disk');
  const put = async (path: string, text: string, mode = 0o644): Promise<void> => {
    await mkdir(dirname(join(disk, path)), { recursive: true });
    await writeFile(join(disk, path), text, { mode });
  };
  await put('etc/cloud/cloud.cfg.d/99-machine.cfg', cloudConfig);
  await put('var/lib/cloud/seed/nocloud/meta-data', 'instance-id: machine\n');
  await put('var/lib/cloud/seed/nocloud/user-data', userData);
  for (const name of standIns) {
    await put(`usr/local/sbin/${name}`, `#!/bin/sh\necho ${name} "$@" >>${standInLog}\n`, 0o755);
  }
  const script = 'echo $$ >"$0/cgroup.procs" && exec unshare "$@"';
  const own = ['--mount', '--pid', '--uts', '--ipc', '--cgroup', '--fork', '--kill-child'];
  const boot = [join(import.meta.dirname, 'boot.sh'), lower, folder];
  const child = spawn('bash', ['-c', script, group, ...own, 'bash', ...boot], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const pid = child.pid ?? 0;
  const guardian = startGuardian(pid);
  return {
    run: async (program, ...args) => {
      const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
      const inside = [`--target=${first}`, '--all', '--root', '--wd=/', program, ...args];
      return await runProgram('nsenter', inside);
    },
    read: async (path) => await readFile(join(disk, path), 'utf8'),
    [Symbol.asyncDispose]: async () => {
      process.kill(-pid, 'SIGKILL');
      guardian.kill('SIGKILL');
      await eventually('its processes are gone', () => removeGroup(group));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function cgroupFolder(): string {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const found = mounts.map((line) => line.split(' ')).find(([, , type]) => type === 'cgroup2');
  if (found?.[1] === undefined) throw new Error('no cgroup2 is mounted: /proc/mounts has none');
  return found[1];
}

/** A group goes once it has neither processes nor groups. */
async function removeGroup(group: string): Promise<void> {
  const entries = await readdir(group, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await removeGroup(join(group, entry.name));
  await rmdir(group);
}
