/** The old set that has the machines which the new set may not have yet. */
import { compareText } from '../../machine-set/scale-down.ts';
import type { SetFacts } from './facts.ts';
import { isActive, sumOf } from './facts.ts';
import type { Rollout, Sizing } from './sizing.ts';
import { exists, roomOf, unsettledOf } from './sizing.ts';
import { machines } from './words.ts';

/**
 * Returns, of the old sets that have machines, the one with the highest revision; where none has
 * any, the one with the highest revision. Never one that is being deleted, nor one whose template
 * was given up. MCM v0.62.1 takes the youngest object instead.
 */
export function keeperOf({ target, others }: Rollout): SetFacts | undefined {
  const old = others.filter(
    (set) => set !== target && exists(set) && !set.isDeleting && !set.isOfTemplate,
  );
  const newestFirst = old.toSorted(
    (a, b) => b.revision - a.revision || compareText(a.name, b.name),
  );
  return newestFirst.find(isActive) ?? newestFirst[0];
}

/**
 * Gives an old set the machines that a canary keeps from the new one: `replicas` are served
 * whatever becomes of the canary.
 *
 * 10 replicas, canary 1, scaled to 20 while the canary boots: the sets have 10 and 1, and the old
 * one gets 9 more.
 *
 * @param limit Machines that the new set may have for now, see hold.ts.
 * @param planned Sizes that are changed at the same time.
 */
export function keepServed(
  rollout: Rollout,
  limit: number,
  planned: readonly Sizing[],
): Sizing | undefined {
  const { facts, target, others } = rollout;
  const keeper = keeperOf(rollout);
  if (!keeper || planned.some(({ set }) => set.name === keeper.name)) return undefined;
  const sizeOf = (set: SetFacts): number =>
    planned.find((sizing) => sizing.set.name === set.name)?.replicas ?? set.replicas;
  const forNew = Math.max(sizeOf(target), Math.min(limit, facts.replicas));
  const missing = facts.replicas - forNew - sumOf(others, sizeOf);
  if (unsettledOf([...others, target])) return undefined;
  const count = Math.min(missing, roomOf(rollout, sizeOf));
  if (count <= 0) return undefined;
  const reason = `${machines(facts.replicas)} wanted, of which the canary leaves ${facts.replicas - forNew} to old sets`;
  return { set: keeper, replicas: keeper.replicas + count, reason };
}
