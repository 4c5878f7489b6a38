/**
 * Ends what would act later in Temporal: a run that waits with a step to be tried again, and the
 * schedules of the checks. Only while no process of ours runs: a watcher would start runs anew.
 */
import { setTimeout } from 'node:timers/promises';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { Client } from '@temporalio/client';
import { clusterUidOf } from '../../kube/objects/cluster-uid.ts';
import { connectTo, createTemporalClient } from '../../workers/kube/clients.ts';
import type { TemporalSettings } from '../../workers/config/temporal.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { claimHolder, namespaceClaimId } from '../../workers/temporal/claims.ts';
import { dataConverterOf } from '../../workers/payloads/data-converter.ts';
import { taskQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { InstallOfNamespace } from '../offboard/install-records.ts';
import { openRunsOf, schedulesOf, wasThere } from '../offboard/install-records.ts';
import { temporalSettingsOf } from '../connection/temporal.ts';
import type { MigrateOptions } from './options.ts';
import type { InstallFlags } from '../install/flags.ts';
import { temporalOptionsOf } from '../connection/temporal-options.ts';

interface Ended {
  runs: number;
  schedules: number;
}

const reason = 'millwright migrate hand-back';
/** What was just ended may be listed for so long. */
const checkEveryMs = 500;

/** Of a call, and of a list with its pages: the SDK sets no limit of its own. */
const longestCallMs = 30_000;

function within<Answer>(
  client: Pick<Client, 'withDeadline'>,
  { timeoutSeconds }: Pick<MigrateOptions, 'timeoutSeconds'>,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const limitMs = Math.min(timeoutSeconds * 1_000, longestCallMs);
  return client.withDeadline(Date.now() + limitMs, call);
}

/**
 * Before anything is done. The address in the flags of the watcher may be one that only pods reach,
 * and the keys of payloads are in no flag: with Millwright scaled to 0 already, neither it nor MCM
 * would manage the machines.
 */
export async function requireTemporal(
  scope: ClusterScope,
  options: MigrateOptions,
  flags: InstallFlags,
): Promise<void> {
  const temporal = settingsOf(options, flags);
  const { address, namespace } = temporal;
  const cluster = await orNothingDone(clusterOf(scope, flags), {
    what: 'the namespace kube-system cannot be read',
    help: 'You need the right to get it, as the watcher has no --cluster-id',
  });
  const client = await orNothingDone(createTemporalClient({ temporal, identity: reason }), {
    what: `Temporal at ${address}, namespace ${namespace}, does not answer`,
    help: 'Name one that you reach with --temporal-address and --temporal-namespace',
  });
  try {
    const read = within(client, options, async () => {
      const [records, holder] = await recordsOf(client, scope, { flags, cluster });
      await schedulesOf(client, ...records);
      return holder;
    });
    const holder = await orNothingDone(read, {
      what: `the schedules in Temporal at ${address}, namespace ${namespace}, cannot be read`,
      help: 'Where payloads are encrypted, name the file of their keys with --payload-keys',
    });
    if (holder === undefined) refuseElsewhere(temporal, flags);
  } finally {
    await client.connection.close();
  }
}

/**
 * Each process claims the namespace at its start, so without a claim this is another server than
 * that of the install, as a variable of the shell may name one: its runs would stay. A server that
 * lost its data has no claim either, but is the one that the flags name.
 */
function refuseElsewhere(
  { address, namespace }: Pick<TemporalSettings, 'address' | 'namespace'>,
  { temporalAddress: at, temporalNamespace: its }: InstallFlags,
): void {
  const isElsewhere = (at !== '' && at !== address) || (its !== '' && its !== namespace);
  if (!isElsewhere) return;
  throw new Error(
    `Nothing was done: Temporal at ${address}, namespace ${namespace}, has no claim of this install, whose watcher has ${at || 'another address'}, namespace ${its || 'default'}: name that with --temporal-address and --temporal-namespace; variables TEMPORAL_* go before the flags of the watcher`,
  );
}

async function orNothingDone<Answer>(
  answer: Promise<Answer>,
  { what, help }: { what: string; help: string },
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const message = `Nothing was done: ${what}: ${reasonOf(error)}. ${help}`;
    throw new Error(message, { cause: error });
  }
}

function settingsOf(options: MigrateOptions, flags: InstallFlags): TemporalSettings {
  return temporalSettingsOf(temporalOptionsOf(options, flags, process.env), process.env);
}

async function clusterOf({ kube }: ClusterScope, { clusterId }: InstallFlags): Promise<string> {
  return clusterId || (await clusterUidOf(kube));
}

/**
 * What the records of the install in Temporal are found by, with its name, and who has claimed the
 * namespace. A fleet that it was taken out of has no watcher for it any more, but its claim.
 */
async function recordsOf(
  client: Client,
  { namespace }: ClusterScope,
  { flags, cluster }: { flags: InstallFlags; cluster: string },
): Promise<[records: [InstallOfNamespace, name: string], holder: string | undefined]> {
  const holder = await claimHolder(client, namespaceClaimId(cluster, namespace));
  const claimed = flags.hasWatcher ? [] : (holder ?? '').split('/').toReversed();
  const [name = '', clusterName] = claimed;
  const owned = { cluster, clusterName: flags.clusterName || clusterName, namespace };
  return [[owned, flags.name || name || namespace], holder];
}

export async function endInTemporal(
  scope: ClusterScope,
  options: MigrateOptions,
  flags: InstallFlags,
): Promise<Ended> {
  const settings = settingsOf(options, flags);
  const cluster = await clusterOf(scope, flags);
  const connection = await connectTo(settings);
  try {
    const client = new Client({
      connection,
      namespace: settings.namespace,
      ...dataConverterOf(settings),
    });
    const find = () => recordsOf(client, scope, { flags, cluster });
    const [[owned, name]] = await within(client, options, find);
    const schedules = await within(client, options, () => schedulesOf(client, owned, name));
    for (const { remove } of schedules) await within(client, options, remove);
    const { timeoutSeconds } = options;
    const { namespace } = scope;
    const taskQueue = taskQueueOf({ cluster, name });
    return {
      schedules: schedules.length,
      runs: await endRuns(client, { taskQueue, namespace, timeoutSeconds }),
    };
  } finally {
    await connection.close();
  }
}

interface RunsToEnd {
  taskQueue: string;
  namespace: string;
  timeoutSeconds: number;
}

/** Until none is listed: the list lags behind by seconds. */
async function endRuns(client: Client, wanted: RunsToEnd): Promise<number> {
  const deadline = Date.now() + wanted.timeoutSeconds * 1_000;
  const ended = new Set<string>();
  for (;;) {
    const listed = await within(client, wanted, () => listRuns(client, wanted));
    for (const { workflowId, runId } of listed) {
      const handle = client.workflow.getHandle(workflowId, runId);
      const end = () => wasThere(handle.terminate(reason));
      if (await within(client, wanted, end)) ended.add(runId);
    }
    if (listed.length === 0) return ended.size;
    if (Date.now() > deadline)
      throw new Error(`${listed.length} runs of ${wanted.taskQueue} do not end: try again`);
    await setTimeout(checkEveryMs);
  }
}

async function listRuns(client: Client, wanted: RunsToEnd): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const run of openRunsOf(client, wanted)) found.push(run);
  return found;
}
