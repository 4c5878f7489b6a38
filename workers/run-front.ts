/** The front from its start on: it mirrors the objects of `cluster.k8s.io` as ours, and back. */
import type { Registry } from 'prom-client';
import type { FrontWatcher } from '../watcher/front/index.ts';
import { MachineControllerLease } from '../watcher/front/machine-controller-lease.ts';
import { isLeaseOfMcm } from '../kube/leases/lease-set.ts';
import { FairTurns } from './fleet/fair-turns.ts';
import { Fleet, isFleet } from './fleet/fleet.ts';
import { reportNotServed } from './fleet/report-not-served.ts';
import type { CrdView } from './front/crds.ts';
import { watchCrds } from './front/crds.ts';
import { registerFrontMetrics } from './front/metrics.ts';
import type { FrontParts } from './front/serve-front.ts';
import { serveFront } from './front/serve-front.ts';
import { createFrontWorker, passesByNamespace } from './front/worker.ts';
import { waitsForServers, watchTemporal } from './kube/clients.ts';
import type { WorkerOutside } from './outside.ts';
import type { Process } from './process/process.ts';
import type { TemporalReach } from './process/temporal-reach.ts';
import { reachServers } from './reach-servers.ts';
import { untilConnected } from './temporal/connected.ts';
import { untilSearchAttributesKnown } from './temporal/search-attributes.ts';
import { shutDown } from './temporal/shut-down.ts';
import type { TemporalWorker } from './temporal/worker-factory.ts';
import { frontQueueOf } from '../workflows/contracts/task-queues.ts';

/** Signals that are being sent at a time. */
const signalsAtOnce = 16;

type FrontOutside = Omit<WorkerOutside, 'createDrivers' | 'copies'>;

/** State of the process at its HTTP port. */
interface Signs {
  /** Empty: it works. */
  state: string;
  reach?: TemporalReach;
  crds?: CrdView;
  fleet?: Fleet;
}

export async function runFront(
  process: Process,
  outside: FrontOutside,
  env: FrontParts['env'],
): Promise<void> {
  const { config, log, shutdown, openHttp } = process;
  const { metricsUrl } = await outside.installTemporalRuntime(log);
  const watchers: FrontParts['watchers'] = new Map();
  const signs: Signs = { state: waitsForServers };
  const { registry } = await openHttp({
    ...(metricsUrl !== undefined && { sdkMetricsUrl: metricsUrl }),
    whyNotReady: () => faultOf(signs, isFleet(config) ? [] : [...watchers.values()]),
  });
  const metrics = registerFrontMetrics(registry, watchers);
  const { factory, ...servers } = await openServers(process, outside, { registry, signs });
  const { clients, identity } = servers;
  const createClient = outside.kubeClient;
  const turns = new FairTurns(signalsAtOnce);
  const activities: FrontParts['activities'] = new Map();
  const parts = { ...servers, config, createClient, turns, env, activities, watchers };
  const fleet = new Fleet({
    config,
    control: clients.control,
    log,
    registry,
    shutdown,
    serve: (attempt) => serveFront(parts, attempt),
    onReason: (namespace, reason) =>
      reportNotServed(clients.control, config, { namespace, reason }),
  });
  signs.fleet = fleet;
  await fleet.settled();
  const held = new MachineControllerLease({
    client: servers.leaseClient,
    lease: config.front.machineControllerLease,
    install: config.install.name,
    isNeeded: () => needsLease(config, watchers),
    isNeededElsewhere: () => hasMirrorsAnywhere(watchers),
    log,
  });
  shutdown.add('Lease of machine-controller', () => held.stop());
  const whyNotServed = (namespace: string) => fleet.whyNotServed(namespace);
  const passes = passesByNamespace({ activities, whyNotServed, metrics });
  const taskQueue = frontQueueOf(identity.taskQueue);
  const worker = await createFrontWorker({ config, taskQueue, factory, activities: passes });
  runUntilEnd(worker, process);
  signs.state = '';
  log.info({ namespaces: config.namespaces, taskQueue }, 'working');
}

/** Without the flag the watcher of its namespace holds it as a Lease of MCM, and needs it. */
function needsLease(
  { front: { machineControllerLease }, leaderElection: { notOfMcm } }: Process['config'],
  watchers: FrontParts['watchers'],
): boolean | undefined {
  const { namespace, name } = machineControllerLease;
  if (!notOfMcm && watchers.has(namespace) && isLeaseOfMcm(name)) return undefined;
  const said = [...watchers.values()].map((watcher) => watcher.hasMirrors());
  return said.find(Boolean) ?? said.find((one) => one !== undefined);
}

/** Another front may lead in some of the namespaces. */
async function hasMirrorsAnywhere(watchers: FrontParts['watchers']): Promise<boolean> {
  for (const watcher of watchers.values()) {
    if (watcher.hasMirrors() ?? (await watcher.readsMirrors())) return true;
  }
  return false;
}

/** That one of many namespaces is not heard of is no fault of the process. */
function faultOf(
  { state, reach, crds, fleet }: Signs,
  [only]: readonly FrontWatcher[],
): string | undefined {
  if (state !== '') return fleet?.whyNotSettled() ?? state;
  return crds?.fault() ?? only?.whyNotReady() ?? reach?.fault() ?? fleet?.fault();
}

async function openServers(
  process: Process,
  outside: FrontOutside,
  { registry, signs }: { registry: Registry; signs: Signs },
) {
  const { config, log, shutdown } = process;
  const onReason = (reason = waitsForServers): void => void (signs.state = reason);
  const waiting = { log, signal: shutdown.signal, onReason };
  const servers = await reachServers(process, outside, { registry, waiting });
  const { clients, temporal } = servers;
  signs.reach = watchTemporal(temporal, { config, shutdown, registry });
  await untilSearchAttributesKnown(temporal, { ...waiting, onMissing: onReason });
  const factory = await untilConnected(process, outside, waiting);
  const leaseClient = outside.leaseClient(config);
  shutdown.add('Lease client', () => leaseClient.close());
  signs.crds = await watchCrds(clients.control, { log, shutdown });
  return { ...servers, factory, leaseClient };
}

function runUntilEnd(worker: TemporalWorker, { log, shutdown }: Process): void {
  const running = worker.run();
  shutdown.add('worker', async () => {
    shutDown([worker]);
    await Promise.allSettled([running]);
  });
  running.catch((err: unknown) => {
    log.fatal({ err }, 'the worker failed');
    shutdown.begin('the worker failed', 1);
  });
}
