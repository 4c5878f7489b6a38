/** Binds pods to Nodes that take them: to any of those, by chance. */
import type { News } from './change-feed.ts';
import { Controller } from './controller.ts';
import type { ControllerParts } from './controller.ts';
import { fits } from './node-taints.ts';
import { isDeleting, isFinished } from './objects.ts';
import type { NodeObject, PodObject } from './objects.ts';
import { patchObject, readObject } from './writes.ts';

export class Scheduler extends Controller {
  readonly #nodes = new Map<string, NodeObject>();
  /** Paths of pods that no Node takes. */
  readonly #unschedulable = new Map<string, PodObject>();

  constructor(parts: ControllerParts) {
    super('scheduler', parts);
  }

  start(): void {
    this.listen(['Node', 'Pod']);
  }

  protected override hear({ kind, path, name, after }: News): void {
    if (kind === 'Pod') {
      if (after && isWaiting(after)) this.enqueue(path);
      else this.#unschedulable.delete(path);
    } else if (after) this.#hearNode(name, after);
    else this.#nodes.delete(name);
  }

  #hearNode(name: string, node: NodeObject): void {
    this.#nodes.set(name, node);
    for (const [path, pod] of this.#unschedulable) if (fits(pod, node)) this.enqueue(path);
  }

  protected override sync(path: string): void {
    const { server } = this.parts.cluster;
    const pod: PodObject | undefined = readObject(server, path);
    this.#unschedulable.delete(path);
    if (!pod || !isWaiting(pod)) return;
    const nodes = this.#nodesFor(pod);
    if (nodes.length === 0) {
      this.#unschedulable.set(path, pod);
      return;
    }
    const nodeName = this.chance.pick(nodes).metadata.name;
    patchObject(server, { path, uid: pod.metadata.uid }, { spec: { nodeName } });
  }

  #nodesFor(pod: PodObject): NodeObject[] {
    const name = pod.spec?.nodeSelector?.['kubernetes.io/hostname'];
    const named = name === undefined ? undefined : this.#nodes.get(name);
    const nodes = named ? [named] : [...this.#nodes.values()];
    return nodes.filter((node) => fits(pod, node));
  }
}

function isWaiting(pod: PodObject): boolean {
  return pod.spec?.nodeName === undefined && !isDeleting(pod) && !isFinished(pod);
}
