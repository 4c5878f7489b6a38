/** `millwright migrate hand-back`: docs/decisions/0045-migration.md has the steps. */
import { setTimeout } from 'node:timers/promises';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { lease as leasePath, customResource } from '../../kube/client/paths.ts';
import { checkpointAnnotation, ownLeaseOf } from '../../kube/leases/lease-set.ts';
import type { Answer } from '../command-line/answer.ts';
import { watcherHolding } from '../install/lease-holder.ts';
import type { Deployment } from '../install/deployments.ts';
import {
  endingPod,
  findMcm,
  findOurs,
  scaleBack,
  scaleToZero,
  wantedOf,
} from '../install/deployments.ts';
import { readHolders } from './facts.ts';
import { commandLinesOf, translate } from './flags.ts';
import type { InstallFlags } from '../install/flags.ts';
import { installFlagsOf } from '../install/flags.ts';
import { policyAgainst } from './policy.ts';
import { missingRights } from './rights.ts';
import type { Steps } from './steps.ts';
import { until } from './steps.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';
import { isUnsettledCondition, withoutUnsettled } from '../../workflows/api/kstatus.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
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
import { temporalOptionsOf } from '../connection/temporal-options.ts';

/** Throws with what hinders, or with what does not come about. */
export async function handBack(steps: Steps): Promise<Answer> {
  const { scope, options, report } = steps;
  const { kube, namespace } = scope;
  const release = options.releaseNamespace ?? namespace;
  await requireRights(kube, { namespace, release });
  const mcm = await findMcm(kube, namespace, options.mcmDeployments);
  const ours = await findOurs(kube, release, namespace);
  await refuseUnknown(steps, release, ours);
  await refuseWithout(kube, namespace, { mcm, ours, options });
  await requireTemporal(scope, options, installFlagsOf(ours));
  for (const deployment of ours) {
    if (await scaleToZero(kube, deployment))
      report(`Millwright: ${nameOf(deployment)} is scaled to 0`);
  }
  await until(steps, 'Millwright still acts', async () => {
    const now = await findOurs(kube, release, namespace);
    const up = now.find((one) => wantedOf(one) > 0);
    if (up)
      throw new Error(
        `Deployment ${nameOf(up)} was scaled up again by another client: find out which`,
      );
    const pod = await endingPod(kube, now);
    if (pod !== undefined) return pod;
    return await watcherHolding(
      kube,
      namespace,
      ownLeaseOf(namespace, installFlagsOf(ours).leasePlace),
    );
  });
  await leaveLease(kube, namespace, ours);
  const ended = await endInTemporal(scope, options, installFlagsOf(ours));
  report(`Temporal: ${ended.runs} runs are ended, ${ended.schedules} schedules are deleted`);
  await forgetConditions(kube, namespace);
  for (const deployment of mcm) {
    if (await scaleBack(kube, deployment, 1))
      report(`MCM: ${nameOf(deployment)} is scaled up again`);
  }
  await until(steps, `MCM does not manage ${namespace}`, async () => {
    const holders = await readHolders(kube, namespace, ours);
    const free = (['machine-controller-manager', 'machine-controller'] as const).find(
      (name) => holders[name] === undefined,
    );
    return free && `the Lease ${free} is free`;
  });
  const data = { namespace, isHandedBack: true, ...ended };
  return { text: `MCM manages the machines of ${namespace} again.`, data };
}

/**
 * Runs that end now have to be started again by the next take-over: its watcher signals every
 * object, also those that have not changed since. Under MCM no watcher takes the finalizer away.
 */
async function leaveLease(
  kube: KubeClient,
  machines: string,
  ours: readonly Deployment[],
): Promise<void> {
  const { namespace, name } = ownLeaseOf(machines, installFlagsOf(ours).leasePlace);
  const metadata = { annotations: { [checkpointAnnotation]: null }, finalizers: null };
  await ignoreNotFound(kube.patch(leasePath(namespace, name), 'merge', { metadata }));
}

/** All at once: one that is missed in the middle leaves the machines without a controller. */
async function requireRights(
  kube: KubeClient,
  places: { namespace: string; release: string },
): Promise<void> {
  const missing = await missingRights(kube, places, ['machinedeployments']);
  if (missing.length === 0) return;
  throw new Error(`Nothing was done: you may not ${missing.join(', ')}`);
}

/** An install that is not found cannot be scaled to 0; one that was removed holds no Lease. */
async function refuseUnknown(
  { scope: { kube, namespace } }: Steps,
  release: string,
  ours: readonly Deployment[],
): Promise<void> {
  const holding =
    ours.length === 0 ? await watcherHolding(kube, namespace, ownLeaseOf(namespace)) : undefined;
  if (holding === undefined) return;
  throw new Error(
    `Nothing was done: no Deployment of Millwright in ${release} has --namespace=${namespace}, and ${holding}: name where it is installed with --release-namespace; from a fleet, take the namespace out of --namespaces first`,
  );
}

