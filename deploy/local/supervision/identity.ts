import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hasCode } from '../failure.ts';

/** A process that cannot be mistaken for a later one with the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in words of the system; only good for comparing. */
  started: string;
}

/**
 * The identity of the process that has this pid now, or undefined when there is none (or only its
 * zombie).
 */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isAlive({ pid, started }: ProcessIdentity): boolean {
  return identityOf(pid)?.started === started;
}

/** Sends a signal unless the process is gone or its pid belongs to another one by now. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

function startedOnLinux(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the name in parentheses and may hold spaces; the rest counts from behind
  // it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  if (state === 'Z') return undefined;
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${bootId}/${startTicks}`;
}

/**
 * For macOS, which has no /proc. In one language and time zone: another terminal may have others, a
 * laptop that travels too, and a stack that runs would pass for one that is gone.
 */
export function startedByPs(pid: number): string | undefined {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  try {
    const args = ['-o', 'lstart=', '-p', String(pid)];
    return execFileSync('ps', args, { encoding: 'utf8', env }).trim();
  } catch {
    return undefined;
  }
}
