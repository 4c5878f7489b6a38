/** The objects of an install and, where its address is known, what Temporal says of it. */
import type { ClusterScope } from '../connection/cluster.ts';
import type { Install } from './install.ts';
import {
  isAddressOfWatcher,
  isTemporalKnown,
  temporalOptionsOf,
} from '../connection/temporal-options.ts';
import type { InstallOptions } from '../command-line/options.ts';
import { readInstall } from './read.ts';

export async function readAll(scope: ClusterScope, options: InstallOptions): Promise<Install> {
  // Its import takes longer than most answers: it begins while they come.
  const early = isTemporalKnown(options, process.env) ? import('./temporal-facts.ts') : undefined;
  const { install, flags } = await readInstall(scope, options);
  const temporal = temporalOptionsOf(options, flags, process.env);
  if (!isTemporalKnown(temporal, process.env)) return install;
  const { readTemporal } = await (early ?? import('./temporal-facts.ts'));
  const facts = await readTemporal(scope, { install, flags, options: temporal });
  const isOfWatcher = isAddressOfWatcher(options, temporal);
  return { ...install, temporal: { ...facts, ...(isOfWatcher && { isOfWatcher }) } };
}
