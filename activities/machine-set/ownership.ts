/** Whose an object is, and how that changes hands: Machines of a set, sets of a deployment. */
import type { KubeObject, ObjectMeta, OwnerReference } from '../kube/client/client.ts';
import type { LabelSelector } from '../../workflows/api/machine-set.ts';
import { apiVersion } from '../../workflows/api/constants.ts';
import type { Claim } from '../../workflows/plan/ownership.ts';
import { controllerOf } from '../kube/objects/owners.ts';
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
export function claimOf({ metadata, spec }: Owner, child: KubeObject, isFaulty: boolean): Claim {
  const controller = controllerOf(child);
  return planClaim(
    {
      uid: metadata.uid,
      isDeleting: metadata.deletionTimestamp !== undefined,
      selector: spec.selector,
      isFaulty,
    },
    {
      ...(controller && { controllerUid: controller.uid }),
      isDeleting: child.metadata.deletionTimestamp !== undefined,
      labels: child.metadata.labels ?? {},
    },
  );
}

/** Other owners stay. UID and resourceVersion are preconditions. */
export function ownersPatch(
  { metadata }: KubeObject,
  owner: Owner,
  action: 'adopt' | 'release',
): object {
  const { uid, resourceVersion, ownerReferences = [] } = metadata;
  const others = ownerReferences.filter((reference) => reference.uid !== owner.metadata.uid);
  const owners = action === 'adopt' ? [...others, ownerReferenceOf(owner)] : others;
  return { metadata: { uid, resourceVersion, ownerReferences: owners } };
}
