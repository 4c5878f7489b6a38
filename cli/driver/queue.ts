/** `millwright driver queue`: which task queues a driver has to serve. */
import { clusterUidOf } from '../../kube/objects/cluster-uid.ts';
import { driverCalls } from '../../workflows/contracts/driver-activities.ts';
import { driverQueuesOf, taskQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';

/** Names the queue of a driver, as its install does. */
export interface QueueOptions extends ClusterOptions, OutputOptions {
  provider: string;
  /** Undefined: named after the namespace. */
  install?: string | undefined;
  /** Undefined: the UID of the namespace kube-system. */
  clusterId?: string | undefined;
}

export async function showQueues(scope: ClusterScope, options: QueueOptions): Promise<Answer> {
  const prefix = await queuesOf(scope, options);
  const queues = driverCalls.map((call) => `${prefix}/${call}`);
  return { text: queues.join('\n'), data: { queues } };
}

/** Beginning of their names. */
export async function queuesOf(scope: ClusterScope, options: QueueOptions): Promise<string> {
  const { provider, install: name = scope.namespace } = options;
  const cluster = await clusterOf(scope, options);
  return driverQueuesOf(taskQueueOf({ cluster, name }), provider);
}

export async function clusterOf(
  { kube }: ClusterScope,
  { clusterId }: Pick<QueueOptions, 'clusterId'>,
): Promise<string> {
  if (clusterId !== undefined) return clusterId;
  return await clusterUidOf(kube);
}
