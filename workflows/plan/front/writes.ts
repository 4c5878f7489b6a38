/** The writes of a pass. */
import type { ObjectMeta } from '../../api/meta.ts';

/** Those of `cluster.k8s.io` begin with `their`; `node` is of the target cluster. */
export type WrittenKind =
  | 'theirDeployment'
  | 'theirSet'
  | 'theirMachine'
  | 'deployment'
  | 'set'
  | 'machine'
  | 'class'
  | 'secret'
  | 'configMap'
  | 'node';

interface AnyWrite {
  kind: WrittenKind;
  name: string;
}

export type Write = CreateWrite | PatchWrite | DeleteWrite;

export interface CreateWrite extends AnyWrite {
  verb: 'create';
  body: { metadata: Partial<ObjectMeta> } & Record<string, unknown>;
}

/** A merge patch, done while the object is as it was read, but for our own writes. */
export interface PatchWrite extends AnyWrite {
  verb: 'patch';
  status?: true;
  read: Pick<ObjectMeta, 'uid' | 'resourceVersion'>;
  body: Record<string, unknown>;
}

export interface DeleteWrite extends AnyWrite {
  verb: 'delete';
  uid: string;
  /** Done only while the object has this version. */
  version?: string;
  /** Leaves the dependents. */
  orphans?: boolean;
  /** First takes all finalizers off; it is deleted only while none was put back. */
  strips?: ObjectMeta;
}

/** As `SyncOutcome` of the contract has it. */
export type PoolState = 'current' | 'waits' | 'notServed' | 'gone';

export interface PoolPlan {
  /** One that is refused keeps the rest of its group from being done, and no other group. */
  groups: Write[][];
  /** What was written shows what is next: read once more, at once. */
  goesOn: boolean;
  state: PoolState;
  reason?: string;
}

type Read = { metadata: ObjectMeta };

export function patchOf(kind: WrittenKind, read: Read, body: Record<string, unknown>): PatchWrite {
  const { name, uid, resourceVersion } = read.metadata;
  return { verb: 'patch', kind, name, read: { uid, resourceVersion }, body };
}

/** None where no part of the patch says anything. */
export function patchUnlessSame(kind: WrittenKind, read: Read, patch: unknown): PatchWrite[] {
  const parts = Object.entries({ ...Object(patch) }).filter(([, part]) => !isNothing(part));
  return parts.length === 0 ? [] : [patchOf(kind, read, Object.fromEntries(parts))];
}

/** Null takes a field away. */
function isNothing(part: unknown): boolean {
  if (part === undefined) return true;
  return typeof part === 'object' && part !== null && Object.keys(part).length === 0;
}

export function deletionOf(
  kind: WrittenKind,
  { metadata: { name, uid } }: Read,
  options: Pick<DeleteWrite, 'orphans'> = {},
): DeleteWrite {
  return { verb: 'delete', kind, name, uid, ...options };
}

/** An object of ours goes without what its finalizer would do. */
export function removalOf(
  kind: WrittenKind,
  { metadata }: Read,
  options: Pick<DeleteWrite, 'orphans'> = {},
): DeleteWrite {
  const { name, uid } = metadata;
  return { verb: 'delete', kind, name, uid, strips: metadata, ...options };
}
