/** Reads an install: lists, all at once, and none for each machine. */
import type { KubeClient, KubeObject, Query } from '../../kube/client/client.ts';
import { lease as leasePath } from '../../kube/client/paths.ts';
import { ownLeaseNames, ownLeaseOf } from '../../kube/leases/lease-set.ts';
import type { Lease } from '../../kube/leases/observed-lease.ts';
import type { StopObject } from '../../kube/objects/global-stop.ts';
import { stopName, stopOf } from '../../kube/objects/global-stop.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type {
  Install,
  LeaseFact,
  NamespaceStop,
  ProcessFact,
  Timeouts,
  WarningFact,
} from './install.ts';
import { readFlags } from '../../workers/config/flags/parse.ts';
import { defaultTimeouts, warningReasons } from './install.ts';
import { timeOf } from './times.ts';
import { withNote } from './noted.ts';
import type { Deployment } from './deployments.ts';
import {
  componentOf,
  containersOf,
  isOurs,
  isWatcher,
  isWorker,
  serversOf,
  wantedOf,
} from './deployments.ts';
import type { InstallFlags } from './flags.ts';
import { installFlagsOf } from './flags.ts';
import { allLeaseFacts, leaseFactsOf } from './lease-facts.ts';
import { corePath, deploymentsPath, leasesPath, machinesPath } from './paths.ts';
import type { InstallOptions, InstallScope } from '../command-line/options.ts';
import {
  isAddressOfWatcher,
  isTemporalKnown,
  temporalOptionsOf,
} from '../connection/temporal-options.ts';
import { readPolicies } from './read-policies.ts';
import { TolerantReads } from './tolerant.ts';

interface InstallRead {
  install: Install;
  flags: InstallFlags;
}

export async function readInstall(
  scope: ClusterScope,
  options: InstallScope,
): Promise<InstallRead> {
  const namespace = namespaceOf(scope, options);
  const { kube } = scope;
  const reads = new TolerantReads();
  const [deployments, sets, machines, classes, surroundings] = await Promise.all([
    itemsOf(kube.list<MachineDeployment>(machinesPath('machinedeployments', namespace))),
    itemsOf(kube.list<MachineSet>(machinesPath('machinesets', namespace))),
    itemsOf(kube.list<Machine>(machinesPath('machines', namespace))),
    reads.read(
      'MachineClasses',
      itemsOf(kube.list<MachineClass>(machinesPath('machineclasses', namespace))),
    ),
    readSurroundings(scope, options),
  ]);
  const { around, flags } = surroundings;
  const unread = [...reads.unread, ...around.unread];
  return {
    flags,
    install: { ...around, deployments, sets, machines, classes: classes ?? [], unread },
  };
}

/** Undefined: all. */
export function namespaceOf(scope: ClusterScope, { allNamespaces = false }: InstallScope) {
  return allNamespaces ? undefined : scope.namespace;
}

/** With what Temporal says of it, where its address is known. */
export async function readAll(scope: ClusterScope, options: InstallOptions): Promise<Install> {
  // Its import takes longer than most answers: it begins while they come.
  const early = isTemporalKnown(options, process.env) ? import('./temporal-facts.ts') : undefined;
  const { install, flags } = await readInstall(scope, options);
  const temporal = temporalOptionsOf(options, flags, process.env);
  if (!isTemporalKnown(temporal, process.env)) return install;
  const { readTemporal } = await (early ?? import('./temporal-facts.ts'));
  const facts = await readTemporal(scope, { install, flags, options: temporal });
  const isOfWatcher = isAddressOfWatcher(options, temporal);
  return { ...install, temporal: { ...facts, ...(isOfWatcher && { isOfWatcher }) } };
}

/** All but the objects of our kinds. */
export type Surroundings = Omit<Install, 'deployments' | 'sets' | 'machines' | 'classes'>;

