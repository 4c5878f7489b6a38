import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Layout } from './layout.ts';
import { temporalKinds, type TemporalKind } from './options.ts';

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

/**
 * Throws when earlier runs kept their workflows in a Temporal server of the other kind: objects and
 * VMs of this one would have none. A server elsewhere (`--temporal-address`) keeps nothing here.
 */
export function requireSameTemporal(layout: Layout, kind: TemporalKind | 'elsewhere'): void {
  if (kind === 'elsewhere') return;
  const dataOf: Record<TemporalKind, string> = {
    development: layout.temporalDatabase,
    postgresql: layout.postgresqlData,
  };
  const other = temporalKinds.find((one) => one !== kind && existsSync(dataOf[one]));
  if (other === undefined) return;
  const kept = relative(layout.stateDir, dataOf[other]);
  throw new Error(
    `--temporal=${kind}: the workflows of ${layout.stateDir} are in ${kept}, of --temporal=${other}. Start it with that, name another folder with --state-dir, or start with --fresh, which deletes cluster, workflows and VMs`,
  );
}
