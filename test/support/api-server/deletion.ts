/** What the API server makes of the deletion of an object. */
import { isRecord } from '../../../workflows/values/is-record.ts';
import { isSameJson } from './json.ts';
import { withoutEmpty } from './metadata.ts';
import { secondOf } from './naming.ts';
import type { Clock } from './naming.ts';
import type { Target } from './paths.ts';
import { anotherUid, anotherVersion } from './status.ts';
import type { Stored, StoredMeta } from './store.ts';

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

/** Nothing holds it any more: no finalizer, and no kubelet that ends a pod. */
export function isOver({ metadata }: Stored): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  return (
    deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0
  );
}

export interface Deletion {
  options: DeleteOptions;
  /** That the object has when its deletion begins. */
  graceSeconds: number;
}

/** The same object where its deletion has begun before, in the same way. */
export function afterDeletion(
  present: Stored,
  { options, graceSeconds }: Deletion,
  clock: Clock,
): Stored {
  const { metadata } = present;
  const isPending = isDeleting(metadata) && (metadata.deletionGracePeriodSeconds ?? 0) > 0;
  if (isPending && !isShorter(metadata, options)) return present;
  const finalizers = finalizersAfter(metadata.finalizers ?? [], options.propagationPolicy ?? '');
  const ending = isDeleting(metadata)
    ? isPending && shortened(metadata, options, clock)
    : begun(metadata, graceSeconds, clock);
  const next = withoutEmpty({ ...metadata, ...ending, finalizers });
  return isSameJson(next, metadata) ? present : { ...present, metadata: next };
}

type Deleting = StoredMeta & { deletionTimestamp: string };

function isDeleting(metadata: StoredMeta): metadata is Deleting {
  return metadata.deletionTimestamp !== undefined;
}

function begun(metadata: StoredMeta, graceSeconds: number, clock: Clock): Partial<StoredMeta> {
  const { generation } = metadata;
  return {
    deletionTimestamp:
      graceSeconds > 0 ? secondOf(clock.now() + graceSeconds * 1000) : clock.nextTime(),
    deletionGracePeriodSeconds: graceSeconds,
    ...(generation !== undefined && { generation: generation + 1 }),
  };
}

/** Only a shorter grace period takes the place of the one that runs. */
function isShorter({ deletionGracePeriodSeconds = 0 }: Deleting, options: DeleteOptions): boolean {
  return (wantedGrace(options) ?? deletionGracePeriodSeconds) < deletionGracePeriodSeconds;
}

function shortened(metadata: Deleting, options: DeleteOptions, clock: Clock): Partial<StoredMeta> {
  const { deletionTimestamp, deletionGracePeriodSeconds: present = 0 } = metadata;
  const wanted = wantedGrace(options) ?? present;
  const endMs = Date.parse(deletionTimestamp) + (wanted - present) * 1000;
  // It would be over by now: a second is left, unless nothing is.
  const isPast = endMs < clock.now() && wanted > 0;
  return {
    deletionTimestamp: secondOf(Math.max(endMs, clock.now())),
    deletionGracePeriodSeconds: isPast ? 1 : wanted,
  };
}

/** Without a policy those that stand there stay. */
function finalizersAfter(present: readonly string[], policy: string): string[] {
  const wanted = finalizersOfPolicy[policy];
  if (!wanted) return [...present];
  return [...present.filter((finalizer) => !collectorFinalizers.has(finalizer)), ...wanted];
}

const defaultGraceSeconds = 30;

/** How long a pod may take to end. One that no kubelet runs goes at once. Seconds. */
export function graceOfPod(pod: Stored, options: DeleteOptions): number {
  const { spec, status } = pod;
  const { nodeName, terminationGracePeriodSeconds: own } = isRecord(spec) ? spec : {};
  const { phase } = isRecord(status) ? status : {};
  if (!nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  return wantedGrace(options) ?? (typeof own === 'number' ? own : defaultGraceSeconds);
}

/** A negative one is meant as "soon". */
function wantedGrace({ gracePeriodSeconds }: DeleteOptions): number | undefined {
  return gracePeriodSeconds !== undefined && gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds;
}