/** MCM's manifest would be applied to the Deployment of our watcher. */
function refuseNameOfOurs(
  missing: readonly string[],
  ours: readonly Deployment[],
  namespace: string,
): void {
  const own = ours.find(
    (one) => one.metadata.namespace === namespace && missing.includes(nameOf(one)),
  );
  if (!own) return;
  throw new Error(
    `Nothing was done: Deployment ${nameOf(own)} is Millwright's own: set the value watcher.deploymentName of the chart back, then apply MCM's Deployment again with replicas: 0`,
  );
}

interface Parties {
  mcm: readonly Deployment[];
  ours: readonly Deployment[];
}

/** Before anything is done. */
async function refuseWithout(
  kube: KubeClient,
  namespace: string,
  { mcm, ours, options }: Parties & Pick<Steps, 'options'>,
): Promise<void> {
  if (mcm.length < options.mcmDeployments.length) {
    const found = mcm.map(nameOf);
    const missing = options.mcmDeployments.filter((name) => !found.includes(name));
    refuseNameOfOurs(missing, ours, namespace);
    throw new Error(
      `Nothing was done: there is no Deployment ${missing.join(', ')} of MCM in ${namespace}: apply it again with replicas: 0, or name it with --mcm-deployment`,
    );
  }
  const withoutLease = mcm.find((one) => {
    const { lines } = commandLinesOf([one]);
    return translate(lines, namespace).isWithoutLease;
  });
  if (withoutLease) {
    throw new Error(
      `Nothing was done: Deployment ${nameOf(withoutLease)} has --leader-elect=false, so nothing keeps both from acting at once; remove the flag`,
    );
  }
  const refusal = await policyAgainst(kube, namespace, mcm);
  if (refusal !== undefined) throw new Error(`Nothing was done: ${refusal}`);
}

const nameOf = ({ metadata }: Deployment): string => metadata.name;

/**
 * MCM does not write the conditions that kstatus goes by. On a MachineDeployment it copies those
 * that it finds, so what we said last would stand there for ever.
 */
export async function forgetConditions(kube: KubeClient, namespace: string): Promise<void> {
  const path = customResource('machinedeployments', namespace);
  const { items } = await kube.list<MachineDeployment>(path);
  for (const deployment of items) await forget(kube, namespace, deployment);
}

async function forget(
  kube: KubeClient,
  namespace: string,
  deployment: MachineDeployment,
): Promise<void> {
  const path = customResource('machinedeployments', namespace, deployment.metadata.name);
  // An autoscaler may write the object at the same moment.
  await retryOnConflict(async (isAgain) => {
    const current = isAgain ? await ignoreNotFound(kube.get<MachineDeployment>(path)) : deployment;
    const conditions = current?.status?.conditions ?? [];
    if (!current || !conditions.some(isUnsettledCondition)) return;
    const { uid, resourceVersion } = current.metadata;
    const status = { conditions: withoutUnsettled(conditions) };
    const body = { metadata: { uid, resourceVersion }, status };
    await ignoreNotFound(kube.patch(`${path}/status`, 'merge', body));
  });
}

interface Ended {
  runs: number;
  schedules: number;
}

const reason = 'millwright migrate hand-back';
/** A run that was just ended may be listed for so long. */
const checkEveryMs = 500;

/** Limit of a call, and of a list with its pages: the SDK sets no limit of its own. */
const longestCallMs = 30_000;

function within<Result>(
  client: Pick<Client, 'withDeadline'>,
  { timeoutSeconds }: Pick<MigrateOptions, 'timeoutSeconds'>,
  call: () => Promise<Result>,
): Promise<Result> {
  const limitMs = Math.min(timeoutSeconds * 1_000, longestCallMs);
  return client.withDeadline(Date.now() + limitMs, call);
}

/**
 * Before anything is done. The address in the flags of the watcher may be one that only pods reach,
 * and the keys of payloads are in no flag: with Millwright scaled to 0 already, neither it nor MCM
 * would manage the machines.
 */
async function requireTemporal(
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

async function orNothingDone<Result>(
  answer: Promise<Result>,
  { what, help }: { what: string; help: string },
): Promise<Result> {
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
 * Finds the records of the install in Temporal, with its name, and who has claimed the
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

/**
 * Ends what would act later in Temporal: a run that waits with a step to be tried again, and the
 * schedules of the checks. Only while no process of ours runs: a watcher would start runs anew.
 */
async function endInTemporal(
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
