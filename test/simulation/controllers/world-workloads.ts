/** The workloads of all clusters, for users: they know of names and numbers only. */
import type { Chance } from '../engine/chance.ts';
import type { Cluster } from '../world/kube-client.ts';
import { baseOf, namedChance } from '../world/named-chance.ts';
import { applicationBy } from './standard-workloads.ts';
import type { Controllers } from './start-controllers.ts';
import type { WorkloadOptions } from './workload.ts';

interface Named extends Pick<WorkloadOptions, 'namespace' | 'name'> {
  cluster: Cluster;
}

export class WorldWorkloads {
  readonly #controllers: ReadonlyMap<Cluster, Controllers>;
  readonly #base: number;

  constructor(controllers: ReadonlyMap<Cluster, Controllers>, chance: Chance) {
    this.#controllers = controllers;
    this.#base = baseOf(chance);
  }

  /** Also changes the number of one that is there. What else it has follows from its name. */
  add({ cluster, ...workload }: Named & { replicas: number }): void {
    const chance = namedChance(this.#base, `${cluster.name} ${workload.name}`);
    this.#in(cluster)?.add(applicationBy(chance, workload));
  }

  remove({ cluster, ...workload }: Named): void {
    this.#in(cluster)?.remove(workload);
  }

  #in(cluster: Cluster) {
    return this.#controllers.get(cluster)?.workloads;
  }
}
