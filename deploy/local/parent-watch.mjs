/**
 * Ends this process when the one that asked for it is gone. Node has no parent-death signal, so it looks
 * twice a second. It sends SIGTERM to itself, so that the process ends in its ordinary way.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const period = 500;

/** Ends this process when it gets another parent, as an orphan does. */
export function watchParent(parent = process.ppid) {
  watch(() => process.ppid === parent);
}

/**
 * Ends this process when npm is gone. npm runs scripts in a shell, which may stand between the two and
 * outlive a killed npm; then the shell's parent is watched as well.
 */
export function watchNpm() {
  watchParent();
  const { name, parent } = processOf(process.ppid);
  if (/(^|\/)(ba|da|z|k)?sh$/.test(name)) watch(() => isAlive(parent));
}

/**
 * The pid of a process and when it started, which no later one with the same pid has. Undefined when there is
 * no such process, or only its zombie.
 */
export function identityOf(pid) {
  try {
    const { started } = processOf(pid);
    return started === undefined ? undefined : `${pid} ${started}`;
  } catch {
    return undefined;
  }
}

/** Small Linux images have no `ps`, and macOS has no `/proc`. */
function processOf(pid) {
  if (process.platform === 'linux') {
    const [, name, state, parent, rest] = /\((.*)\) (\S) (\d+) (.*)/.exec(
      readFileSync(`/proc/${pid}/stat`, 'utf8'),
    );
    return {
      name,
      parent: Number(parent),
      started: state === 'Z' ? undefined : rest.split(' ')[17],
    };
  }
  const line = execFileSync('ps', ['-o', 'ppid=,lstart=,comm=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
  const [, parent, started, name] = /^\s*(\d+)\s+((?:\S+\s+){4}\S+)\s+(.*)/.exec(line.trim());
  return { name, parent: Number(parent), started };
}

function watch(isStillThere) {
  const timer = setInterval(() => {
    if (isStillThere()) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, period);
  timer.unref();
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

// Preloaded with --import by bootstrap.mjs. The variable is not passed on: children have other parents.
const parent = process.env.MILLWRIGHT_WATCH_PARENT;
if (parent !== undefined) {
  delete process.env.MILLWRIGHT_WATCH_PARENT;
  watchParent(Number(parent));
}
