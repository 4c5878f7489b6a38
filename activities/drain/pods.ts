import type { ObjectMeta } from '../../workflows/api/meta.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { DrainPod, Toleration } from '../../workflows/plan/drain/removals.ts';
import { mustLeave } from '../../workflows/plan/drain/removals.ts';
import type { KubeClient } from '../../kube/client/client.ts';

export interface Pod {
  metadata: ObjectMeta;
  spec?: {
    nodeName?: string;
    terminationGracePeriodSeconds?: number;
    priority?: number;
    tolerations?: Toleration[];
    volumes?: {
      name?: string;
      persistentVolumeClaim?: { claimName: string };
      ephemeral?: object;
    }[];
  };
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

/** Kubernetes' own. */
const defaultGraceSeconds = 30;

/** `mayBeOld`: from the API server's memory, without a read of its store. */
export async function podsToDrain(
  target: KubeClient,
  nodeName: string,
  { mayBeOld = false } = {},
): Promise<DrainPod[]> {
  // This selects the pods of the whole cluster that wait for a Node.
  if (nodeName === '') return [];
  const { items } = await target.list<Pod>('/api/v1/pods', {
    fieldSelector: `spec.nodeName=${nodeName}`,
    ...(mayBeOld && { resourceVersion: '0' }),
  });
  return items.map(drainPodOf).filter(mustLeave);
}

/** Those that a drain leaves on the Node; `late`: these as well. */
export async function stayingPods(
  target: KubeClient,
  nodeName: string,
  late: DrainPod[] = [],
): Promise<Pod[]> {
  const fieldSelector = `spec.nodeName=${nodeName}`;
  const { items } = await target.list<Pod>('/api/v1/pods', { fieldSelector });
  const uids = new Set(late.map(({ uid }) => uid));
  return items.filter((pod) => uids.has(pod.metadata.uid) || !mustLeave(drainPodOf(pod)));
}

/** Those that would have to leave any of these Nodes. */
export async function podsOnNodes(
  target: KubeClient,
  nodeNames: ReadonlySet<string>,
): Promise<DrainPod[]> {
  const { items } = await target.list<Pod>('/api/v1/pods');
  return items
    .filter(({ spec }) => nodeNames.has(spec?.nodeName ?? ''))
    .map(drainPodOf)
    .filter(mustLeave);
}

function drainPodOf({ metadata, spec = {}, status = {} }: Pod): DrainPod {
  const { uid, namespace = '', name, labels = {} } = metadata;
  const { creationTimestamp, deletionTimestamp } = metadata;
  return defined({
    uid,
    namespace,
    name,
    labels,
    priority: spec.priority ?? 0,
    claims: claimsOf(spec),
    graceSeconds: spec.terminationGracePeriodSeconds ?? defaultGraceSeconds,
    isMirror: metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined,
    isOfDaemonSet: isOfDaemonSet(metadata),
    isReady: isReady(status),
    ...(isUnguarded(status) && { isUnguarded: true as const }),
    // The API server adds the grace period to it.
    goneBy: millisecondsOf(deletionTimestamp),
    createdAt: millisecondsOf(creationTimestamp),
    tolerations: spec.tolerations,
  });
}

function millisecondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

/** As `canIgnorePDB` of kube-apiserver. */
function isUnguarded({ phase = '' }: NonNullable<Pod['status']>): boolean {
  return ['Pending', 'Succeeded', 'Failed'].includes(phase);
}

function isReady({ conditions = [] }: NonNullable<Pod['status']>): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

function claimsOf({ volumes = [] }: NonNullable<Pod['spec']>): string[] {
  return volumes.flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim ? [persistentVolumeClaim.claimName] : [],
  );
}

function isOfDaemonSet({ ownerReferences = [] }: ObjectMeta): boolean {
  return ownerReferences.some(
    ({ kind, controller }) => controller === true && kind === 'DaemonSet',
  );
}
