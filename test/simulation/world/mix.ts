/**
 * Which kinds of trouble a world has more of, less of, or none, by its seed. Where everything
 * happens at once, each kind hides what the others would show, and a fault that needs three of one
 * kind in a row never comes about ("Swarm testing", ISSTA 2012).
 */
import { namedChance } from './named-chance.ts';

/** How much more often than usual a kind happens, by its name. */
export type Mix = (kind: string) => number;

/** Everything as often as usual. */
export const usualMix: Mix = () => 1;

const shareOfUsualWorlds = 0.25;
/** In these a harm that takes long is seen: nothing else comes in between, or repairs it. */
const shareOfQuietWorlds = 0.25;
/** Of kinds, in a quiet world. */
const shareOfQuietKinds = 0.16;
const factors = [
  { value: 0, weight: 40 },
  { value: 0.3, weight: 15 },
  { value: 1, weight: 20 },
  { value: 3, weight: 17 },
  { value: 8, weight: 8 },
];

const present = factors.filter(({ value }) => value > 0);

/** Adding or removing a kind does not change the factors of the others. */
export function mixOf(seed: number): Mix {
  const share = namedChance(seed, 'mix').share();
  if (share < shareOfUsualWorlds) return usualMix;
  const isQuiet = share < shareOfUsualWorlds + shareOfQuietWorlds;
  return (kind) => {
    const chance = namedChance(seed, `mix of ${kind}`);
    if (isQuiet && !chance.happens(shareOfQuietKinds)) return 0;
    return chance.weighted(isQuiet ? present : factors) ?? 1;
  };
}
