import type { KubeCall, KubeObject } from '../kube-api.ts';
import { strategic } from '../kube-nodes.ts';
import type { Follower } from './follow.ts';
import type { KubeletParts } from './parts.ts';
import { podStep, runningStatus, type PodStep } from './pod-step.ts';

/** Starts and ends pods. */
export class PlayedPods implements Follower {
  readonly #parts: KubeletParts;
  readonly #addressOf: (nodeName: string) => string | undefined;
  /** By UID: those that wait for something, on any Node. */
  readonly #pods = new Map<string, KubeObject>();

  /** `addressOf`: of a Node; undefined where no kubelet runs. */
  constructor(parts: KubeletParts, addressOf: (nodeName: string) => string | undefined) {
    this.#parts = parts;
    this.#addressOf = addressOf;
  }

  list(pods: KubeObject[]): void {
    const present = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const [uid, pod] of this.#pods) if (!present.has(uid)) this.remove(pod);
    for (const pod of pods) this.change(pod);
  }

  remove({ metadata: { uid } }: KubeObject): void {
    this.#pods.delete(uid);
    this.#parts.agenda.drop(`pod ${uid}`);
  }

  change(pod: KubeObject): void {
    const step = podStep(pod);
    if (!step) return this.remove(pod);
    this.#pods.set(pod.metadata.uid, pod);
    this.#plan(pod, step);
  }

  /** The kubelet of this Node runs now. */
  resume(nodeName: string): void {
    for (const pod of this.#pods.values()) if (pod.spec?.nodeName === nodeName) this.change(pod);
  }

  #plan(pod: KubeObject, step: PodStep): void {
    const { agenda, call } = this.#parts;
    agenda.plan(`pod ${pod.metadata.uid}`, step.at, async () => {
      const address = this.#addressOf(pod.spec?.nodeName ?? '');
      if (address !== undefined) await call(callFor(pod, step, address));
      return undefined;
    });
  }
}

function callFor(pod: KubeObject, { does }: PodStep, nodeAddress: string): KubeCall {
  const { namespace = '', name, uid, resourceVersion } = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(name)}`;
  if (does === 'end') {
    return { method: 'DELETE', path, body: { gracePeriodSeconds: 0, preconditions: { uid } } };
  }
  const status = runningStatus(pod, nodeAddress, new Date().toISOString());
  const body = { metadata: { resourceVersion }, status };
  return { method: 'PATCH', path: `${path}/status`, body, contentType: strategic };
}
