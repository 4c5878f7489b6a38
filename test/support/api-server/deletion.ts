/** What the API server makes of the deletion of an object. */
import { isSameJson } from './json.ts';
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
const finalizersOfPolicy: Record<string, readonly string[] | undefined> = {
  Foreground: ['foregroundDeletion'],
  Orphan: ['orphan'],
  Background: [],
};
const collectorFinalizers = new Set(['foregroundDeletion', 'orphan']);

/** The same object where its deletion has begun before, in the same way. */
export function afterDeletion(
  present: Stored,
  { propagationPolicy = '' }: DeleteOptions,
  now: string,
): Stored {
  const { metadata } = present;
  const finalizers = finalizersAfter(metadata.finalizers ?? [], propagationPolicy);
  if (metadata.deletionTimestamp === undefined) {
    const { generation } = metadata;
    const begun = {
      ...metadata,
      finalizers,
      deletionTimestamp: now,
      deletionGracePeriodSeconds: 0,
      ...(generation !== undefined && { generation: generation + 1 }),
    };
    return { ...present, metadata: withoutEmpty(begun) };
  }
  const isSame = isSameJson(finalizers, metadata.finalizers ?? []);
  return isSame ? present : { ...present, metadata: withoutEmpty({ ...metadata, finalizers }) };
}

/** Without a policy those that stand there stay. */
function finalizersAfter(present: readonly string[], policy: string): string[] {
  const wanted = finalizersOfPolicy[policy];
  if (!wanted) return [...present];
  return [...present.filter((finalizer) => !collectorFinalizers.has(finalizer)), ...wanted];
}
