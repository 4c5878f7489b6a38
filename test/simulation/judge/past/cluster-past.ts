/** What the judge remembers of a cluster. It hears of each change, and scans nothing. */
import type { KubeObject } from '../../../../kube/client/client.ts';
import type { Change } from '../../../support/api-server/store.ts';
import type { Simulation } from '../../engine/simulation.ts';
import type { Cluster } from '../../world/kube-client.ts';
import { matches, ownerOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import { Lives } from './lives.ts';
import type { Life } from './lives.ts';
import { Tallies } from './tallies.ts';

export class ClusterPast {
  readonly cluster: Cluster;
  readonly tallies = new Tallies();
  readonly machines = new Lives();
  readonly sets = new Lives();
  readonly deployments = new Lives();
  /** DisruptionPolicies. */
  readonly policies = new Lives();
  readonly classes = new Lives();
  readonly nodes = new Lives();
  readonly configMaps = new Lives();
  readonly leases = new Lives();
  /** Of the last restore; undefined: there was none. */
  restoredAt: number | undefined;
  readonly #simulation: Simulation;
  readonly #byProviderId = new Map<string, Set<Life>>();
  readonly #byKind = new Map<string, Lives>([
    ['Machine', this.machines],
    ['MachineSet', this.sets],
    ['MachineDeployment', this.deployments],
    ['DisruptionPolicy', this.policies],
    ['MachineClass', this.classes],
    ['Node', this.nodes],
    ['ConfigMap', this.configMaps],
    ['Lease', this.leases],
  ]);
  readonly #providerIdsOfNodes = new Set<string>();
  #version: number;

  constructor(simulation: Simulation, cluster: Cluster) {
    this.#simulation = simulation;
    this.cluster = cluster;
    this.machines.listen((life, before) => this.#machineChanged(life, before));
    this.sets.listen((set, before) => {
      if (JSON.stringify(before?.spec?.selector) === JSON.stringify(set.last.spec?.selector))
        return;
      for (const machine of this.machines.ownedBy(set.uid)) this.#count(machine);
    });
    this.nodes.listen(({ last: { spec } }) => {
      if (spec?.providerID !== undefined) this.#providerIdsOfNodes.add(spec.providerID);
    });
    this.#version = cluster.server.store.version;
    this.#readAll();
    cluster.server.store.listen((change) => this.#hear(change));
  }

  /** Machines that name this instance. */
  naming(providerID: string): Iterable<Life> {
    return this.#byProviderId.get(providerID) ?? [];
  }

  /** Whether there ever was a Node of this instance. */
  hadNode(providerID: string): boolean {
    return this.#providerIdsOfNodes.has(providerID);
  }

  /** To be called before anything is judged: a restored database tells nobody. */
  catchUp(): void {
    if (this.cluster.server.store.version < this.#version) this.restored();
  }

  /** A backup of a history that an earlier restore gave up may have later versions. */
  restored(): void {
    this.#version = this.cluster.server.store.version;
    this.restoredAt = this.#simulation.now;
    this.#readAll();
  }

  #hear({ version, before, after }: Change): void {
    if (version <= this.#version) {
      this.restoredAt = this.#simulation.now;
      this.#readAll();
    }
    this.#version = version;
    const kind = before?.target.resource.kind ?? after?.target.resource.kind ?? '';
    this.#byKind.get(kind)?.hear(before?.object, after?.object, this.#simulation.now);
  }

  #readAll(): void {
    const { now } = this.#simulation;
    for (const [kind, path] of collections) {
      const items = allAt(this.cluster, path);
      this.#byKind.get(kind)?.replaceAll(items, now);
    }
  }

  /** A set does not count what its selector does not match: it releases it (MCM 6.3). */
  #count({ uid, object }: Life): void {
    const set = object && this.sets.of(ownerOf(object))?.object;
    const isCounted = object && (!set || matches(object, set));
    this.tallies.count(uid, isCounted ? object : undefined, this.#simulation.now);
  }

  #machineChanged(life: Life, before: JudgedObject | undefined): void {
    this.#count(life);
    const [old, current] = [before?.spec?.providerID, life.object?.spec?.providerID];
    if (old !== undefined && old !== current) this.#byProviderId.get(old)?.delete(life);
    if (current !== undefined) {
      const naming = this.#byProviderId.get(current) ?? new Set<Life>();
      this.#byProviderId.set(current, naming.add(life));
    }
  }
}

/** None where the CRD is not installed. */
function allAt({ server }: Cluster, path: string): KubeObject[] {
  if (!server.serves(path)) return [];
  const { items = [] }: { items?: KubeObject[] } = server.get(path);
  return items;
}

const ours = '/apis/machine.sapcloud.io/v1alpha1';
const collections: readonly [kind: string, path: string][] = [
  ['MachineDeployment', `${ours}/machinedeployments`],
  ['MachineSet', `${ours}/machinesets`],
  ['Machine', `${ours}/machines`],
  ['MachineClass', `${ours}/machineclasses`],
  ['DisruptionPolicy', '/apis/millwright.dev/v1alpha1/disruptionpolicies'],
  ['Node', '/api/v1/nodes'],
  ['ConfigMap', '/api/v1/configmaps'],
  ['Lease', '/apis/coordination.k8s.io/v1/leases'],
];
