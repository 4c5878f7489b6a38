/** One kubelet: registers its Node, says how it is, and is silent at times. */
import { annotations, labels } from '../../../workflows/api/constants.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { factsOf, newNode, pathOfNode, readyCondition } from './node.ts';
import type { Condition, NodeObject } from './node.ts';
import { readNode, writeStatus } from './node-status.ts';
import type { InstanceRecord } from './records.ts';

export interface KubeletParts {
  simulation: Simulation;
  cluster: Cluster;
  record: InstanceRecord;
}

const retryMs = 5_000;
/** From its registration until the network of the Node is up. Milliseconds. */
export const networkMs = 1_000;

export class Kubelet {
  readonly #parts: KubeletParts;
  /** The process runs, and its words arrive. */
  #isHeard = false;
  #isRegistered = false;
  #isReady = false;
  #isSick = false;
  /** Counts the starts: what an earlier one had in mind is over. */
  #life = 0;

  constructor(parts: KubeletParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.record.name;
  }

  get isHeard(): boolean {
    return this.#isHeard;
  }

  /**
   * At the start of its process, and only then, it makes a Node where there is none. One that is
   * there already it takes over, also from an earlier instance of its name: the providerID stays.
   */
  start(): void {
    this.#life += 1;
    this.#isHeard = true;
    this.#isRegistered = false;
    this.#isReady = false;
    this.#register(this.#life);
  }

  /** The process has ended, or its network has; a Node that is there stays. */
  fallSilent(): void {
    this.#isHeard = false;
  }

  /** After a silence in which the process went on. */
  speak(): void {
    this.#isHeard = true;
    this.report();
  }

  setSick(isSick: boolean): void {
    this.#isSick = isSick;
    this.report();
  }

  /** Writes what is not as it should be. */
  report(): void {
    if (!this.#isReady) return;
    const condition = this.#isSick
      ? readyCondition('False', 'container runtime is down')
      : readyCondition('True', 'kubelet is posting ready status');
    this.write(condition);
  }

  /** A condition of its Node, as soon as the API server is there. */
  write(condition: Condition, facts?: object): void {
    const { simulation, cluster } = this.#parts;
    if (!this.#isHeard || !this.#isRegistered) return;
    if (!cluster.isUp) {
      simulation.after(retryMs, () => this.report());
      return;
    }
    // A Node that was deleted stays so.
    if (!readNode(cluster, this.name)) return;
    const { now } = simulation;
    const { type, status } = condition;
    const isNew = writeStatus(cluster, { name: this.name, condition, now, facts });
    if (isNew) simulation.note('kubelet', `Node ${this.name}: ${type} is ${status}`);
  }

  /** What NodeRestriction lets it write on its own Node. */
  lie(other: string): void {
    const { simulation, cluster } = this.#parts;
    if (!this.#isHeard || !cluster.isUp || !readNode(cluster, this.name)) return;
    const metadata = {
      labels: { [labels.machineName]: other },
      annotations: { [annotations.lastAppliedNodeTemplate]: '{"taints":[{}' },
    };
    cluster.server.patch(pathOfNode(this.name), { type: 'merge', body: { metadata } });
    simulation.note('kubelet', `Node ${this.name} says it is ${other}`);
  }

  #register(life: number): void {
    const { simulation, cluster, record } = this.#parts;
    if (life !== this.#life || !this.#isHeard) return;
    if (!cluster.isUp) {
      simulation.after(retryMs, () => this.#register(life));
      return;
    }
    const present = readNode(cluster, this.name);
    const node: NodeObject = present ?? {
      ...cluster.server.create('/api/v1/nodes', newNode(record)),
    };
    record.nodeUid = node.metadata?.uid ?? '';
    this.#isRegistered = true;
    const what = present ? 'takes over' : 'registers';
    simulation.note('kubelet', `${what} Node ${this.name} for ${record.id}`);
    simulation.after(networkMs, () => {
      if (life === this.#life) this.#becomeReady();
    });
  }

  #becomeReady(): void {
    this.#isReady = true;
    if (!this.#isSick) {
      this.write(
        readyCondition('True', 'kubelet is posting ready status'),
        factsOf(this.#parts.record),
      );
    } else this.report();
  }
}
