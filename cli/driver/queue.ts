/** `millwright driver queue`: which task queues a driver has to serve. */
import { clusterUidOf } from '../../kube/objects/cluster-uid.ts';
import { driverCalls } from '../../workflows/contracts/driver-activities.ts';
import { driverQueuesOf, taskQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { Place } from '../connection/cluster.ts';
import type { Answer } from '../command-line/answer.ts';
import type { QueueQuestion } from './command.ts';

type Asked = Pick<QueueQuestion, 'provider' | 'install' | 'clusterId'>;

export async function showQueues(place: Place, asked: Asked): Promise<Answer> {
  const prefix = await queuesOf(place, asked);
  const queues = driverCalls.map((call) => `${prefix}/${call}`);
  return { text: queues.join('\n'), data: { queues } };
}

/** What their names begin with. */
export async function queuesOf(place: Place, asked: Asked): Promise<string> {
  const { provider, install: name = place.namespace } = asked;
  const cluster = await clusterOf(place, asked);
  return driverQueuesOf(taskQueueOf({ cluster, name }), provider);
}

export async function clusterOf(
  { kube }: Place,
  { clusterId }: Pick<Asked, 'clusterId'>,
): Promise<string> {
  if (clusterId !== undefined) return clusterId;
  return await clusterUidOf(kube);
}
