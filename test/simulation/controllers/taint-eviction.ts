/** Deletes pods that do not tolerate a taint `NoExecute` of their Node, when their time is over. */
import type { News } from './change-feed.ts';
import { Controller } from './controller.ts';
import type { ControllerParts } from './controller.ts';
import { stayOf } from './node-taints.ts';
import { isDeleting } from './objects.ts';
import type { NodeObject, PodObject, Taint } from './objects.ts';
import type { PodIndex } from './pod-index.ts';
import { deleteObject, readObject } from './writes.ts';

export class TaintEviction extends Controller {
  readonly #index: PodIndex;
  /** Of the Nodes that have some. */
  readonly #taints = new Map<string, readonly Taint[]>();
  /** Path and UID of a pod, and until when it may stay, milliseconds. */
  readonly #until = new Map<string, { uid: string; at: number }>();

  constructor(parts: ControllerParts, index: PodIndex) {
    super('taint eviction', parts);
    this.#index = index;
  }

  start(): void {
    this.listen(['Node', 'Pod']);
  }

  protected override hear(news: News): void {
    if (news.kind === 'Node') this.#hearNode(news);
    else this.#hearPod(news);
  }

  #hearNode({ name, after }: News): void {
    const taints = after ? driving(after) : [];
    const known = this.#taints.get(name) ?? [];
    if (taints.length > 0) this.#taints.set(name, taints);
    else this.#taints.delete(name);
    if (textOf(known) === textOf(taints)) return;
    for (const [path, pod] of this.#index.podsOn(name)) this.#consider(path, pod);
  }

  #hearPod({ path, after }: News): void {
    const pod: PodObject | undefined = after;
    if (pod?.spec?.nodeName === undefined || isDeleting(pod)) this.#cancel(path);
    else if (this.#until.get(path)?.uid !== pod.metadata.uid) this.#consider(path, pod);
  }

  #consider(path: string, pod: PodObject): void {
    const taints = this.#taints.get(pod.spec?.nodeName ?? '') ?? [];
    const staySeconds = stayOf(pod, taints);
    if (!Number.isFinite(staySeconds) || isDeleting(pod)) return this.#cancel(path);
    const { now } = this.parts.simulation;
    const { uid } = pod.metadata;
    const known = this.#until.get(path);
    const at = now + staySeconds * 1_000;
    // A further taint may make it shorter, never longer.
    if (known?.uid === uid && known.at <= at) return;
    this.#until.set(path, { uid, at });
    this.enqueue(path, at - now);
  }

  #cancel(path: string): void {
    this.#until.delete(path);
    this.forget(path);
  }

  protected override sync(path: string): void {
    const { uid, at } = this.#until.get(path) ?? {};
    if (uid === undefined || at === undefined || at > this.parts.simulation.now) return;
    this.#until.delete(path);
    const { server } = this.parts.cluster;
    if (readObject(server, path)?.metadata.uid !== uid) return;
    this.note(`deletes ${path}`);
    deleteObject(server, { path, uid });
  }
}

/** Those that drive pods away. */
function driving({ spec }: NodeObject): Taint[] {
  return (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

function textOf(taints: readonly Taint[]): string {
  return taints.map(({ key, value = '' }) => `${key}=${value}`).join();
}
