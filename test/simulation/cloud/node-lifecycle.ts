/**
 * What the node lifecycle controller of a cluster makes of silence: a Node whose kubelet is not
 * heard becomes Unknown. Taints, and what becomes of pods, is in controllers/node-lifecycle.ts.
 */
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import type { Kubelet } from './kubelet.ts';
import { readyCondition } from './node.ts';
import { namesOfNodes, readNode, writeStatus } from './node-status.ts';

/** After so long without a word from its kubelet a Node is Unknown. */
const graceMs = 50_000;
const retryMs = 5_000;
/** Also what nothing reported is found then, as after a restore of the database. */
const sweepMs = 300_000;

export class NodeLifecycle {
  readonly #simulation: Simulation;
  readonly #cluster: Cluster;
  /** By the name of their Node, which two may share for a while. */
  readonly #kubelets = new Map<string, Set<Kubelet>>();
  /** Since when none of its kubelets is heard, milliseconds since 1970. */
  readonly #silentSince = new Map<string, number>();

  constructor(simulation: Simulation, cluster: Cluster) {
    this.#simulation = simulation;
    this.#cluster = cluster;
    this.#sweepLater();
  }

  /** Knows of a kubelet from now on. */
  add(kubelet: Kubelet): void {
    const { name } = kubelet;
    const present = this.#kubelets.get(name);
    if (present) present.add(kubelet);
    else this.#kubelets.set(name, new Set([kubelet]));
  }

  /** Its instance is gone. */
  remove(kubelet: Kubelet): void {
    const present = this.#kubelets.get(kubelet.name);
    present?.delete(kubelet);
    if (present?.size === 0) this.#kubelets.delete(kubelet.name);
    this.miss(kubelet.name);
  }

  isHeard(name: string): boolean {
    return [...(this.#kubelets.get(name) ?? [])].some(({ isHeard }) => isHeard);
  }

  /** From now on a kubelet is not heard. */
  miss(name: string): void {
    this.#silentSince.set(name, this.#simulation.now);
    this.#simulation.after(graceMs, () => this.#check(name));
  }

  #check(name: string): void {
    const cluster = this.#cluster;
    if (!cluster.isUp) {
      this.#simulation.after(retryMs, () => this.#check(name));
      return;
    }
    if (readNode(cluster, name) && this.#isLost(name)) this.#loseTouch(name);
  }

  #isLost(name: string): boolean {
    const since = this.#silentSince.get(name);
    if (since === undefined || this.isHeard(name)) return false;
    // A timer may come a fraction of a millisecond early.
    return this.#simulation.now - since > graceMs - 1;
  }

  #loseTouch(name: string): void {
    const { now } = this.#simulation;
    const condition = readyCondition('Unknown', 'Kubelet stopped posting node status.');
    const isNew = writeStatus(this.#cluster, { name, condition, now });
    if (isNew) this.#simulation.note('node-lifecycle', `Node ${name}: Ready is Unknown`);
  }

  #sweepLater(): void {
    this.#simulation.after(sweepMs, () => {
      this.#sweepLater();
      if (!this.#cluster.isUp) return;
      for (const name of namesOfNodes(this.#cluster)) {
        for (const kubelet of this.#kubelets.get(name) ?? []) kubelet.report();
        this.#check(name);
      }
    });
  }
}
