/** A source of its own for each kind of fault: one that is left out does not shift the others. */
import type { Chance } from '../engine/chance.ts';
import { baseOf, namedChance } from '../world/named-chance.ts';

/** @param trouble Its keys name the kinds. */
export function chancesFor<K extends string>(
  chance: Chance,
  trouble: Readonly<Record<K, number>>,
): Readonly<Record<K, Chance>> {
  const base = baseOf(chance);
  const entries = Object.keys(trouble).map((name) => [name, namedChance(base, name)]);
  return Object.assign(Object.fromEntries(entries));
}
