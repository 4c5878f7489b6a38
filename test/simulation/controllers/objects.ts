/** What controllers read of objects. */
import type { KubeObject, ObjectMeta, OwnerReference } from '../../../kube/client/client.ts';

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface PodMeta extends ObjectMeta {
  deletionGracePeriodSeconds?: number;
}

export interface PodObject extends KubeObject {
  metadata: PodMeta;
  spec?: {
    nodeName?: string;
    nodeSelector?: Record<string, string>;
    terminationGracePeriodSeconds?: number;
    tolerations?: Toleration[];
    volumes?: { name?: string; persistentVolumeClaim?: { claimName: string } }[];
  };
  status?: { phase?: string; conditions?: Condition[] };
}

export interface NodeObject extends KubeObject {
  spec?: { providerID?: string; unschedulable?: boolean; taints?: Taint[] };
  status?: { conditions?: Condition[] };
}

export interface AttachmentObject extends KubeObject {
  spec?: { nodeName?: string; source?: { persistentVolumeName?: string } };
  status?: { attached?: boolean };
}

export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** It ran, and does not any more. */
export function isFinished({ status }: PodObject): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function conditionOf(
  { status }: { status?: { conditions?: Condition[] } },
  type: string,
): string | undefined {
  return status?.conditions?.find((condition) => condition.type === type)?.status;
}

export function isReady(object: PodObject | NodeObject): boolean {
  return conditionOf(object, 'Ready') === 'True';
}

export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isMirror({ metadata }: PodObject): boolean {
  return metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
}

export function claimsOf({ spec }: PodObject): string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim ? [persistentVolumeClaim.claimName] : [],
  );
}

/** All conditions, with these in place of those of their types. */
export function withConditions(
  present: readonly Condition[],
  next: readonly Condition[],
): Condition[] {
  const types = new Set(next.map(({ type }) => type));
  return [...present.filter(({ type }) => !types.has(type)), ...next];
}
