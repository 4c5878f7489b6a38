import type { KubeClient } from '../../../../kube/client/client.ts';
import { namespaced } from '../../../../kube/client/paths.ts';
import type { Follower } from './follow.ts';
import type { KubeletParts } from './parts.ts';
import { podStep, runningStatus, type PodStep, type VirtualPod } from './pod-step.ts';

/** Starts and ends pods. */
export class PlayedPods implements Follower<VirtualPod> {
  readonly #parts: KubeletParts;
  readonly #addressOf: (nodeName: string) => string | undefined;
  /** By UID: those that wait for something, on any Node. */
  readonly #pods = new Map<string, VirtualPod>();

  /** `addressOf`: of a Node; undefined where no kubelet runs. */
  constructor(parts: KubeletParts, addressOf: (nodeName: string) => string | undefined) {
    this.#parts = parts;
    this.#addressOf = addressOf;
  }

  list(pods: VirtualPod[]): void {
    const present = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const [uid, pod] of this.#pods) if (!present.has(uid)) this.remove(pod);
    for (const pod of pods) this.change(pod);
  }

  remove({ metadata: { uid } }: VirtualPod): void {
    this.#pods.delete(uid);
    this.#parts.agenda.drop(`pod ${uid}`);
  }

  change(pod: VirtualPod): void {
    const step = podStep(pod);
    if (!step) return this.remove(pod);
    this.#pods.set(pod.metadata.uid, pod);
    this.#plan(pod, step);
  }

  /** The kubelet of this Node runs now. */
  resume(nodeName: string): void {
    for (const pod of this.#pods.values()) if (pod.spec?.nodeName === nodeName) this.change(pod);
  }

  #plan(pod: VirtualPod, step: PodStep): void {
    const { agenda, client, attempt } = this.#parts;
    agenda.plan(`pod ${pod.metadata.uid}`, step.at, async () => {
      const address = this.#addressOf(pod.spec?.nodeName ?? '');
      if (address !== undefined) await attempt(write(client, { pod, step, address }));
      return undefined;
    });
  }
}

interface PodWrite {
  pod: VirtualPod;
  step: PodStep;
  /** The Node's. */
  address: string;
}

function write(client: KubeClient, { pod, step, address }: PodWrite): Promise<unknown> {
  const { namespace = '', name, uid, resourceVersion } = pod.metadata;
  const path = namespaced('pods', namespace, name);
  if (step.does === 'end') {
    return client.delete(path, { gracePeriodSeconds: 0, preconditions: { uid } });
  }
  const status = runningStatus(pod, address, new Date().toISOString());
  return client.patch(`${path}/status`, 'strategic', { metadata: { resourceVersion }, status });
}
