import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { Layout } from './layout.ts';
import { temporalKinds, type TemporalKind } from './options.ts';

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
