/** What a run may cost at most, without a currency: prices differ by size, region and contract. */
import type { LiveLimits, LiveOptions } from './arguments.ts';

/**
 * The sweep goes on when nothing more is made; instances that are being deleted may cost until they
 * are gone.
 */
export const sweepMinutes = 10;

/**
 * Of N instances that all live from the first minute to the last. The kit has two or three at a
 * time.
 */
export function worstInstanceMinutes({ maxInstances, maxMinutes }: LiveLimits): number {
  return maxInstances * (maxMinutes + sweepMinutes);
}

export function faultsOfPlan(limits: LiveLimits): string[] {
  const needed = worstInstanceMinutes(limits);
  const { maxInstances, maxMinutes, maxInstanceMinutes } = limits;
  if (needed <= maxInstanceMinutes) return [];
  return [
    `--max-cost ${maxInstanceMinutes}: ${maxInstances} instances for ${maxMinutes} minutes and ${sweepMinutes} of the sweep are ${needed} instance-minutes in the worst case: raise it, or lower --max-instances or --max-minutes`,
  ];
}

interface Planned extends Pick<LiveOptions, 'provider' | 'owner'> {
  limits: LiveLimits;
}

export function planInWords({ provider, owner, limits }: Planned): string[] {
  const { maxInstances, maxMinutes } = limits;
  return [
    `Provider ${provider}, owner ${owner}.`,
    `At most ${maxInstances} machines are asked for within ${maxMinutes} minutes, one after the other and up to three at a time; all are deleted again.`,
    `Worst case: ${worstInstanceMinutes(limits)} instance-minutes of this class (--max-cost ${limits.maxInstanceMinutes}), with disks and addresses; a run that passes uses about a tenth.`,
  ];
}
