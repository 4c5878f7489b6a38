/** The node lifecycle controller: taints of Nodes by their conditions, and their pods. */
import type { News } from './change-feed.ts';
import { secondOf } from '../../support/api-server/naming.ts';
import { Controller } from './controller.ts';
import type { ControllerParts } from './controller.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import { keysByConditions, sicknessOf, taintsWith } from './node-taints.ts';
import { conditionOf, isReady, withConditions } from './objects.ts';
import type { NodeObject, PodObject } from './objects.ts';
import type { PodIndex } from './pod-index.ts';
import { patchObject, patchStatus, readObject } from './writes.ts';

/** Nodes that turned sick are tainted `NoExecute` one at a time. Milliseconds. */
const longestQueueMs = 10_000;
/** While more of them are sick, none is tainted: it may be the network. */
const sickShare = 0.55;

export class NodeLifecycle extends Controller {
  readonly #index: PodIndex;
  /** By Node: what its condition Ready says. */
  readonly #states = new Map<string, string>();
  #sick = 0;

  constructor(parts: ControllerParts, index: PodIndex) {
    super('node lifecycle', parts);
    this.#index = index;
  }

  start(): void {
    this.listen(['Node']);
  }

  protected override hear({ name, after }: News): void {
    const was = this.#states.get(name);
    const is = after && stateOf(after);
    this.#sick += Number(isSick(is)) - Number(isSick(was));
    if (is === undefined) this.#states.delete(name);
    else this.#states.set(name, is);
    if (!after) return;
    this.enqueue(`taints ${name}`);
    if (was !== is) this.enqueue(`effects ${name}`, this.#turnMs(is));
    // A kubelet that says itself that it is not ready still speaks for its pods.
    if (was === 'True' && is === 'Unknown') this.enqueue(`pods ${name}`);
  }

  #turnMs(state: string | undefined): number {
    return isSick(state) ? this.chance.between(0, longestQueueMs) : 0;
  }

  protected override sync(key: string): void {
    const [what, name = ''] = key.split(' ');
    const node: NodeObject | undefined = readObject(this.parts.cluster.server, nodePath(name));
    if (!node) return;
    if (what === 'taints') this.#taint(node, 'NoSchedule', keysByConditions(node));
    else if (what === 'pods') this.#markPods(node);
    else this.#taintByReadiness(node);
  }

  #taintByReadiness(node: NodeObject): void {
    const sickness = sicknessOf(node);
    if (sickness !== undefined && this.#isDisrupted()) {
      this.enqueue(`effects ${node.metadata.name}`, longestQueueMs);
      return;
    }
    this.#taint(node, 'NoExecute', new Set(sickness === undefined ? [] : [sickness]));
  }

  #isDisrupted(): boolean {
    const all = this.#states.size;
    return this.#sick === all || (this.#sick > 2 && this.#sick / all >= sickShare);
  }

  #taint(node: NodeObject, effect: 'NoSchedule' | 'NoExecute', keys: ReadonlySet<string>): void {
    const timeAdded = secondOf(this.parts.simulation.now);
    const taints = taintsWith(node, { effect, keys, timeAdded });
    if (!taints) return;
    const { name, uid, resourceVersion } = node.metadata;
    this.note(`Node ${name}: ${effect} for ${[...keys].join(', ') || 'nothing'}`);
    const body = { metadata: { resourceVersion }, spec: { taints } };
    patchObject(this.parts.cluster.server, { path: nodePath(name), uid }, body);
  }

  /** Of the pods of a silent kubelet nothing is known. */
  #markPods(node: NodeObject): void {
    if (isReady(node)) return;
    const { server } = this.parts.cluster;
    const lastTransitionTime = secondOf(this.parts.simulation.now);
    for (const [path, pod] of this.#index.podsOn(node.metadata.name)) {
      if (!isReady(pod)) continue;
      const ready = { type: 'Ready', status: 'False', lastTransitionTime };
      const conditions = withConditions(pod.status?.conditions ?? [], [ready]);
      patchStatus(server, { path, uid: uidOf(pod) }, { conditions });
    }
  }
}

function stateOf(node: NodeObject): string {
  return conditionOf(node, 'Ready') ?? 'Unknown';
}

function isSick(state: string | undefined): boolean {
  return state !== undefined && state !== 'True';
}

function uidOf({ metadata }: PodObject): string {
  return metadata.uid;
}
