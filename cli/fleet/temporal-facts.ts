/** Whether Temporal answers, and whether workers poll. */
import type { Connection } from '@temporalio/client';
import { clusterUidOf } from '../../activities/kube/objects/cluster-uid.ts';
import { isForbidden } from '../../activities/kube/client/errors.ts';
import type { TemporalSettings } from '../../workers/config/temporal.ts';
import { connectTo } from '../../workers/kube/clients.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { taskQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { Place } from '../connect.ts';
import type { Fleet, TemporalFacts } from '../diagnosis/fleet.ts';
import type { InstallFlags } from '../migrate/install.ts';
import type { TemporalOptions } from '../options.ts';
import { temporalSettingsOf } from '../temporal-connection.ts';

interface Known {
  fleet: Fleet;
  install: InstallFlags;
  options: TemporalOptions;
}

/** Who waits longer for an answer has it elsewhere. */
const patienceMs = 5_000;
/** Workflow tasks, as `temporal.api.enums.v1.TaskQueueType` counts them. */
const workflowQueue = 1;

export async function readTemporal(place: Place, known: Known): Promise<TemporalFacts> {
  const settings = temporalSettingsOf(known.options, process.env);
  const { namespace, address } = settings;
  const began = Date.now();
  try {
    const [connection, queue] = await Promise.all([connect(settings), queueOf(place, known)]);
    try {
      const pollers = queue === undefined ? {} : await pollersOf(connection, { namespace, queue });
      return { address, namespace, pollers, tookMs: Date.now() - began };
    } finally {
      await connection.close();
    }
  } catch (error) {
    return { address, namespace, failure: reasonOf(error) };
  }
}

async function connect(settings: TemporalSettings): Promise<Connection> {
  return await connectTo(settings, patienceMs);
}

/** Of an install with one namespace; of all namespaces nothing is known of the installs. */
async function queueOf(
  { kube, namespace }: Place,
  { fleet, install }: Known,
): Promise<string | undefined> {
  if (fleet.namespace === undefined && install.name === '') return undefined;
  try {
    const cluster = install.clusterId || (await clusterUidOf(kube));
    return taskQueueOf({ cluster, name: install.name || namespace });
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

async function pollersOf(
  connection: Connection,
  { namespace, queue }: { namespace: string; queue: string },
): Promise<Record<string, number>> {
  const { pollers } = await connection.withDeadline(Date.now() + patienceMs, () =>
    connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: queue },
      taskQueueType: workflowQueue,
    }),
  );
  return { [queue]: pollers.length };
}
