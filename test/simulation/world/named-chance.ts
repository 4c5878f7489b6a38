/** Randomness by name, so that a kind that is added or left out does not shift the others. */
import { Chance } from '../engine/chance.ts';

/** A source for each name; the same for a number and a name. */
export function namedChance(base: number, name: string): Chance {
  let seed = base | 0;
  for (let index = 0; index < name.length; index += 1) {
    seed = Math.imul(seed ^ name.charCodeAt(index), 0x01_00_01_93);
  }
  return new Chance(seed >>> 0);
}

/** To be given to `namedChance`. */
export function baseOf(chance: Chance): number {
  return chance.below(2 ** 32);
}
