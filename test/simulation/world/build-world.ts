/** Builds a world by seed: clusters, one or two installs of Millwright, their processes. */
import { quickRecovery } from '../../../deploy/local/components/operator.ts';
import type { Driver } from '../../../activities/drivers/driver.ts';
import { taskQueueOf } from '../../../workflows/contracts/task-queues.ts';
import { ApiServer } from '../../support/api-server/api-server.ts';
import type { RunPool } from '../core/run-pool.ts';
import type { Sandboxes } from '../core/sandbox.ts';
import type { Chance } from '../engine/chance.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import { SimulatedReplica } from '../processes/replica.ts';
import { SimulatedTemporal } from '../temporal/server.ts';
import type { Cluster, WriteListener } from './kube-client.ts';
import { namedChance } from './named-chance.ts';
import { toTemporal } from './weather.ts';
import type { Weather } from './weather.ts';
import type { Install, World } from './world.ts';

export interface WorldParts {
  simulation: Simulation;
  weather: Weather;
  sandboxes: Sandboxes;
  runs: RunPool;
  /** File. */
  workflowBundle: string;
  createDrivers(process: SimulatedProcess): ReadonlyMap<string, Driver>;
  onWrite?: WriteListener | undefined;
  /** Gets each line of the log of a process, as JSON. */
  onLog?: ((process: string, line: string) => void) | undefined;
}

interface Layout {
  name: string;
  namespace: string;
  control: string;
  target: string;
  workers: number;
  /** Flags. */
  leases: readonly string[];
  watchers: number;
}

const temporalNamespace = 'default';
/**
 * With it a run of a life is as long as one of weeks. One that begins, does a step and rests, some
 * 20 events, is not: it would begin anew again and again.
 */
const longPastWeight = 30;
/** Short ones, so that a few hours see many of them. Seconds. */
const limits = {
  creation: 600,
  health: 300,
  drain: 1_200,
};
/**
 * The default, and one in which hardly a call to a cloud ends: a worker that is asked to end breaks
 * it off 5 s before. Seconds.
 */
const gracePeriods = [20, 7];
/**
 * The default, by which an hour may pass until the clouds are searched, and one by which they are
 * searched also while something else goes wrong.
 */
const searchPeriods: readonly (readonly string[])[] = [
  [],
  ['--machine-safety-orphan-vms-period=3m'],
];
/** As in production, and as on the local stack. */
const runTimeouts: readonly (readonly string[])[] = [[], quickRecovery];

export function buildWorld(parts: WorldParts): World {
  const { simulation, weather } = parts;
  const ofPast = namedChance(simulation.seed, 'history');
  const temporal = new SimulatedTemporal(simulation, {
    historyWeight: ofPast.happens(0.25) ? longPastWeight : 1,
    namespace: temporalNamespace,
    fateOf: ({ process, method }) => weather.fateOf(process, method),
    isReachable: (process) => !weather.isCut(process, toTemporal),
  });
  const chance = simulation.chance.fork();
  const layouts = layoutsBy(chance);
  const versions = chance.fork();
  const clusters = new Map(
    [...new Set(layouts.flatMap(({ control, target }) => [control, target]))].map((name) => [
      name,
      createCluster(simulation, versions, name),
    ]),
  );
  const installs = layouts.map((layout) => {
    const install = installOf(layout, clusters);
    const replicas = replicasOf(layout, { ...parts, clusters, temporal }, chance);
    return { ...install, replicas };
  });
  return { simulation, weather, temporal, clusters: [...clusters.values()], installs };
}

const slowLeases = [
  '--leader-elect-lease-duration=60s',
  '--leader-elect-renew-deadline=40s',
  '--leader-elect-retry-period=15s',
];

/** One install, or two in namespaces of one control cluster; Nodes there or in another cluster. */
function layoutsBy(chance: Chance): Layout[] {
  // With the defaults a world does little else than renew its Leases.
  const leases = chance.happens(0.2) ? [] : slowLeases;
  const replicas = () => ({ workers: 1 + chance.below(2), watchers: 1 + chance.below(2), leases });
  const target = chance.pick(['seed', 'shoot']);
  const one = { name: 'one', namespace: 'garden-one', control: 'seed', target, ...replicas() };
  if (chance.happens(0.6)) return [one];
  const two = { name: 'two', namespace: 'garden-two', control: 'seed', target: 'shoot-two' };
  return [one, { ...two, ...replicas() }];
}

const largestVersion = 1_000_000;

function createCluster(simulation: Simulation, chance: Chance, name: string): Cluster {
  const server = new ApiServer({
    now: () => Math.floor(simulation.now),
    gracefulPods: true,
    // Clusters are of different ages: what is newer in one is older in the other.
    version: chance.below(largestVersion),
  });
  const uid = simulation.chance.uuid();
  const creationTimestamp = new Date(simulation.startMs).toISOString();
  const metadata = { name: 'kube-system', uid, resourceVersion: '1', creationTimestamp };
  server.put({ apiVersion: 'v1', kind: 'Namespace', metadata });
  return { name, server, isUp: true, listeners: new Set() };
}

function installOf(layout: Layout, clusters: ReadonlyMap<string, Cluster>): Install {
  const { name, namespace } = layout;
  const [control, target] = [clusters.get(layout.control), clusters.get(layout.target)];
  if (!control || !target) throw new Error(`a cluster of install ${name} is missing`);
  const clusterUid = uidOf(control);
  const taskQueue = taskQueueOf({ cluster: clusterUid, name: namespace });
  return { name, clusterUid, control, target, namespace, taskQueue, replicas: [] };
}

export function uidOf({ server }: Cluster): string {
  const object: { metadata?: { uid?: string } } = server.get('/api/v1/namespaces/kube-system');
  return object.metadata?.uid ?? '';
}

interface ReplicaParts extends WorldParts {
  clusters: ReadonlyMap<string, Cluster>;
  temporal: SimulatedTemporal;
}

function replicasOf(layout: Layout, parts: ReplicaParts, chance: Chance): SimulatedReplica[] {
  const { seed } = parts.simulation;
  const graceSeconds = namedChance(seed, 'grace').pick(gracePeriods);
  const timeouts = namedChance(seed, 'timeouts').pick(runTimeouts);
  const periods = namedChance(seed, 'searches').pick(searchPeriods);
  const isInOne = namedChance(seed, 'in one').happens(0.5);
  const components = isInOne
    ? Array.from({ length: layout.workers }, () => 'controller' as const)
    : [
        ...Array.from({ length: layout.watchers }, () => 'watcher' as const),
        ...Array.from({ length: layout.workers }, () => 'worker' as const),
      ];
  return components.map(
    (component, index) =>
      new SimulatedReplica({
        ...parts,
        component,
        name: `${layout.name}-${component}-${index + 1}`,
        flags: [
          `--namespace=${layout.namespace}`,
          `--machine-creation-timeout=${limits.creation}s`,
          `--machine-health-timeout=${limits.health}s`,
          `--machine-drain-timeout=${limits.drain}s`,
          `--shutdown-grace-period=${graceSeconds}s`,
          ...timeouts,
          ...periods,
          ...layout.leases,
        ],
        control: layout.control,
        target: layout.target,
        // Clocks of different machines are never quite the same.
        skewMs: Math.round(chance.between(-500, 500)),
      }),
  );
}
