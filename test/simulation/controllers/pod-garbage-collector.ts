/** Removes pods whose Node is gone, and pods that are deleted before they had one. */
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { News } from './change-feed.ts';
import { Controller } from './controller.ts';
import type { ControllerParts } from './controller.ts';
import { isDeleting } from './objects.ts';
import type { PodObject } from './objects.ts';
import type { PodIndex } from './pod-index.ts';
import { deleteObject, readObject } from './writes.ts';

/** It looks for them so often, and for so long a Node has to be gone. Milliseconds. */
const periodMs = 20_000;
const quarantineMs = 40_000;

export class PodGarbageCollector extends Controller {
  readonly #index: PodIndex;

  constructor(parts: ControllerParts, index: PodIndex) {
    super('pod garbage collector', parts);
    this.#index = index;
  }

  start(): void {
    this.listen(['Node', 'Pod']);
  }

  protected override hear({ kind, path, name, after }: News): void {
    if (kind === 'Node') {
      if (!after) this.#suspect(name);
      return;
    }
    if (!after) return;
    const pod: PodObject = after;
    const { nodeName } = pod.spec ?? {};
    if (nodeName !== undefined) {
      if (!this.#index.node(nodeName)) this.#suspect(nodeName);
    } else if (isDeleting(pod)) this.enqueue(`pod ${path}`, this.chance.between(0, periodMs));
  }

  #suspect(nodeName: string): void {
    this.enqueue(`node ${nodeName}`, quarantineMs + this.chance.between(0, periodMs));
  }

  protected override sync(key: string): void {
    const [what, of = ''] = key.split(' ');
    if (what === 'pod') this.#removeUnbound(of);
    else if (!this.parts.cluster.server.has(nodePath(of))) this.#removeAllOn(of);
  }

  #removeUnbound(path: string): void {
    const pod: PodObject | undefined = readObject(this.parts.cluster.server, path);
    if (pod && isDeleting(pod) && pod.spec?.nodeName === undefined) this.#remove(path, pod);
  }

  #removeAllOn(nodeName: string): void {
    for (const [path, pod] of this.#index.podsOn(nodeName)) this.#remove(path, pod);
  }

  #remove(path: string, { metadata: { uid } }: PodObject): void {
    this.note(`removes ${path}`);
    deleteObject(this.parts.cluster.server, { path, uid }, { gracePeriodSeconds: 0 });
  }
}
