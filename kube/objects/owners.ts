/** Which object controls another one. */
import type { KubeObject, OwnerReference } from '../client/client.ts';

export function controllerOf({
  metadata,
}: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** By the UID of what controls them; those that nothing does by an empty one. */
export function byController<T extends Pick<KubeObject, 'metadata'>>(
  objects: readonly T[],
): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const object of objects) {
    const uid = controllerOf(object)?.uid ?? '';
    const group = groups.get(uid);
    if (group) group.push(object);
    else groups.set(uid, [object]);
  }
  return groups;
}
