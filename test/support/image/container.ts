/**
 * Starts a process of an image as a container engine would, as far as Linux lets it without one: it
 * sees the folder of the image and nothing else of this machine, cannot write to it, and is the
 * image's user. Without root it runs as the user of the tests.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Image } from './image.ts';

export interface ContainerOptions {
  /** The entrance and its flags; default what the image says. */
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** A folder of this machine that it sees as `/mnt`; default none. */
  mounted?: string;
  /** The image can be written to: only while it is built. */
  isWritable?: boolean;
  /** Where its output goes: a file that is open; default a pipe. */
  log?: number;
}

export const isRoot = process.getuid?.() === 0;
/** As in most images: none is set in ours. */
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** It must not outlive a test run that was killed by more. */
const longestLifeSeconds = 1_200;

/** Its own mounts, which end with it; then the image's root, folder and user. */
const script = `
root=$1 mounted=$2 access=$3; shift 3
mount --bind "$root" "$root"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
if [ -n "$mounted" ]; then mount --bind "$mounted" "$root/mnt"; fi
if [ "$access" = ro ]; then mount -o remount,bind,ro "$root"; fi
exec unshare --root="$root" "$@"
`;

export function startContainer(image: Image, options: ContainerOptions = {}): ChildProcess {
  const { args = image.cmd, env = {}, mounted = '', isWritable = false, log } = options;
  return spawn(
    'timeout',
    [
      `--kill-after=1`,
      String(longestLifeSeconds),
      'unshare',
      '--mount',
      ...(isRoot ? [] : ['--user', '--map-root-user']),
      'sh',
      '-euc',
      script,
      'sh',
      image.root,
      mounted,
      isWritable ? 'rw' : 'ro',
      `--wd=${image.workdir}`,
      ...userOf(image),
      ...image.entrypoint,
      ...args,
    ],
    {
      stdio: ['ignore', log ?? 'pipe', log ?? 'pipe'],
      env: { PATH: path, ...image.env, ...env },
    },
  );
}

function userOf({ user }: Image): string[] {
  if (!isRoot || user === undefined) return [];
  return [`--setgid=${user.gid}`, `--setuid=${user.uid}`];
}
