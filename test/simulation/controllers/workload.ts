/** What a workload consists of, and the pods that are made for it. */
import type { Body } from '../../support/api-server/creation.ts';
import { defaultTolerationSeconds, notReadyKey, unreachableKey } from './node-taints.ts';
import type { Toleration } from './objects.ts';

/**
 * Who keeps its pods. `Bare`: nobody puts back those that are gone. `Mirror`: the kubelet of each
 * Node, from a file.
 */
export type WorkloadKind = 'ReplicaSet' | 'StatefulSet' | 'DaemonSet' | 'Bare' | 'Mirror';

export interface WorkloadOptions {
  namespace: string;
  /** Also the value of the label `app` of its pods. */
  name: string;
  /** Of a DaemonSet and of mirror pods: without meaning. */
  replicas: number;
  /** Default ReplicaSet. */
  kind?: WorkloadKind;
  /** The spec of its PodDisruptionBudget, without the selector. Default none. */
  budget?: {
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    unhealthyPodEvictionPolicy?: string;
  };
  /** Of the pods, seconds. Default 30. */
  graceSeconds?: number;
  /** Each pod has a volume of its own; of a StatefulSet only. */
  hasVolumes?: boolean;
  /** The pods have a finalizer that goes so long after their deletion, milliseconds. */
  finalizerLateMs?: number;
}

export const podFinalizer = 'example.com/goes-late';
const group = 'apps/v1';
const everything: readonly Toleration[] = [{ operator: 'Exists' }];
const usual: readonly Toleration[] = [notReadyKey, unreachableKey].map((key) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: defaultTolerationSeconds,
}));

export interface PodPlan {
  workload: WorkloadOptions;
  /** Of the owner. */
  uid: string;
  /** Without one the API server makes it up. */
  name?: string;
  /** It runs there or nowhere. */
  node?: { name: string; uid: string };
}

export function podOf({ workload, uid, name, node }: PodPlan): Body {
  const { kind = 'ReplicaSet', namespace, name: app, finalizerLateMs } = workload;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      ...(name === undefined ? { generateName: `${app}-` } : { name }),
      labels: { app },
      ...(kind === 'Mirror' && { annotations: { 'kubernetes.io/config.mirror': uid } }),
      ...(finalizerLateMs !== undefined && { finalizers: [podFinalizer] }),
      ownerReferences: ownersOf({ workload, uid, ...(node && { node }) }),
    },
    spec: specOf({ workload, uid, ...(name !== undefined && { name }), ...(node && { node }) }),
    status: { phase: 'Pending' },
  };
}

function ownersOf({ workload, uid, node }: PodPlan) {
  const { kind = 'ReplicaSet', name } = workload;
  if (kind === 'Bare') return [];
  const controller = true;
  if (kind === 'Mirror') {
    const owner = { apiVersion: 'v1', kind: 'Node', name: node?.name ?? '', uid: node?.uid ?? '' };
    return [{ ...owner, controller }];
  }
  return [{ apiVersion: group, kind, name, uid, controller, blockOwnerDeletion: true }];
}

function specOf({ workload, name, node }: PodPlan): object {
  const { kind, graceSeconds = 30, hasVolumes = false } = workload;
  const isOnEachNode = kind === 'DaemonSet' || kind === 'Mirror';
  const claim = { name: 'data', persistentVolumeClaim: { claimName: `data-${name}` } };
  return {
    containers: [{ name: 'app', image: 'nothing' }],
    terminationGracePeriodSeconds: graceSeconds,
    tolerations: isOnEachNode ? everything : usual,
    ...(hasVolumes && { volumes: [claim] }),
    ...(kind === 'DaemonSet' && { nodeSelector: { 'kubernetes.io/hostname': node?.name } }),
    ...(kind === 'Mirror' && { nodeName: node?.name }),
  };
}

/** The claim of a pod's volume, and the volume. */
export function volumeObjectsOf(
  { namespace }: WorkloadOptions,
  pod: string,
): { claim: Body; volume: Body } {
  const volumeName = `pv-${namespace}-${pod}`;
  const accessModes = ['ReadWriteOnce'];
  const storage = '1Gi';
  return {
    claim: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: `data-${pod}`, namespace },
      spec: { accessModes, volumeName, resources: { requests: { storage } } },
      status: { phase: 'Bound' },
    },
    volume: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volumeName },
      spec: { accessModes, capacity: { storage }, claimRef: { namespace, name: `data-${pod}` } },
      status: { phase: 'Bound' },
    },
  };
}

export function budgetOf({ namespace, name, budget }: WorkloadOptions): Body {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace },
    spec: { ...budget, selector: { matchLabels: { app: name } } },
  };
}
