/** Fills in what the flags of the Deployments leave open, by the watcher's note on its Lease. */
import type { Environment } from '../../workers/config/temporal.ts';
import type { InstallNote } from '../../kube/objects/install-note.ts';
import type { InstallFlags } from './flags.ts';
import { isTemporalKnown } from '../connection/temporal-options.ts';

/** Where there is a key, or a profile that may hold one, it does not go where the Lease says. */
const mayHaveKey = (env: Environment): boolean =>
  isTemporalKnown({}, env) || Boolean(env['TEMPORAL_API_KEY'] || env['TEMPORAL_API_KEY_PATH']);

export function withNote(
  flags: InstallFlags,
  note: InstallNote | undefined,
  env: Environment,
): InstallFlags {
  if (!note) return flags;
  const { address, namespace } = note.temporal;
  return {
    ...flags,
    name: flags.name || note.name,
    clusterId: flags.clusterId || note.cluster,
    clusterName: flags.clusterName || (note.clusterName ?? ''),
    isFleet: flags.isFleet || note.isFleet,
    temporalAddress: flags.temporalAddress || (mayHaveKey(env) ? '' : address),
    temporalNamespace: flags.temporalNamespace || namespace,
    temporalNoted: note.temporal,
  };
}

/** By the id of the namespace, where both are known. */
export const isOtherThan = (
  { id }: InstallNote['temporal'],
  found: string | null | undefined,
): boolean => id !== '' && Boolean(found) && found !== id;
