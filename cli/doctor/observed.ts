/** Reads what the checks share: both clusters, the install, and what was read of it. */
import type { KubeClient } from '../../kube/client/client.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import { clusterUidOf } from '../../kube/objects/cluster-uid.ts';
import { taskQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { Deployment } from '../install/deployments.ts';
import { deployments, isOurs, serversOf } from '../install/deployments.ts';
import type { InstallFlags } from '../install/flags.ts';
import { installFlagsOf } from '../install/flags.ts';
import { notedFlags } from '../install/read.ts';
import type { InstallScope } from '../command-line/options.ts';

export interface Observed extends ClusterScope {
  target: KubeClient;
  isSameCluster: boolean;
  /** Namespace of the Deployments. */
  release: string;
  /** Our Deployments; undefined where they may not be read. */
  ours: readonly Deployment[] | undefined;
  flags: InstallFlags;
  /** Name of the install. */
  install: string;
  /** Undefined where the cluster's id cannot be found out. */
  taskQueue: string | undefined;
}

export async function observe(
  { kube, namespace }: ClusterScope,
  target: KubeClient,
  {
    releaseNamespace,
    install,
  }: Pick<InstallScope, 'releaseNamespace'> & { install?: string | undefined },
): Promise<Observed> {
  const release = releaseNamespace ?? namespace;
  const all = await orUndefined(kube.list<Deployment>(deployments(release)));
  const ours = all && serversOf(all.items.filter(isOurs), namespace);
  const flags = await notedFlags({ kube, namespace }, installFlagsOf(ours ?? []));
  const name = install ?? (flags.name || namespace);
  const cluster = flags.clusterId || (await orUndefined(clusterUidOf(kube)));
  const taskQueue = cluster ? taskQueueOf({ cluster, name }) : undefined;
  const isSameCluster = target === kube;
  return { kube, namespace, target, isSameCluster, release, ours, flags, install: name, taskQueue };
}

/** Checks say themselves if what they need cannot be read. */
async function orUndefined<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (reason) {
    if (isRefusal(reason)) return undefined;
    throw reason;
  }
}

/** How a person sees what became of our pods. */
export function podsCommand({ release }: Pick<Observed, 'release'>): string {
  return `kubectl -n ${release} get pods -l app.kubernetes.io/name=millwright`;
}
