/** Which object controls another one. */
import type { KubeObject, OwnerReference } from '../client/client.ts';

export function controllerOf({
  metadata,
}: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
