/** Owners of objects, and how they change: Machines of a set, sets of a deployment. */
import type {
  KubeClient,
  KubeObject,
  ObjectMeta,
  OwnerReference,
} from '../../kube/client/client.ts';
import { ignoreConflict, ignoreNotFound } from '../../kube/client/ignore.ts';
import { isRejected, isTooManyRequests } from '../../kube/client/errors.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { LabelSelector } from '../../workflows/api/machine-set.ts';
import { apiVersion } from '../../workflows/api/constants.ts';
import type { Claim } from '../../workflows/plan/ownership.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { planClaim } from '../../workflows/plan/ownership.ts';

export interface Owner {
  kind: 'MachineSet' | 'MachineDeployment';
  metadata: ObjectMeta;
  spec: { selector?: LabelSelector };
}

export function ownerReferenceOf({ kind, metadata: { name, uid } }: Owner): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** `isFaulty`: the owner's spec is wrong, so nothing changes hands. */
export function claimOf(
  { kind, metadata, spec }: Owner,
  child: KubeObject,
  isFaulty: boolean,
): Claim {
  const controller = controllerOf(child);
  return planClaim(
    {
      uid: metadata.uid,
      isDeleting: metadata.deletionTimestamp !== undefined,
      selector: spec.selector,
      isFaulty,
      keepsAll: kind === 'MachineDeployment',
    },
    {
      ...(controller && { controllerUid: controller.uid }),
      isDeleting: child.metadata.deletionTimestamp !== undefined,
      labels: child.metadata.labels ?? {},
    },
  );
}

/** Other owners stay. UID and resourceVersion are preconditions. */
function ownersPatch({ metadata }: KubeObject, owner: Owner, action: 'adopt' | 'release'): object {
  const { uid, resourceVersion, ownerReferences = [] } = metadata;
  const others = ownerReferences.filter((reference) => reference.uid !== owner.metadata.uid);
  const owners = action === 'adopt' ? [...others, ownerReferenceOf(owner)] : others;
  return { metadata: { uid, resourceVersion, ownerReferences: owners } };
}

/**
 * Read after a child without an owner: it may be of an owner that was deleted meanwhile with
 * `--cascade=orphan`. Adopting the child after this read is safe: letting go changes the child's
 * resourceVersion.
 */
export async function isAlive(control: KubeClient, { kind, metadata }: Owner): Promise<boolean> {
  const plural = kind === 'MachineSet' ? 'machinesets' : 'machinedeployments';
  const path = customResource(plural, metadata.namespace ?? '', metadata.name);
  const present = await ignoreNotFound(control.get<KubeObject>(path));
  return present?.metadata.uid === metadata.uid && !present.metadata.deletionTimestamp;
}

export interface Claiming {
  owner: Owner;
  isFaulty: boolean;
  /** Path of the child. */
  path: string;
}

/**
 * Writes the owners that the claim asks for, and returns the child. Undefined when the claim does
 * not hold any more. A child that changes meanwhile is read again, also as the answer to our own
 * write was lost: one that is passed over would be missing in the count, and made once more.
 */
export async function settleOwners<Child extends KubeObject>(
  control: KubeClient,
  { owner, isFaulty, path }: Claiming,
  child: Child,
): Promise<Child | undefined> {
  return await retryOnConflict(async (isAgain) => {
    const seen = isAgain ? await readAgain<Child>(control, { owner, isFaulty, path }) : child;
    if (!seen) return undefined;
    const { action } = claimOf(owner, seen, isFaulty);
    if (action === 'leave') return undefined;
    if (action === 'keep') return seen;
    const patch = ownersPatch(seen, owner, action);
    return await ignoreNotFound(control.patch<Child>(path, 'merge', patch));
  });
}

/** Undefined when there is nothing to claim any more. */
async function readAgain<Child extends KubeObject>(
  control: KubeClient,
  { owner, isFaulty, path }: Claiming,
): Promise<Child | undefined> {
  const child = await ignoreNotFound(control.get<Child>(path));
  const isOrphan = child && claimOf(owner, child, isFaulty).action === 'adopt';
  return isOrphan && !(await isAlive(control, owner)) ? undefined : child;
}

export interface MadeChild {
  /** Path of the list of its kind. */
  path: string;
  child: KubeObject;
  /** Something else of it that the API server changed, so that its owner would make another. */
  changed?: string;
}

/**
 * A child that comes back from its create without its owner is deleted again, or the next one
 * would be made in its place, for ever. Returns why; undefined when it is the owner's, or will be
 * adopted.
 */
export async function undoUnlessOwn(
  control: KubeClient,
  owner: Owner,
  { path, child, changed }: MadeChild,
): Promise<string | undefined> {
  const isOwn = ['keep', 'adopt'].includes(claimOf(owner, child, false).action);
  if (isOwn && changed === undefined) return undefined;
  const { name, uid, labels } = child.metadata;
  try {
    await ignoreConflict(control.delete(`${path}/${name}`, { preconditions: { uid } }));
  } catch (error) {
    if (!isRejected(error) && !isTooManyRequests(error)) throw error;
  }
  const what = changed ?? lostBy(owner, labels);
  return `a policy of the API server changed the ${what} of ${name} as it was made, so that ${owner.kind} ${owner.metadata.name} would not know it again; it was deleted: exempt it from that policy`;
}

function lostBy({ spec }: Owner, labels: Readonly<Record<string, string>> = {}): string {
  const { matchLabels = {} } = spec.selector ?? {};
  const lost = Object.keys(matchLabels).filter((key) => labels[key] !== matchLabels[key]);
  return lost.length > 0 ? `labels ${lost.join(', ')}` : 'owner';
}
