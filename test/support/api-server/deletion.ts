/** What the API server makes of the deletion of an object. */
import { withoutEmpty } from './metadata.ts';
import type { Target } from './paths.ts';
import { anotherUid, anotherVersion } from './status.ts';
import type { Stored } from './store.ts';

export interface DeleteOptions {
  preconditions?: { uid?: string; resourceVersion?: string };
  propagationPolicy?: string;
  gracePeriodSeconds?: number;
}

export function requirePreconditions(
  target: Target,
  { metadata }: Stored,
  { preconditions: { uid, resourceVersion } = {} }: DeleteOptions,
): void {
  if (uid !== undefined && uid !== metadata.uid) throw anotherUid(target, uid, metadata.uid);
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw anotherVersion(target, resourceVersion, metadata.resourceVersion ?? '');
  }
}

/** Of the garbage collector: it takes them off when it is done with the dependents. */
const finalizersOfPolicy: Record<string, string | undefined> = {
  Foreground: 'foregroundDeletion',
  Orphan: 'orphan',
};

/** The same object where its deletion has begun before. */
export function afterDeletion(
  present: Stored,
  { propagationPolicy = '' }: DeleteOptions,
  now: string,
): Stored {
  const { metadata } = present;
  if (metadata.deletionTimestamp !== undefined) return present;
  const { generation, finalizers = [] } = metadata;
  const policy = finalizersOfPolicy[propagationPolicy];
  const isNew = policy !== undefined && !finalizers.includes(policy);
  return {
    ...present,
    metadata: withoutEmpty({
      ...metadata,
      finalizers: isNew ? [...finalizers, policy] : finalizers,
      deletionTimestamp: now,
      deletionGracePeriodSeconds: 0,
      ...(generation !== undefined && { generation: generation + 1 }),
    }),
  };
}
