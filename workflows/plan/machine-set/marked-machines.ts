/** Machines that the cluster autoscaler wants gone. */
import type { MachineFact } from './scale-down.ts';

/** Priority that the autoscaler gives a machine it wants gone; others come from other clients. */
export const priorityOfMarked = 1;

/** A cluster autoscaler wants it gone when the number is lowered; that it was is not said. */
export function isChosen({ priority, chosenAt }: MachineFact): boolean {
  return chosenAt !== undefined || priority <= priorityOfMarked;
}

/**
 * Marked before or when the autoscaler last changed the number: this machine is meant, even if the
 * number is right by now, as another may have failed or gone in its place. A later mark waits for
 * the change that belongs to it.
 */
export function isMarked(
  { priority, markedAt }: MachineFact,
  scaledAt: number | undefined,
): boolean {
  if (scaledAt === undefined || markedAt === undefined) return false;
  return priority === priorityOfMarked && markedAt <= scaledAt;
}