export async function readSurroundings(
  scope: ClusterScope,
  options: InstallScope,
): Promise<{ around: Surroundings; flags: InstallFlags }> {
  const namespace = namespaceOf(scope, options);
  const { kube } = scope;
  const reads = new TolerantReads();
  const release = options.releaseNamespace ?? namespace;
  const [policies, stops, leases, ours, warnings] = await Promise.all([
    reads.read('DisruptionPolicies', readPolicies(kube, namespace)),
    reads.read('a stop (ConfigMap millwright-stop)', readStops(kube, namespace)),
    reads.read('Leases', readLeases(kube, namespace)),
    reads.read('the Deployments of watcher and worker', readOurs(kube, { release, namespace })),
    reads.read('Events', readWarnings(kube, namespace)),
  ]);
  const given = installFlagsOf(ours ?? []);
  const known = leases && (await leaseFacts(scope, { leases, flags: given, namespace, reads }));
  // The Leases of all namespaces are those of several installs.
  const note = namespace === undefined ? undefined : known?.[0]?.install;
  const flags = withNote(given, note, process.env);
  const now = Date.now();
  const around: Surroundings = {
    now,
    namespace,
    names: flags,
    policies: policies ?? [],
    stops: stops ?? [],
    leases: known,
    processes: processFactsOf(ours ?? []),
    warnings: warnings ?? [],
    timeouts: timeoutsOf(ours ?? []),
    temporal: undefined,
    unread: reads.unread,
  };
  return { around, flags };
}

interface LeasesRead {
  leases: Lease[];
  flags: InstallFlags;
  namespace: string | undefined;
  reads: TolerantReads;
}

/** Undefined where some may not be read. */
async function leaseFacts(scope: ClusterScope, read: LeasesRead): Promise<LeaseFact[] | undefined> {
  const facts = await plainLeaseFacts(scope, read);
  return facts && (await Promise.all(facts.map((fact) => withNamespace(scope, read, fact))));
}

async function plainLeaseFacts(
  scope: ClusterScope,
  read: LeasesRead,
): Promise<LeaseFact[] | undefined> {
  const { leases, flags, namespace } = read;
  if (namespace === undefined) return allLeaseFacts(leases);
  const all = await withElsewhere(scope, read);
  return all && leaseFactsOf(all, { namespace, leasePlace: flags.leasePlace });
}

/** Why no watcher leads may be that the namespace is on its way out. */
async function withNamespace(
  { kube }: ClusterScope,
  { reads }: LeasesRead,
  fact: LeaseFact,
): Promise<LeaseFact> {
  if (fact.holder !== undefined) return fact;
  const found = kube.get<KubeObject>(`/api/v1/namespaces/${fact.namespace}`);
  const namespace = await reads.read(`Namespace ${fact.namespace}`, found);
  return { ...fact, goingSince: timeOf(namespace?.metadata.deletionTimestamp) };
}

/** Reads all of the install but its machines. */
export async function readInstallFlags(
  { kube, namespace }: ClusterScope,
  { releaseNamespace }: Pick<InstallScope, 'releaseNamespace'>,
): Promise<InstallFlags> {
  const reads = new TolerantReads();
  const release = releaseNamespace ?? namespace;
  const ours = await reads.read('Deployments', readOurs(kube, { release, namespace }));
  return await notedFlags({ kube, namespace }, installFlagsOf(ours ?? []));
}

/** With what the Lease says, where it may be read. */
export async function notedFlags(
  { kube, namespace }: ClusterScope,
  flags: InstallFlags,
  env = process.env,
): Promise<InstallFlags> {
  const reads = new TolerantReads();
  const own = ownLeaseOf(namespace, flags.leasePlace);
  const found = await reads.read('Lease', kube.get<Lease>(leasePath(own.namespace, own.name)));
  const [fact] = leaseFactsOf(found ? [found] : [], { namespace, leasePlace: flags.leasePlace });
  return withNote(flags, fact?.install, env);
}

