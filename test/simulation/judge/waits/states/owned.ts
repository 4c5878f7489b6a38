/** Sets and deployments, and what they own. */
import type { Install } from '../../../world/world.ts';
import { isDeleting } from '../../objects.ts';
import type { JudgedObject } from '../../objects.ts';
import type { ClusterPast } from '../../past/cluster-past.ts';
import type { Life } from '../../past/lives.ts';

/** Of an install, without those that are being deleted. */
export function ownersIn({ namespace }: Install, lives: Iterable<Life>): Life[] {
  return Array.from(lives).filter(
    ({ object }) => object?.metadata.namespace === namespace && !isDeleting(object),
  );
}

export function machinesOf({ machines }: ClusterPast, { uid }: Life): JudgedObject[] {
  return Array.from(machines.ownedBy(uid)).flatMap(({ object }) => object ?? []);
}

export function isFrozen({ metadata: { labels = {} } }: JudgedObject): boolean {
  return labels['freeze'] === 'True';
}
