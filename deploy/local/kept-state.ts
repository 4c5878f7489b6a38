import { mkdirSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Layout } from './layout.ts';

/** The supervisor writes to it while it does this: deleted, it could not be read any more. */
const ownLog = 'supervisor.log';

/** Deletes what earlier runs left. */
export function forget({ forgettable, logs }: Layout): void {
  const others = readdirSync(logs).filter((name) => name !== ownLog);
  for (const path of [...forgettable, ...others.map((name) => join(logs, name))])
    rmSync(path, { recursive: true, force: true });
  truncateSync(join(logs, ownLog));
}

/** The logs of the last run are kept as `*.previous.log`. */
export function startLogs({ logs }: Layout): void {
  mkdirSync(logs, { recursive: true });
  for (const name of readdirSync(logs)) {
    if (name.endsWith('.previous.log') || name === ownLog) continue;
    renameSync(join(logs, name), join(logs, name.replace(/\.log$/, '.previous.log')));
  }
}
