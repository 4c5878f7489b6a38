import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Kills a whole process group when this process is gone, however it went: the guardian reads a pipe
 * whose other end only this process has. It runs in a session of its own, so that nothing that is
 * meant for the group reaches it, and it is a shell, because that costs 1 MB where Node costs 50.
 */
export function startGuardian(group: number): ChildProcess {
  const script = 'trap "" INT TERM HUP; while read -r _; do :; done; kill -s KILL -- "-$1"';
  const guardian = spawn('/bin/sh', ['-c', script, 'millwright-guardian', String(group)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guardian.unref();
  return guardian;
}
