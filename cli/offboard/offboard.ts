/** `millwright offboard`: removes what Temporal and the API server keep for one namespace. */
import { setTimeout } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { isNotFound } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import type { MachineKind } from '../../kube/client/paths.ts';
import { customResource, lease as leasePath } from '../../kube/client/paths.ts';
import { clusterUidOf } from '../../kube/objects/cluster-uid.ts';
import { neededFinalizer } from '../../kube/leases/lease-lock.ts';
import { mcmLeases, ownLeaseOf } from '../../kube/leases/lease-set.ts';
import type { Environment, TemporalSettings } from '../../workers/config/temporal.ts';
import { dataConverterOf } from '../../workers/payloads/data-converter.ts';
import { group } from '../../workflows/api/constants.ts';
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import { listOf } from '../terminal/screen.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import { readLease } from '../../kube/leases/read-lease.ts';
import { holderOf, watcherOn } from '../install/lease-holder.ts';
import { InstallRecords, type Removal } from './install-records.ts';
import { connectOrExplain, namedTemporalSettings } from '../connection/temporal.ts';
import type { ClusterScope } from '../connection/cluster.ts';

export interface OffboardOptions extends ClusterOptions, TemporalOptions, OutputOptions {
  namespace: string;
  /** Undefined: the one that the namespace is claimed for. */
  install?: string | undefined;
  /** Undefined: the UID of the namespace kube-system. */
  clusterId?: string | undefined;
  clusterName?: string | undefined;
  /** Namespace of our own Lease. Undefined: the namespace itself. */
  leaseNamespace?: string | undefined;
  /** Machines, sets and deployments stay as they are. False: it refuses while there are any. */
  keepsMachines: boolean;
  /** False: it changes nothing, and says what it would remove. */
  isConfirmed: boolean;
}

/** All calls to Temporal together. */
const longestMs = 300_000;
const kinds: readonly MachineKind[] = ['machinedeployments', 'machinesets', 'machines'];
/** So many are named where there are more. */
const mostNames = 5;

/** Exit code 1: something is left to remove. */
export async function offboard(
  { kube }: ClusterScope,
  options: OffboardOptions,
  env: Environment = process.env,
): Promise<Answer> {
  const { namespace, isConfirmed } = options;
  if (!options.keepsMachines) await requireNoMachines(kube, namespace);
  const leases = await idleLeases(kube, options);
  const cluster = options.clusterId ?? (await clusterUidOf(kube));
  const settings = namedTemporalSettings(options, env);
  const connection = await connectOrExplain(settings);
  try {
    const client = new Client({
      connection,
      namespace: settings.namespace,
      ...dataConverterOf(settings),
    });
    const records = new InstallRecords(client, { ...options, cluster });
    const found = await connection.withDeadline(Date.now() + longestMs, async () => {
      const { runs, claims, isKnown } = await records.find();
      // Claims last: until then no other install begins.
      const others = [...leases.map((one) => removalOf(kube, one)), ...claims];
      if (!isConfirmed) return { removals: [...runs, ...others], isKnown };
      await removeAll(runs);
      const late = await endLate(records, runs);
      await removeAll(others);
      return { removals: [...runs, ...late, ...others], isKnown };
    });
    return reportOf(options, found, settings);
  } finally {
    await connection.close();
  }
}

async function removeAll(removals: readonly Removal[]): Promise<void> {
  for (const { remove } of removals) await remove();
}

const listEveryMs = 500;

/**
 * Runs that were not listed at first, such as one that went on as new: a list lags behind by
 * seconds. Without its claim the namespace would not be searched again.
 */
async function endLate(records: InstallRecords, known: readonly Removal[]): Promise<Removal[]> {
  const ended = new Set(known.map(({ runId }) => runId));
  const late: Removal[] = [];
  for (;;) {
    const listed = await records.openRuns();
    if (listed.length === 0) return late;
    const others = listed.filter(({ runId }) => !ended.has(runId));
    await removeAll(others);
    for (const { runId } of others) ended.add(runId);
    late.push(...others);
    await setTimeout(listEveryMs);
  }
}

