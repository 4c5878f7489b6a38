/** A world without processes of ours: API servers, and objects as if somebody worked on them. */
import { customResource, disruptionPolicy, lease } from '../../../kube/client/paths.ts';
import { ownLease } from '../../../kube/leases/lease-set.ts';
import { apiVersion, finalizers, labels, ownGroup } from '../../../workflows/api/constants.ts';
import { ApiServer } from '../../support/api-server/api-server.ts';
import { SimulatedProcess } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import { SimulatedTemporal } from '../temporal/server.ts';
import type { Cluster } from '../world/kube-client.ts';
import { Weather } from '../world/weather.ts';
import type { Trouble } from '../world/weather.ts';
import type { Install, Replica, World } from '../world/world.ts';
import { budgets } from './actions/pods.ts';
import type { Found } from './kubectl.ts';
import type { Kind } from './set-up.ts';

export function bareWorld(seed: number, trouble: Trouble): World {
  const simulation = new Simulation(seed);
  const weather = new Weather(simulation, trouble);
  const temporal = new SimulatedTemporal(simulation, {
    namespace: 'default',
    fateOf: ({ process, method }) => weather.fateOf(process, method),
  });
  const now = (): number => Math.floor(simulation.now);
  const seedCluster: Cluster = { name: 'seed', server: new ApiServer({ now }), isUp: true };
  seedCluster.server.install('DisruptionPolicy');
  const shoot: Cluster = { name: 'shoot', server: new ApiServer({ now }), isUp: true };
  const installs = [
    installOf(simulation, { name: 'one', control: seedCluster, target: seedCluster }),
    installOf(simulation, { name: 'two', control: seedCluster, target: shoot }),
  ];
  return { simulation, weather, temporal, clusters: [seedCluster, shoot], installs };
}

function installOf(
  simulation: Simulation,
  { name, control, target }: Pick<Install, 'name' | 'control' | 'target'>,
): Install {
  return {
    name,
    clusterUid: 'uid-of-seed',
    control,
    target,
    namespace: `garden-${name}`,
    taskQueue: name,
    replicas: [
      bareReplica(simulation, `${name}-watcher-1`, 'watcher'),
      bareReplica(simulation, `${name}-worker-1`, 'worker'),
    ],
  };
}

/** It does nothing but live, and come again. */
function bareReplica(
  simulation: Simulation,
  name: string,
  component: Replica['component'],
): Replica {
  let process: SimulatedProcess | undefined;
  function start(): void {
    process = new SimulatedProcess(simulation, { name });
    process.onEnd(() => {
      process = undefined;
      simulation.after(1_000, start);
    });
  }
  start();
  return {
    component,
    name,
    get process() {
      return process;
    },
    start,
    kill: () => process?.kill(),
    restart: () => {
      process?.note('is asked to end');
      process?.end();
    },
  };
}

/** What controllers would do by now: sets, Machines and Nodes appear, and what is deleted goes. */
export function workOn({ installs }: World): void {
  for (const install of installs) {
    for (const kind of ['machines', 'machinesets', 'machinedeployments', 'machineclasses'] as const)
      for (const object of listOf(install, kind)) releaseDeleted(install, kind, object);
    for (const deployment of listOf(install, 'machinedeployments')) makeSet(install, deployment);
    for (const set of listOf(install, 'machinesets')) makeMachines(install, set);
    for (const machine of listOf(install, 'machines')) makeNode(install, machine);
    makeBudgets(install);
    makePolicy(install);
    makeLease(install);
  }
}

function listOf({ control, namespace }: Install, kind: Kind): Found[] {
  const { items = [] }: { items?: Found[] } = control.server.get(customResource(kind, namespace));
  return items;
}

function releaseDeleted({ control, namespace }: Install, kind: Kind, { metadata }: Found): void {
  if (metadata.deletionTimestamp === undefined) return;
  const path = customResource(kind, namespace, metadata.name);
  control.server.patch(path, { type: 'merge', body: { metadata: { finalizers: null } } });
}

interface OwnerSpec {
  replicas?: number;
  selector?: object;
  template?: { metadata?: object; spec?: object };
}

function childOf({ kind = '', metadata }: Found, child: string) {
  const { name, uid } = metadata;
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return { name: child, finalizers: [finalizers.machine], ownerReferences: [owner] };
}

/** Of longer names the beginning, so that all of a child's fits. Characters. */
const [longestOwner, longestOfMachine] = [250, 61];

function makeSet({ control, namespace }: Install, deployment: Found): void {
  const name = `${deployment.metadata.name.slice(0, longestOwner)}-v1`;
  const path = customResource('machinesets', namespace, name);
  if (control.server.has(path)) {
    const { ownerReferences } = childOf(deployment, name);
    control.server.patch(path, { type: 'merge', body: { metadata: { ownerReferences } } });
    return;
  }
  const { replicas = 0, selector, template }: OwnerSpec = { ...deployment.spec };
  control.server.create(customResource('machinesets', namespace), {
    apiVersion,
    kind: 'MachineSet',
    metadata: childOf(deployment, name),
    spec: { replicas, selector, template },
  });
}

function makeMachines({ control, namespace }: Install, set: Found): void {
  const { replicas = 0, template }: OwnerSpec = { ...set.spec };
  for (let index = 0; index < Math.min(replicas, 5); index += 1) {
    const name = `${set.metadata.name.slice(0, longestOfMachine)}-${index}`;
    if (control.server.has(customResource('machines', namespace, name))) continue;
    control.server.create(customResource('machines', namespace), {
      apiVersion,
      kind: 'Machine',
      metadata: { ...template?.metadata, ...childOf(set, name) },
      spec: template?.spec,
    });
  }
}

function makeNode({ control, target, namespace }: Install, { metadata }: Found): void {
  const { name } = metadata;
  const path = customResource('machines', namespace, name);
  const status = {
    currentStatus: {
      phase: 'Failed',
      preserveExpiryTime: '2026-01-01T12:00:00Z',
    },
  };
  const isGone = !control.server.has(path);
  if (isGone) return;
  control.server.patch(path, {
    type: 'merge',
    body: { metadata: { labels: { node: name } }, spec: { providerID: `local:///a/${name}` } },
  });
  control.server.patch(`${path}/status`, { type: 'merge', body: { status } });
  if (!target.server.has(`/api/v1/nodes/${name}`)) {
    target.server.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  }
  // As where an update in place has failed.
  const held = { [labels.candidateForUpdate]: 'true', [labels.updateResult]: 'failed' };
  const body = { metadata: { labels: held } };
  target.server.patch(`/api/v1/nodes/${name}`, { type: 'merge', body });
}

function makeBudgets({ target: { server } }: Install): void {
  for (const name of ['web', 'db', 'batch', 'cache']) {
    if (server.has(`${budgets}/${name}`)) continue;
    server.create(budgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace: 'default' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: name } } },
    });
  }
}

function makePolicy({ control: { server }, namespace }: Install): void {
  const name = 'pools';
  if (server.has(disruptionPolicy(namespace, name))) return;
  const kind = { apiVersion: `${ownGroup}/v1alpha1`, kind: 'DisruptionPolicy' };
  server.create(disruptionPolicy(namespace), { ...kind, metadata: { name, namespace }, spec: {} });
}

function makeLease({ control: { server }, namespace }: Install): void {
  const metadata = { name: ownLease, namespace };
  if (server.has(lease(namespace, ownLease))) return;
  const spec = { holderIdentity: 'a watcher', leaseDurationSeconds: 15 };
  const kind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  server.create(lease(namespace), { ...kind, metadata, spec });
}
