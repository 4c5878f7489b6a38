/** Which workflows a watcher signals, as its Lease says it. */
import { checkpointAnnotation } from '../kube/leases/lease-set.ts';
import { isOfOtherPlace } from './cache/checkpoint.ts';

/**
 * Workflows of another queue or with other ids got no signal. `database`: id of the Temporal
 * namespace.
 */
export function placeOf(
  database: string,
  { taskQueue, clusterName = '' }: { taskQueue: string; clusterName?: string | undefined },
): string {
  return `${taskQueue} ${clusterName} ${database}`;
}

/**
 * The watcher that wrote this on its Lease signals other workflows: those of another install, or in
 * another Temporal, whose claims are not ours.
 */
export function isElsewhere(annotations: Readonly<Record<string, string>>, place: string): boolean {
  return isOfOtherPlace(annotations[checkpointAnnotation], { place });
}
