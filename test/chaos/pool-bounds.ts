/** Did the machines of each pool stay within what its wishes allowed, in every state of a round? */
import type { Counts, State } from '../e2e/support/states.ts';
import { checkBounds, type Bounds } from '../e2e/support/bounds-check.ts';
import type { Round } from './plan.ts';
import { pools, type Envelope, type Limits } from './wishes.ts';
import { nameOf, prefixOf } from './world.ts';

/** Of the states since the last quiet point. Empty when all is well. */
export function brokenBounds(states: readonly State[], { envelopes }: Round): string[] {
  return Object.entries(pools).flatMap(([pool, limits]) => {
    const envelope = envelopes[pool];
    if (envelope === undefined) return [];
    const ofPool = states.map((state) => stateOf(state, prefixOf(nameOf(pool))));
    try {
      checkBounds(ofPool, boundsOf(envelope, limits));
      return [];
    } catch (error) {
      return [`${nameOf(pool)}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}

export function boundsOf(envelope: Envelope, { maxSurge, maxUnavailable }: Limits): Bounds {
  const { least, most, removed, isUnbounded } = envelope;
  return {
    maxActive: most + maxSurge,
    minAvailable: Math.max(0, least - maxUnavailable - removed),
    // A machine that somebody deleted terminates beside the one that takes its place.
    ...(!isUnbounded && { maxTotal: most + maxSurge, toleratedExtra: removed }),
  };
}

function stateOf(state: State, prefix: string): State {
  const sets = Object.entries(state.sets).filter(([name]) => name.startsWith(prefix));
  const sum = (count: keyof Counts): number =>
    sets.reduce((total, [, set]) => total + set[count], 0);
  return {
    at: state.at,
    cause: state.cause,
    total: sum('total'),
    active: sum('active'),
    available: sum('available'),
    sets: Object.fromEntries(sets),
  };
}
