import type { KubeClient, KubeObject, ObjectMeta } from '../../../../kube/client/client.ts';
import { namespaced } from '../../../../kube/client/paths.ts';
import type { Follower } from './follow.ts';
import type { KubeletParts } from './parts.ts';
import { parseDuration } from '../../../../workflows/api/duration.ts';
import type { Condition } from '../../../../workflows/api/meta.ts';

/** Starts and ends pods. */
export class PlayedPods implements Follower<VirtualPod> {
  readonly #parts: KubeletParts;
  readonly #nodeAddressOf: (nodeName: string) => string | undefined;
  /** By UID: those that wait for something, on any Node. */
  readonly #pods = new Map<string, VirtualPod>();

  /** `nodeAddressOf`: undefined where no kubelet runs. */
  constructor(parts: KubeletParts, nodeAddressOf: (nodeName: string) => string | undefined) {
    this.#parts = parts;
    this.#nodeAddressOf = nodeAddressOf;
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
      const address = this.#nodeAddressOf(pod.spec?.nodeName ?? '');
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

/** Fields that a kubelet reads of a pod. */
export interface VirtualPod extends KubeObject {
  metadata: ObjectMeta & { deletionGracePeriodSeconds?: number };
  spec?: {
    nodeName?: string;
    hostNetwork?: boolean;
    containers?: { name: string; image?: string }[];
    readinessGates?: { conditionType: string }[];
  };
  status?: { phase?: string; conditions?: Condition[] };
}

/** Annotations of a pod: docs/local-stack.md. */
const annotation = {
  readyDelay: 'local.millwright.dev/ready-delay',
  deleteDelay: 'local.millwright.dev/delete-delay',
  neverReady: 'local.millwright.dev/never-ready',
  neverTerminates: 'local.millwright.dev/never-terminates',
};

/** `at`: milliseconds. */
interface PodStep {
  does: 'run' | 'end';
  at: number;
}

/** Undefined: nothing, until a client changes the pod. */
export function podStep({ metadata, status }: VirtualPod): PodStep | undefined {
  const { annotations = {}, deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp !== undefined) {
    if (finalizers.length > 0 || annotations[annotation.neverTerminates]) return undefined;
    const graceMs = (metadata.deletionGracePeriodSeconds ?? 0) * 1_000;
    const deletedAt = Date.parse(deletionTimestamp) - graceMs;
    return { does: 'end', at: deletedAt + delayMs(annotations[annotation.deleteDelay]) };
  }
  if (status?.phase !== 'Pending' || annotations[annotation.neverReady]) return undefined;
  return {
    does: 'run',
    at: boundAt({ metadata, status }) + delayMs(annotations[annotation.readyDelay]),
  };
}

/** Counted from a moment that is given in whole seconds, so a second is added: never too short. */
function delayMs(text = ''): number {
  const seconds = parseDuration(text) ?? 0;
  return seconds > 0 ? (seconds + 1) * 1_000 : 0;
}

/** A pod that names its Node at its creation was never scheduled. */
function boundAt({ metadata, status }: VirtualPod): number {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return Date.parse(scheduled?.lastTransitionTime ?? metadata.creationTimestamp) || 0;
}

/** The status to merge into that of the pod. */
export function runningStatus(pod: VirtualPod, hostIP: string, now: string): object {
  const { containers = [], readinessGates = [], hostNetwork = false } = pod.spec ?? {};
  const gates = readinessGates.map(({ conditionType }) => conditionType);
  const podIP = hostNetwork ? hostIP : podAddressOf(pod);
  return {
    phase: 'Running',
    startTime: now,
    hostIP,
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: ['Initialized', 'Ready', 'ContainersReady', ...gates].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: now,
    })),
    containerStatuses: containers.map(({ name, image }) => ({
      name,
      image,
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: now } },
    })),
  };
}

/** 10.0.0.0 to 10.127.255.255, by chance: machines have the other half. */
function podAddressOf({ metadata: { uid } }: VirtualPod): string {
  const number = Number.parseInt(uid.slice(0, 6), 16) || 0;
  return `10.${(number >> 16) & 127}.${(number >> 8) & 255}.${number & 255}`;
}
