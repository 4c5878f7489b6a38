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
import type { Place } from '../connection/cluster.ts';
import type { Fleet, LeaseFact, NamespaceStop, WarningFact } from './install.ts';
import { askedWarnings } from '../diagnosis/install.ts';
import { timeOf } from './times.ts';
import { withNote } from './noted.ts';
import type { Deployment } from './deployments.ts';
import { isOurs, serversOf } from './deployments.ts';
import type { InstallFlags } from './flags.ts';
import { installOf } from './flags.ts';
import { allLeaseFacts, leaseFactsOf } from './lease-facts.ts';
import { corePath, deploymentsPath, leasesPath, machinesPath } from './paths.ts';
import { processFactsOf, timeoutsOf } from './process-facts.ts';
import type { FleetQuestion } from './question.ts';
import { TolerantReads } from './tolerant.ts';

export interface Reading {
  fleet: Fleet;
  install: InstallFlags;
}

export async function readFleet(place: Place, asked: FleetQuestion): Promise<Reading> {
  const namespace = namespaceOf(place, asked);
  const { kube } = place;
  const reads = new TolerantReads();
  const [deployments, sets, machines, classes, surroundings] = await Promise.all([
    itemsOf(kube.list<MachineDeployment>(machinesPath('machinedeployments', namespace))),
    itemsOf(kube.list<MachineSet>(machinesPath('machinesets', namespace))),
    itemsOf(kube.list<Machine>(machinesPath('machines', namespace))),
    reads.read(
      'MachineClasses',
      itemsOf(kube.list<MachineClass>(machinesPath('machineclasses', namespace))),
    ),
    readSurroundings(place, asked),
  ]);
  const { around, install } = surroundings;
  const unread = [...reads.unread, ...around.unread];
  return {
    install,
    fleet: { ...around, deployments, sets, machines, classes: classes ?? [], unread },
  };
}

/** Undefined: all. */
export function namespaceOf(place: Place, { allNamespaces = false }: FleetQuestion) {
  return allNamespaces ? undefined : place.namespace;
}

/** All but the objects of our kinds. */
export type Surroundings = Omit<Fleet, 'deployments' | 'sets' | 'machines' | 'classes'>;

export async function readSurroundings(
  place: Place,
  asked: FleetQuestion,
): Promise<{ around: Surroundings; install: InstallFlags }> {
  const namespace = namespaceOf(place, asked);
  const { kube } = place;
  const reads = new TolerantReads();
  const release = asked.releaseNamespace ?? namespace;
  const [stops, leases, ours, warnings] = await Promise.all([
    reads.read('a stop (ConfigMap millwright-stop)', readStops(kube, namespace)),
    reads.read('Leases', readLeases(kube, namespace)),
    reads.read('the Deployments of watcher and worker', readOurs(kube, { release, namespace })),
    reads.read('Events', readWarnings(kube, namespace)),
  ]);
  const flags = installOf(ours ?? []);
  const known = leases && (await leaseFacts(place, { leases, install: flags, namespace, reads }));
  const install = withNote(flags, noteOf(namespace, known), process.env);
  const now = Date.now();
  const around: Surroundings = {
    now,
    namespace,
    install,
    stops: stops ?? [],
    leases: known,
    processes: processFactsOf(ours ?? []),
    warnings: warnings ?? [],
    timeouts: timeoutsOf(ours ?? []),
    temporal: undefined,
    unread: reads.unread,
  };
  return { around, install };
}

/** The Leases of all namespaces are those of several installs. */
function noteOf(namespace: string | undefined, [only]: readonly LeaseFact[] = []) {
  return namespace === undefined ? undefined : only?.install;
}

interface LeasesRead {
  leases: Lease[];
  install: InstallFlags;
  namespace: string | undefined;
  reads: TolerantReads;
}

/** Undefined where some may not be read. */
async function leaseFacts(place: Place, read: LeasesRead): Promise<LeaseFact[] | undefined> {
  const facts = await plainLeaseFacts(place, read);
  return facts && (await Promise.all(facts.map((fact) => withNamespace(place, read, fact))));
}

async function plainLeaseFacts(place: Place, read: LeasesRead): Promise<LeaseFact[] | undefined> {
  const { leases, install, namespace } = read;
  if (namespace === undefined) return allLeaseFacts(leases);
  const all = await withElsewhere(place, read);
  return all && leaseFactsOf(all, { namespace, place: install.leasePlace });
}

/** Why no watcher leads may be that the namespace is on its way out. */
async function withNamespace(
  { kube }: Place,
  { reads }: LeasesRead,
  fact: LeaseFact,
): Promise<LeaseFact> {
  if (fact.holder !== undefined) return fact;
  const found = kube.get<KubeObject>(`/api/v1/namespaces/${fact.namespace}`);
  const namespace = await reads.read(`Namespace ${fact.namespace}`, found);
  return { ...fact, goingSince: timeOf(namespace?.metadata.deletionTimestamp) };
}

/** What is known of the install, without any machine. */
export async function readInstall(
  { kube, namespace }: Place,
  { releaseNamespace }: Pick<FleetQuestion, 'releaseNamespace'>,
): Promise<InstallFlags> {
  const reads = new TolerantReads();
  const release = releaseNamespace ?? namespace;
  const ours = await reads.read('Deployments', readOurs(kube, { release, namespace }));
  return await notedInstall({ kube, namespace }, installOf(ours ?? []));
}

/** With what the Lease says, where it may be read. */
export async function notedInstall(
  { kube, namespace }: Place,
  flags: InstallFlags,
  env = process.env,
): Promise<InstallFlags> {
  const reads = new TolerantReads();
  const own = ownLeaseOf(namespace, flags.leasePlace);
  const found = await reads.read('Lease', kube.get<Lease>(leasePath(own.namespace, own.name)));
  const [fact] = leaseFactsOf(found ? [found] : [], { namespace, place: flags.leasePlace });
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

/** Of all namespaces those of the watchers alone: each Node has a Lease as well. */
async function readLeases(kube: KubeClient, namespace: string | undefined): Promise<Lease[]> {
  const list = async (query: Query) =>
    await itemsOf(kube.list<Lease>(leasesPath(namespace), query));
  if (namespace !== undefined) return await list({});
  const named = ownLeaseNames.map((name) => list({ fieldSelector: `metadata.name=${name}` }));
  return (await Promise.all(named)).flat();
}

/** With the Lease of a watcher that leads from another namespace. */
async function withElsewhere(
  { kube, namespace }: Place,
  { leases, install, reads }: LeasesRead,
): Promise<Lease[] | undefined> {
  const { resourceNamespace = namespace } = install.leasePlace;
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
  reason: string;
  message?: string;
  lastTimestamp?: string | null;
  involvedObject: { kind: string; name: string };
}

async function readWarnings(
  kube: KubeClient,
  namespace: string | undefined,
): Promise<WarningFact[]> {
  const lists = await Promise.all(
    askedWarnings.map((reason) =>
      itemsOf(
        kube.list<EventObject>(corePath('events', namespace), {
          fieldSelector: `reason=${reason}`,
        }),
      ),
    ),
  );
  return lists.flat().map(({ metadata, reason, message = '', lastTimestamp, involvedObject }) => ({
    namespace: metadata.namespace ?? '',
    reason,
    object: { kind: involvedObject.kind, name: involvedObject.name },
    message,
    at: timeOf(lastTimestamp) ?? timeOf(metadata.creationTimestamp) ?? 0,
  }));
}