async function itemsOf<T>(list: Promise<{ items: T[] }>): Promise<T[]> {
  return (await list).items;
}

async function readStops(
  kube: KubeClient,
  namespace: string | undefined,
): Promise<NamespaceStop[]> {
  const query = { fieldSelector: `metadata.name=${stopName}` };
  const items = await itemsOf(kube.list<StopObject>(corePath('configmaps', namespace), query));
  return items.map((object) => ({
    namespace: object.metadata.namespace ?? '',
    ...stopOf(object),
  }));
}

/** In all namespaces, those of the watchers alone: each Node has a Lease as well. */
async function readLeases(kube: KubeClient, namespace: string | undefined): Promise<Lease[]> {
  const list = async (query: Query) =>
    await itemsOf(kube.list<Lease>(leasesPath(namespace), query));
  if (namespace !== undefined) return await list({});
  const named = ownLeaseNames.map((name) => list({ fieldSelector: `metadata.name=${name}` }));
  return (await Promise.all(named)).flat();
}

/** With the Lease of a watcher that leads from another namespace. */
async function withElsewhere(
  { kube, namespace }: ClusterScope,
  { leases, flags, reads }: LeasesRead,
): Promise<Lease[] | undefined> {
  const { resourceNamespace = namespace } = flags.leasePlace;
  if (resourceNamespace === namespace) return leases;
  const what = `Leases of namespace ${resourceNamespace}`;
  const elsewhere = await reads.read(what, readLeases(kube, resourceNamespace));
  return elsewhere && [...leases, ...elsewhere];
}

async function readOurs(
  kube: KubeClient,
  { release, namespace }: { release: string | undefined; namespace: string | undefined },
): Promise<Deployment[]> {
  const query = { labelSelector: 'app.kubernetes.io/component' };
  const items = await itemsOf(kube.list<Deployment>(deploymentsPath(release), query));
  const ours = items.filter(isOurs);
  return namespace === undefined ? ours : serversOf(ours, namespace);
}

interface EventObject {
  metadata: { namespace?: string; creationTimestamp: string };
  message?: string;
  lastTimestamp?: string | null;
  involvedObject: { kind: string; name: string };
}

async function readWarnings(
  kube: KubeClient,
  namespace: string | undefined,
): Promise<WarningFact[]> {
  const lists = warningReasons.map(async (reason) => {
    const query = { fieldSelector: `reason=${reason}` };
    const items = await itemsOf(kube.list<EventObject>(corePath('events', namespace), query));
    return items.map(({ metadata, message = '', lastTimestamp, involvedObject }) => ({
      namespace: metadata.namespace ?? '',
      reason,
      object: { kind: involvedObject.kind, name: involvedObject.name },
      message,
      at: timeOf(lastTimestamp) ?? timeOf(metadata.creationTimestamp) ?? 0,
    }));
  });
  return (await Promise.all(lists)).flat();
}

function processFactsOf(ours: readonly Deployment[]): ProcessFact[] {
  return ours.map((one) => ({
    namespace: one.metadata.namespace ?? '',
    name: one.metadata.name,
    component: componentOf(one) ?? 'process',
    isWatcher: isWatcher(one),
    wanted: wantedOf(one),
    available: one.status?.availableReplicas ?? 0,
  }));
}

/** As the flags of a worker have them, else the defaults. */
function timeoutsOf(ours: readonly Deployment[]): Timeouts {
  const workers = ours.filter(isWorker);
  const worker = workers.find(isWatcher) ?? workers[0];
  if (!worker) return defaultTimeouts;
  const words = containersOf(worker).flatMap(({ args = [] }) => args);
  // The program before them is no flag: that fault is left out.
  const { values } = readFlags(words, { component: 'worker' });
  return {
    creation: values['machine-creation-timeout'],
    health: values['machine-health-timeout'],
    drain: values['machine-drain-timeout'],
    inPlaceUpdate: values['machine-inplace-update-timeout'],
  };
}
