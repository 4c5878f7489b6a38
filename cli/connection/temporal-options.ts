/** Where Temporal is: as the command line says, else as the watcher of the install has it. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { KubeClient } from '../../kube/client/client.ts';
import { isForbidden, isNotFound } from '../../kube/client/errors.ts';
import { clusterUidOf } from '../../kube/objects/cluster-uid.ts';
import type { Environment, TemporalSettings } from '../../workers/config/temporal.ts';
import type { TemporalOptions } from '../command-line/options.ts';

/** Options that are given go before the flags of the watcher. */
export function temporalOptionsOf(
  options: TemporalOptions,
  flags: Required<Pick<TemporalOptions, 'temporalAddress' | 'temporalNamespace'>>,
  env: Environment,
): TemporalOptions {
  return {
    ...options,
    temporalAddress: options.temporalAddress ?? (isNamed(env) ? '' : flags.temporalAddress),
    temporalNamespace:
      options.temporalNamespace ?? (env['TEMPORAL_NAMESPACE'] ? '' : flags.temporalNamespace),
  };
}

/** A variable that is set to nothing names nothing. */
function isNamed(env: Environment): boolean {
  return variables.some((name) => Boolean(env[name]));
}

/** Asks of the result of `temporalOptionsOf`: neither an option nor a variable says the address. */
export function isAddressOfWatcher(options: TemporalOptions, found: TemporalOptions): boolean {
  return options.temporalAddress === undefined && Boolean(found.temporalAddress);
}

const variables = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'];

/** Says if an address of Temporal is known: without one it is not asked. */
export function isTemporalKnown({ temporalAddress }: TemporalOptions, env: Environment): boolean {
  if (temporalAddress !== undefined && temporalAddress !== '') return true;
  return isNamed(env) || profileFiles(env).some(existsSync);
}

/** Where @temporalio/envconfig and the command `temporal` view for profiles. */
function profileFiles(env: Environment): string[] {
  const home = homedir();
  const folders = [
    env['XDG_CONFIG_HOME'] || join(home, '.config'),
    join(home, 'Library', 'Application Support'),
    ...(env['APPDATA'] ? [env['APPDATA']] : []),
  ];
  return folders.map((folder) => join(folder, 'temporalio', 'temporal.toml'));
}

/** Ids of workflows are unique within one cluster alone. */
export class OtherClusterError extends Error {
  override name = 'OtherClusterError';
}

/** Throws where the run is that of another cluster. `cluster`: undefined where it is not known. */
export function requireOwn(
  { workflowId, searchAttributes }: WorkflowExecutionDescription,
  cluster: string | undefined,
  { address, namespace }: Pick<TemporalSettings, 'address' | 'namespace'>,
): void {
  const [of] = searchAttributes['KubeCluster'] ?? [];
  if (cluster === undefined || of === undefined || of === cluster) return;
  throw new OtherClusterError(
    `Temporal at ${address}, namespace ${namespace}, is that of another cluster: ${workflowId} there is of cluster ${String(of)}, this one is ${cluster}. Name this one's with --temporal-address and --temporal-namespace.`,
  );
}

/** Undefined where it may not be read. */
export async function clusterIdOf(
  kube: KubeClient,
  { clusterId }: { clusterId: string },
): Promise<string | undefined> {
  if (clusterId !== '') return clusterId;
  try {
    return await clusterUidOf(kube);
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
