/** The reason of a rollout that waits while there is nothing to do. */
import { availableAt, sumOf } from './facts.ts';
import type { Rollout } from './sizing.ts';
import { machines } from './words.ts';

/** @param obstacle What else stands in the way. */
export function awaited({ target, others }: Rollout, obstacle?: string): string {
  const coming = Math.max(target.replicas - availableAt(target), 0);
  const going = sumOf(others, (set) => set.going);
  const reasons = [
    coming > 0 && `waits for ${machines(coming)} of MachineSet ${target.name} to become available`,
    going > 0 && `${machines(going)} of old sets going away`,
    obstacle,
  ].filter((text) => typeof text === 'string');
  if (reasons.length > 0) return reasons.join('; ');
  if (others.some(({ replicas }) => replicas > 0)) return 'waits for machines to become available';
  return `MachineSet ${target.name} has ${target.replicas} replicas`;
}