function reportOf(
  { namespace, isConfirmed }: OffboardOptions,
  { removals, isKnown }: { removals: readonly Removal[]; isKnown: boolean },
  temporal: Pick<TemporalSettings, 'address' | 'namespace'>,
): Answer {
  const found = removals.map(({ kind, name }) => ({ kind, name }));
  const isDone = isConfirmed || found.length === 0;
  const lines = found.map(
    ({ kind, name }) => `${isConfirmed ? 'removed' : 'found'} ${kind} ${name}`,
  );
  if (found.length === 0) lines.push(`Nothing is left of namespace ${namespace}.`);
  else if (!isConfirmed) lines.push('Nothing was removed: add --yes to remove all of this.');
  else lines.push(`Namespace ${namespace} is off board.`);
  if (!isKnown) lines.push(unknownIn(temporal));
  const data = { namespace, isDone, isInstallKnown: isKnown, removals: found };
  return { text: lines.join('\n'), data, exitCode: isDone ? 0 : 1 };
}

/** As it is the second time, or in another Temporal namespace than that of the install. */
function unknownIn({
  address,
  namespace,
}: Pick<TemporalSettings, 'address' | 'namespace'>): string {
  return `Namespace ${namespace} of Temporal at ${address} has no claim on it, so it was not searched for runs and schedules: if that is another one, name it with --temporal-namespace and --temporal-address; else name the install with --install.`;
}

async function requireNoMachines(kube: KubeClient, namespace: string): Promise<void> {
  for (const kind of kinds) {
    const items = await objectsOf(kube, kind, namespace);
    if (items.length === 0) continue;
    const names = listOf(
      items.map(({ metadata }) => metadata.name),
      mostNames,
    );
    throw new Error(
      `Namespace ${namespace} has ${kind}: ${names}. Delete them while the namespace is served, ` +
        'or leave them and their instances as they are with --keep-machines.',
    );
  }
}

async function objectsOf(
  kube: KubeClient,
  kind: MachineKind,
  namespace: string,
): Promise<KubeObject[]> {
  try {
    const path = customResource(kind, namespace);
    return (await kube.list<KubeObject>(path, { as: 'PartialObjectMetadata' })).items;
  } catch (error) {
    // A namespace without objects, and one that is gone, is an empty list.
    if (!isNotFound(error)) throw error;
    throw new Error(
      `The API server serves no ${kind}.${group}: their CRD is gone, or this is not the cluster of the machines. ` +
        'Where it is gone, check the cloud for instances that are left, and go on with --keep-machines, which needs no CRDs.',
      { cause: error },
    );
  }
}

/**
 * Those that a watcher of ours has left; MCM keeps what it holds. Throws while a watcher leads: the
 * Leases of MCM show one also whose own Lease has another place or name.
 */
async function idleLeases(
  kube: KubeClient,
  { namespace, leaseNamespace }: OffboardOptions,
): Promise<NamespacedName[]> {
  const own = ownLeaseOf(namespace, { resourceNamespace: leaseNamespace });
  const found = await readLease(kube, own);
  refuseServed(namespace, own, holderOf(found));
  const idle: NamespacedName[] = found ? [own] : [];
  for (const name of mcmLeases) {
    const ofMcm = await readLease(kube, { namespace, name });
    refuseServed(namespace, { namespace, name }, watcherOn(ofMcm));
    if (ofMcm && holderOf(ofMcm) === undefined) idle.push({ namespace, name });
  }
  return idle;
}

function refuseServed(served: string, lease: NamespacedName, watcher: string | undefined): void {
  if (watcher === undefined) return;
  throw new Error(
    `Namespace ${served} is served: watcher ${watcher} holds the Lease ${lease.namespace}/${lease.name}. ` +
      'Take the namespace out of --namespaces (its label, or its name) first, or stop that watcher.',
  );
}

function removalOf(kube: KubeClient, { namespace, name }: NamespacedName): Removal {
  return {
    kind: 'Lease',
    name: `${namespace}/${name}`,
    async remove() {
      const path = leasePath(namespace, name);
      // A Lease of kept Machines: no watcher takes the finalizer away any more.
      const lease = await readLease(kube, { namespace, name });
      if (lease?.metadata.finalizers?.includes(neededFinalizer)) {
        await ignoreNotFound(kube.patch(path, 'merge', { metadata: { finalizers: null } }));
      }
      await ignoreNotFound(kube.delete(path));
    },
  };
}
