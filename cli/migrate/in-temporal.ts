/**
 * Ends what would act later in Temporal: a run that waits with a step to be tried again, and the
 * schedules of the checks. Only while no process of ours runs: a watcher would start runs anew.
 */
import { setTimeout } from 'node:timers/promises';
import { Client, ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { readTemporalSettings, type TemporalSettings } from '../../workers/config/temporal.ts';
import { connectTo } from '../../workers/kube/clients.ts';
import { checkNames } from '../../workers/checks/checks.ts';
import { taskQueueOf } from '../../workflows/contracts/task-queues.ts';
import { scheduleIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { Place } from '../connect.ts';
import type { Migration } from './arguments.ts';
import type { InstallFlags } from './install.ts';

export interface Ended {
  runs: number;
  schedules: number;
}

const reason = 'millwright migrate hand-back';
/** What was just ended may be listed for so long. */
const checkEveryMs = 500;

export async function endInTemporal(
  place: Place,
  asked: Migration,
  install: InstallFlags,
): Promise<Ended> {
  const settings = settingsOf(asked, install);
  const connection = await connectTo(settings);
  try {
    const client = new Client({ connection, namespace: settings.namespace });
    const name = install.name || place.namespace;
    const clusterName = install.clusterName || undefined;
    const schedules = await deleteSchedules(client, { name, clusterName });
    const taskQueue = taskQueueOf({ cluster: await clusterOf(place, install), name });
    return {
      schedules,
      runs: await endRuns(client, {
        taskQueue,
        namespace: place.namespace,
        timeoutSeconds: asked.timeoutSeconds,
      }),
    };
  } finally {
    await connection.close();
  }
}

function settingsOf(asked: Migration, install: InstallFlags): TemporalSettings {
  const { env } = process;
  const isTold = env['TEMPORAL_ADDRESS'] !== undefined || env['TEMPORAL_PROFILE'] !== undefined;
  const flags = {
    'temporal-address': asked.temporalAddress || (isTold ? '' : install.temporalAddress),
    'temporal-namespace':
      asked.temporalNamespace ||
      (env['TEMPORAL_NAMESPACE'] === undefined ? install.temporalNamespace : ''),
  };
  const { settings, faults } = readTemporalSettings(flags, env);
  if (!settings) throw new Error(faults.join('\n'));
  return settings;
}

async function clusterOf({ kube }: Place, { clusterId }: InstallFlags): Promise<string> {
  if (clusterId !== '') return clusterId;
  const path = '/api/v1/namespaces/kube-system';
  return (await kube.get<{ metadata: { uid: string } }>(path)).metadata.uid;
}

async function deleteSchedules(
  client: Client,
  install: { name: string; clusterName: string | undefined },
): Promise<number> {
  let deleted = 0;
  for (const check of checkNames) {
    try {
      await client.schedule.getHandle(scheduleIdOf(check, install)).delete();
      deleted += 1;
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
  }
  return deleted;
}

/** Until none is listed: the list lags behind by seconds. */
async function endRuns(
  client: Client,
  {
    taskQueue,
    namespace,
    timeoutSeconds,
  }: { taskQueue: string; namespace: string; timeoutSeconds: number },
): Promise<number> {
  const query = `TaskQueue="${taskQueue}" AND KubeNamespace="${namespace}" AND ExecutionStatus="Running"`;
  const deadline = Date.now() + timeoutSeconds * 1_000;
  const ended = new Set<string>();
  for (;;) {
    let listed = 0;
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      listed += 1;
      if (await terminate(client, { workflowId, runId })) ended.add(runId);
    }
    if (listed === 0) return ended.size;
    if (Date.now() > deadline)
      throw new Error(`${listed} runs of ${taskQueue} do not end: try again`);
    await setTimeout(checkEveryMs);
  }
}

/** Whether it ran. */
async function terminate(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId, runId).terminate(reason);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
