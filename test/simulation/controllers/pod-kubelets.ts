/**
 * What kubelets do for pods: they run those that are bound to their Node, and end those that are
 * deleted. A kubelet that is dead does neither.
 */
import { secondOf } from '../../support/api-server/naming.ts';
import type { News } from './change-feed.ts';
import { Controller } from './controller.ts';
import type { ControllerParts } from './controller.ts';
import { isAttached, volumesOf } from './volumes.ts';
import { claimsOf, isDeleting, isFinished, isReady, withConditions } from './objects.ts';
import type { AttachmentObject, PodObject } from './objects.ts';
import type { PodIndex } from './pod-index.ts';
import { deleteObject, patchStatus, readObject } from './writes.ts';

export interface KubeletsOptions {
  index: PodIndex;
  /** Whether the kubelet of this Node runs. */
  isAlive(nodeName: string): boolean;
}

/** Milliseconds. */
const startMs = { least: 500, most: 8_000 };
const shortestEndMs = 200;
const checkMs = 10_000;
/** Kubernetes' own, seconds. */
const defaultGraceSeconds = 30;

export class PodKubelets extends Controller {
  readonly #options: KubeletsOptions;
  /** Of pods that are deleted, by UID: when they end; `Infinity`: when the weather clears. */
  readonly #endsAt = new Map<string, number>();
  /** By Node: paths of pods for which its kubelet has something to do when it lives again. */
  readonly #waiting = new Map<string, Set<string>>();

  constructor(parts: ControllerParts, options: KubeletsOptions) {
    super('kubelets', parts);
    this.#options = options;
  }

  start(): void {
    // Many programs on many machines: they do not stop together.
    this.listen(['Pod', 'Node', 'VolumeAttachment'], { hasSpells: false });
  }

  protected override hear({ kind, path, before, after }: News): void {
    if (kind === 'Pod') {
      if (after) this.#hearPod(path, after);
      else if (before) this.#endsAt.delete(before.metadata.uid);
    } else if (kind === 'Node') {
      if (after && isReady(after) && !(before && isReady(before))) this.#see(after.metadata.name);
    } else if (after) this.#hearAttachment(after);
  }

  #hearPod(path: string, pod: PodObject): void {
    if (pod.spec?.nodeName === undefined) return;
    if (isDeleting(pod)) this.#seeToEnd(path, pod);
    else if (!isReady(pod) && !isFinished(pod)) {
      this.enqueue(path, this.chance.between(startMs.least, startMs.most));
    }
  }

  #hearAttachment({ spec = {}, status = {} }: AttachmentObject): void {
    if (status.attached !== true) return;
    for (const [path, pod] of this.#options.index.podsOn(spec.nodeName ?? '')) {
      if (claimsOf(pod).length > 0 && !isReady(pod)) this.enqueue(path);
    }
  }

  /** All pods of a Node, since its kubelet may do something for them now. */
  #see(nodeName: string): void {
    for (const [path, pod] of this.#options.index.podsOn(nodeName)) this.#hearPod(path, pod);
  }

  /** When the pod ends, milliseconds; `Infinity`: when the weather clears. */
  #endOf({ metadata, spec }: PodObject): number {
    const { now } = this.parts.simulation;
    const known = this.#endsAt.get(metadata.uid);
    if (known === Infinity) return known;
    const graceSeconds =
      metadata.deletionGracePeriodSeconds ??
      spec?.terminationGracePeriodSeconds ??
      defaultGraceSeconds;
    const graceMs = graceSeconds * 1_000;
    // A further deletion may only make it shorter.
    const at = known === undefined ? this.#drawnEnd(graceMs) : Math.min(known, now + graceMs);
    this.#endsAt.set(metadata.uid, at);
    return at;
  }

  #drawnEnd(graceMs: number): number {
    const isStuck = this.goesWrong(this.parts.trouble.stuckPods);
    const endMs = this.chance.between(Math.min(shortestEndMs, graceMs), graceMs);
    return isStuck ? Infinity : this.parts.simulation.now + endMs;
  }

  /** A pod that never terminates is asked after from time to time. */
  #seeToEnd(path: string, pod: PodObject): void {
    const at = this.#endOf(pod);
    this.enqueue(path, at === Infinity ? checkMs : Math.max(0, at - this.parts.simulation.now));
  }

  protected override sync(path: string): void {
    const pod: PodObject | undefined = readObject(this.parts.cluster.server, path);
    const nodeName = pod?.spec?.nodeName;
    if (!pod || nodeName === undefined) return;
    if (!this.#options.isAlive(nodeName)) this.#wait(nodeName, path);
    else if (isDeleting(pod)) this.#end(path, pod);
    else if (!isReady(pod) && !isFinished(pod)) this.#run(path, pod);
  }

  #wait(nodeName: string, path: string): void {
    const paths = this.#waiting.get(nodeName);
    if (paths) {
      paths.add(path);
      return;
    }
    this.#waiting.set(nodeName, new Set([path]));
    this.#checkLater(nodeName);
  }

  #checkLater(nodeName: string): void {
    this.parts.simulation.after(checkMs, () => {
      const paths = [...(this.#waiting.get(nodeName) ?? [])];
      const { server } = this.parts.cluster;
      const left = paths.filter((path) => server.has(path));
      this.#waiting.delete(nodeName);
      if (left.length === 0) return;
      if (this.#options.isAlive(nodeName)) for (const path of left) this.enqueue(path);
      else {
        this.#waiting.set(nodeName, new Set(left));
        this.#checkLater(nodeName);
      }
    });
  }

  #end(path: string, pod: PodObject): void {
    const { simulation, weather, cluster } = this.parts;
    const { uid, deletionGracePeriodSeconds, finalizers = [] } = pod.metadata;
    // Its part is done: others hold the object.
    if (deletionGracePeriodSeconds === 0 && finalizers.length > 0) return;
    const at = this.#endOf(pod);
    const isOver = at === Infinity ? weather.isClear : at <= simulation.now;
    if (!isOver) return this.#seeToEnd(path, pod);
    this.note(`ends ${path}`);
    deleteObject(cluster.server, { path, uid }, { gracePeriodSeconds: 0 });
  }

  #run(path: string, pod: PodObject): void {
    const { server } = this.parts.cluster;
    const { nodeName = '' } = pod.spec ?? {};
    if (!volumesOf(server, pod).every((volume) => isAttached(server, { volume, nodeName }))) return;
    const node = this.#options.index.node(nodeName);
    // What its own report says of the Node comes first.
    if (node && !isReady(node)) return;
    const lastTransitionTime = secondOf(this.parts.simulation.now);
    const types = ['Initialized', 'ContainersReady', 'Ready', 'PodScheduled'];
    const conditions = types.map((type) => ({ type, status: 'True', lastTransitionTime }));
    const { uid } = pod.metadata;
    const status = {
      phase: 'Running',
      conditions: withConditions(pod.status?.conditions ?? [], conditions),
    };
    patchStatus(server, { path, uid }, status);
  }
}
