/**
 * Which install this process belongs to, found out at its start
 * (docs/decisions/0009-install-identity.md), and which cluster the Nodes of a namespace join.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isRefusal } from '../../kube/client/errors.ts';
import type { KubeConfig } from '../../kube/client/kubeconfig.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { clusterUidOf } from '../../kube/objects/cluster-uid.ts';
import type { Install } from '../../workflows/contracts/task-queues.ts';
import { taskQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { KubeClients, Waiting } from '../kube/clients.ts';
import { kubeConfigOf } from '../kube/clients.ts';
import type { Config } from '../config/config.ts';
import { untilReached } from '../process/reach.ts';

export interface Identity extends Install {
  /** Id of the cluster that the Nodes join; undefined where there is none. */
  target?: string;
  /** Of the workflows; those of drains and drivers begin with it. */
  taskQueue: string;
  /** Name in the claim of the install where each namespace has a target cluster of its own. */
  targets?: string;
  /** Of an install that serves several: the one that this identity is for. */
  fleetNamespace?: string;
}

type IdentitySettings = Pick<Config, 'target' | 'install' | 'namespaces' | 'isNamedAsMcm'>;

/** Waits for the API servers of the clusters that the process has for all its namespaces. */
export async function untilIdentityKnown(
  { control, target }: KubeClients,
  settings: IdentitySettings,
  waiting: Waiting,
): Promise<Identity> {
  const { name, clusterId, clusterName } = settings.install;
  const cluster = await untilReached({
    server: 'control cluster',
    attempt: () =>
      clusterId === undefined ? uidOfControl(control) : answering(control, clusterId),
    ...waiting,
  });
  const install = { cluster, name, ...(clusterName !== undefined && { clusterName }) };
  const identity = { ...install, taskQueue: taskQueueOf(install) };
  if (settings.target !== 'none' && settings.target.kind === 'secret') {
    return { ...identity, targets: `Secret ${settings.target.name} of each namespace` };
  }
  if (!target) return identity;
  if (target === control && clusterId === undefined) return { ...identity, target: cluster };
  const attempt = () => idOfShared(target, settings);
  return {
    ...identity,
    target: await untilReached({ server: 'target cluster', attempt, ...waiting }),
  };
}

async function uidOfControl(client: KubeClient): Promise<string> {
  try {
    return await clusterUidOf(client);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const advice =
      'set --cluster-id, in Gardener in MILLWRIGHT_FLAGS, to a name that this cluster keeps, or allow to get its namespace kube-system';
    throw new Error(`its id is not known: ${advice}`, { cause: error });
  }
}

async function answering(client: KubeClient, id: string): Promise<string> {
  await client.get('/version');
  return id;
}

/**
 * In Gardener kube-system may not be read, the CA is renewed as a matter of course, and a shoot
 * that is made anew gets the namespace of the one before it. gardenlet mounts the kubeconfig of no
 * other shoot than the namespace's.
 */
async function idOfShared(client: KubeClient, settings: IdentitySettings): Promise<string> {
  const { target, namespaces, isNamedAsMcm } = settings;
  if (isNamedAsMcm && namespaces.kind === 'one') {
    return await answering(client, `of-${namespaces.name}`);
  }
  if (target === 'none' || target.kind === 'secret') return await clusterUidOf(client);
  return await idOfTarget(client, () => kubeConfigOf(target));
}

/** Its CA stands for it where its namespace kube-system may not be read. */
export async function idOfTarget(
  client: KubeClient,
  kubeConfig: () => Pick<KubeConfig, 'cluster'>,
): Promise<string> {
  try {
    return await clusterUidOf(client);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return await digestOfCluster(kubeConfig().cluster);
  }
}

export async function digestOfCluster({
  caData,
  caFile,
  server,
}: Pick<KubeConfig['cluster'], 'caData' | 'caFile' | 'server'>): Promise<string> {
  if (caData !== undefined) return `ca-${digest(Buffer.from(caData, 'base64'))}`;
  if (caFile !== undefined) return `ca-${digest(await readFile(caFile))}`;
  return `server-${digest(server)}`;
}

const digest = (text: string | Buffer): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32);
