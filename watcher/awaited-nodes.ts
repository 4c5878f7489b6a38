/**
 * Creates that wait for the Node of their machine, in a process whose watcher hears of it: what the
 * Node's signal would say goes to the create, and no step of a workflow is needed for it
 * (docs/decisions/0062-one-process.md).
 */
import type { NodeSnapshot } from '../workflows/contracts/snapshots.ts';
import { isUsableNode } from '../workflows/contracts/snapshots.ts';
import type { NamespacedName } from '../workflows/contracts/references.ts';
import { after, type Timer } from '../activities/system/system.ts';
import type { Signal } from './dispatch/signal.ts';

/** Longer than a small cloud boots; in a large one the workflow waits, which takes no slot. */
const longestMs = 10_000;
/** As long as the signal of a Node that is not Ready waits: then it gets its labels. */
const longestUnreadyMs = 1_000;

/** One create. */
export interface AwaitedNode {
  /** The Node once it is Ready. Undefined: it did not come in time, or something else happened. */
  readonly ready: Promise<NodeSnapshot | undefined>;
  /** Signals of the Node go to the workflow from now on. Returns the last that did not. */
  end(): NodeSnapshot | undefined;
}

export class AwaitedNodes {
  readonly #most: number;
  readonly #waiting = new Map<string, Waiting>();
  /** Namespaces that this process leads. */
  readonly #led = new Set<string>();

  /** `most`: that wait at once. The one that has waited longest gives way. */
  constructor(most: number) {
    this.#most = most;
  }

  begin(namespace: string): void {
    this.#led.add(namespace);
  }

  stop(namespace: string): void {
    this.#led.delete(namespace);
    for (const waiting of this.#waiting.values()) {
      if (waiting.machine.namespace === namespace) waiting.settle();
    }
  }

  /** To be called before the Machine names its Node. Undefined: no watcher leads here. */
  wait(machine: NamespacedName): AwaitedNode | undefined {
    if (!this.#led.has(machine.namespace)) return undefined;
    const key = keyOf(machine);
    this.#waiting.get(key)?.settle();
    const waiting = new Waiting(machine);
    this.#waiting.set(key, waiting);
    if (this.#waiting.size > this.#most) this.#giveWay();
    return {
      ready: waiting.ready,
      end: () => {
        if (this.#waiting.get(key) === waiting) this.#waiting.delete(key);
        return waiting.end();
      },
    };
  }

  /** Whether a create takes the signal. All else that happens to its machine ends its wait. */
  takes(namespace: string, { kind, object, name, payload }: Signal): boolean {
    if (kind !== 'machine') return false;
    const waiting = this.#waiting.get(keyOf({ namespace, name: object }));
    if (!waiting) return false;
    if (name === 'nodeObserved' && 'isReady' in payload) {
      waiting.take(payload);
      return true;
    }
    waiting.settle();
    return false;
  }

  #giveWay(): void {
    for (const waiting of this.#waiting.values()) {
      if (waiting.isSettled) continue;
      waiting.settle();
      return;
    }
  }
}

const keyOf = ({ namespace, name }: NamespacedName): string => `${namespace}/${name}`;

class Waiting {
  readonly machine: NamespacedName;
  readonly #ready = Promise.withResolvers<NodeSnapshot | undefined>();
  readonly #limit: Timer;
  #unready: Timer | undefined;
  #last: NodeSnapshot | undefined;
  isSettled = false;

  constructor(machine: NamespacedName) {
    this.machine = machine;
    this.#limit = after(longestMs, () => this.settle());
  }

  get ready(): Promise<NodeSnapshot | undefined> {
    return this.#ready.promise;
  }

  take(node: NodeSnapshot): void {
    this.#last = node;
    if (isUsableNode(node)) this.settle(node);
    else this.#unready ??= after(longestUnreadyMs, () => this.settle());
  }

  settle(node?: NodeSnapshot): void {
    this.isSettled = true;
    this.#limit.cancel();
    this.#unready?.cancel();
    this.#ready.resolve(node);
  }

  end(): NodeSnapshot | undefined {
    this.settle();
    return this.#last;
  }
}
