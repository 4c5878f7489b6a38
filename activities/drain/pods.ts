import type { ObjectMeta } from '../../workflows/api/meta.ts';

export interface Pod {
  metadata: ObjectMeta;
  spec?: { nodeName?: string; terminationGracePeriodSeconds?: number };
  status?: { phase?: string };
}

/** The kubelet's own pods cannot be evicted, and a DaemonSet would put its pod back at once. */
export function mustLeave({ metadata }: Pod): boolean {
  const isMirror = metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
  const isOfDaemonSet =
    metadata.ownerReferences?.some(
      ({ kind, controller }) => controller === true && kind === 'DaemonSet',
    ) ?? false;
  return !isMirror && !isOfDaemonSet;
}

export function podKey({ metadata }: Pod): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
