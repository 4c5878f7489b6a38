/**
 * Machines are updated where they are, and move from the old sets to the new one: decision 59. Old
 * sets are closed, and never larger than what they have; the new one takes what has arrived, and
 * makes what is missing.
 */
import { awaited } from './awaited.ts';
import type { SetFacts } from './facts.ts';
import { availableAt, isActive, presentIn, sumOf, undergoingIn, workedOnIn } from './facts.ts';
import { Allowance } from './gate.ts';
import type { Hold } from './hold.ts';
import type { Selection, SelectionTerms } from './in-place-selection.ts';
import { selectionOf } from './in-place-selection.ts';
import { beginningStepOf, finishingStepOf, listed } from './in-place-steps.ts';
import { keeperOf } from './keeper.ts';
import { growthOf } from './new-set-size.ts';
import { giveChosen, Giving, isScalingEvent } from './scaling.ts';
import type { Block, Closings, Rollout, Sizing, StrategyPlan } from './sizing.ts';
import { exists, mostOf, roomOf, spareOf, unsettledOf } from './sizing.ts';
import type { InPlaceStep } from './steps.ts';
import { machines } from './words.ts';

/** @param limit Machines that the new set may have for now, see hold.ts. */
export function planInPlace(rollout: Rollout, limit?: number): StrategyPlan {
  const { facts, others } = rollout;
  const { sizes, limit: byPolicy } = sizesOf(rollout, limit ?? Infinity);
  const selection = selectionIn(rollout, { limit });
  const isOfPolicy = selection.isLimited && selection.machines.length === 0 && !facts.isManual;
  const policy = byPolicy ?? (isOfPolicy ? selection.obstacle : undefined);
  const step =
    finishingStepOf(rollout) ?? beginningStepOf(rollout, facts.isManual ? undefined : selection);
  const left = sumOf(others, presentIn);
  const block = step ? undefined : blockOf(rollout, selection);
  return {
    sizes,
    mayCreate: true,
    closings: closingsOf(rollout, { sizes, limit }),
    reason: sizes[0]?.reason ?? wordsOf(rollout, { step, selection }),
    ...(policy !== undefined && { limit: policy }),
    ...(step && { inPlaceStep: step }),
    ...(block && { block }),
    ...(left > 0 && { next: `still to be updated: ${machines(left)} of old sets` }),
  };
}

/** What a plan selects at a time is bounded by sets that have their sizes. */
export function selectionIn(rollout: Rollout, terms: SelectionTerms): Selection {
  const { sizes } = sizesOf(rollout, terms.limit ?? Infinity);
  const hold = sizes.length > 0 ? 'the sets are given their sizes first' : undefined;
  return selectionOf(rollout, { ...terms, hold: terms.hold ?? hold });
}

/**
 * Manual: nothing is under way, and old machines are left. For how long is not ours to say, so no
 * deadline runs meanwhile.
 */
export function manualHold(rollout: Rollout): Hold | undefined {
  const { facts, target, others } = rollout;
  const sets = [...others.filter(isActive), target];
  const left = sumOf(others, presentIn);
  if (!facts.isManual || !exists(target) || left === 0) return undefined;
  const { sizes, inPlaceStep, block } = planInPlace(rollout);
  const isSettled = sets.every((set) => set.going === 0 && presentIn(set) === set.replicas);
  const isWorking = sets.some((set) => workedOnIn(set).length > 0);
  if (sizes.length > 0 || inPlaceStep || block || isWorking) return undefined;
  if (!isSettled || availableAt(target) < target.replicas) return undefined;
  const failed = failedIn(rollout).map(({ name }) => name);
  const words = failed.length > 0 ? `, failed: ${listed(failed)}` : '';
  return {
    kind: 'manual',
    reason: `Manual: ${machines(left)} of old sets left${words}`,
    next: 'select them for their update: millwright select-for-update, or the label on their Nodes',
  };
}

/**
 * While something holds the rollout, what was selected goes on.
 *
 * @param taker The set that makes what is missing, as a closed one does not.
 * @param scaled Sizes that follow `replicas`.
 */
export function planInPlaceHeld(
  rollout: Rollout,
  taker: SetFacts,
  scaled: readonly Sizing[],
): Pick<StrategyPlan, 'sizes' | 'closings' | 'inPlaceStep'> {
  const { target, others } = rollout;
  const sizes = sizesOfHeld(rollout, taker) ?? [...scaled];
  const step = finishingStepOf(rollout);
  const close = others.filter(({ inPlace }) => (inPlace?.updated.length ?? 0) > 0);
  const growing = sizes.filter(({ set, replicas }) => replicas > set.replicas);
  const open = [target, ...growing.map(({ set }) => set)];
  return {
    sizes,
    closings: { close: exists(target) ? close.filter((set) => !open.includes(set)) : [], open },
    ...(step && { inPlaceStep: step }),
  };
}

function sizesOfHeld(rollout: Rollout, taker: SetFacts): Sizing[] | undefined {
  const followed = followedSizes(rollout);
  if (followed.length > 0) return followed;
  const missing = missingIn(rollout);
  const active = [...rollout.others, rollout.target].filter(({ replicas }) => replicas > 0);
  if (missing === 0 || active.length < 2 || !exists(taker)) return undefined;
  const reason = `${machines(missing)} missing`;
  return [{ set: taker, replicas: taker.replicas + missing, reason }];
}

function missingIn({ facts, target, others }: Rollout): number {
  return Math.max(facts.replicas - sumOf([...others, target], ({ replicas }) => replicas), 0);
}

function sizesOf(rollout: Rollout, limit: number): { sizes: Sizing[]; limit?: string } {
  const { others } = rollout;
  if (!others.some(isActive)) {
    const { size } = growthOf(rollout);
    return { sizes: size ? [size] : [] };
  }
  const followed = followedSizes(rollout);
  if (followed.length > 0) return { sizes: followed };
  const { sizes, limit: byPolicy } = surplusSizes(rollout);
  if (sizes.length > 0) return { sizes };
  return {
    sizes: missingSizes(rollout, limit),
    ...(byPolicy !== undefined && { limit: byPolicy }),
  };
}

/**
 * A move changes what sets have, not their sizes: they follow, and their sum stays. Machines may
 * have arrived in a set that is an old one by now.
 */
function followedSizes({ facts, target, others }: Rollout): Sizing[] {
  const shrunk = others
    .filter((set) => set.isClosed && set.isObserved && presentIn(set) < set.replicas)
    .map((set): Sizing => {
      const count = set.replicas - presentIn(set);
      return { set, replicas: presentIn(set), reason: `${machines(count)} moved or lost` };
    });
  const grown = [...others, target].flatMap((set): Sizing[] => {
    const uncounted = Math.min(presentIn(set), facts.replicas) - set.replicas;
    const count = Math.min(set.inPlace?.arrived.length ?? 0, uncounted);
    if (count <= 0 || !set.isObserved) return [];
    return [{ set, replicas: set.replicas + count, reason: `${machines(count)} arrived` }];
  });
  return [...shrunk, ...grown];
}

/**
 * Scaled down, or the new set has all that are wanted and the surge is left over. Old machines go,
 * first those on which no agent works; the new set gives only what it has above `replicas`. No
 * Running one goes that is needed, which MCM v0.62.1 does not ask.
 */
function surplusSizes(rollout: Rollout): { sizes: Sizing[]; limit?: string } {
  const { facts, target, others } = rollout;
  const sets = [...others, target];
  const total = sumOf(sets, ({ replicas }) => replicas);
  const excess = total - mostOf(facts);
  const chosen = isScalingEvent(facts) && total > facts.replicas ? giveChosen(rollout) : [];
  if (chosen.length > 0) return { sizes: chosen };
  if (excess > 0) return { sizes: giveBack(rollout, excess, 'scaled down') };
  if (target.replicas < facts.replicas || total === facts.replicas) return { sizes: [] };
  const allowance = new Allowance(facts);
  const reason = `MachineSet ${target.name} has all ${machines(facts.replicas)}`;
  const sizes = giveBack(rollout, allowance.take(total - facts.replicas), reason);
  const { limit } = allowance;
  return {
    sizes: sizes.map((size) => ({ ...size, isOfRollout: true })),
    ...(limit !== undefined && { limit }),
  };
}

function giveBack({ facts, target, others }: Rollout, count: number, reason: string): Sizing[] {
  const giving = new Giving(count, spareOf(facts, [...others, target]));
  const untouched = (set: SetFacts): number => Math.max(presentIn(set) - undergoingIn(set), 0);
  const once = others.map((set) => giving.take(set, untouched(set)));
  const twice = once.map((set) => giving.take(set, set.replicas));
  const left = [...twice, giving.take(target, Math.max(target.replicas - facts.replicas, 0))];
  return [...others, target].flatMap((set, index): Sizing[] => {
    const { replicas } = left[index] ?? set;
    return replicas < set.replicas ? [{ set, replicas, reason }] : [];
  });
}

/**
 * What was lost, or `replicas` ask for, the new set makes, as far as a canary lets it; an old one
 * the rest. As long as old machines are left that no agent works on, the new set has those of the
 * surge as well.
 */
function missingSizes(rollout: Rollout, limit: number): Sizing[] {
  const { facts, target, others } = rollout;
  const sets = [...others, target];
  const { replicas } = facts;
  const missing = missingIn(rollout);
  const undergoing = sumOf(others, undergoingIn);
  const isSettled = unsettledOf(sets) === undefined;
  const isBegun = sumOf(others, (set) => set.replicas) > 0;
  const open = Math.min(replicas - undergoing, limit) - target.replicas;
  const surge = isBegun && isSettled ? Math.min(roomOf(rollout), open) : 0;
  const made = Math.min(missing, Math.max(Math.min(replicas, limit) - target.replicas, 0));
  const count = Math.max(made, surge);
  const sizes: Sizing[] = [];
  if (count > 0) {
    const size = { set: target, replicas: target.replicas + count };
    const lost = `${machines(missing)} missing`;
    const above = `room for ${count} more, at most ${machines(mostOf(facts))}`;
    sizes.push(
      surge > made ? { ...size, reason: above, isOfRollout: true } : { ...size, reason: lost },
    );
  }
  const keeper = missing > count && isSettled ? keeperOf(rollout) : undefined;
  if (keeper) {
    const rest = missing - count;
    const reason = `${machines(missing)} missing, of which the canary leaves ${rest} to old sets`;
    sizes.push({ set: keeper, replicas: keeper.replicas + rest, reason });
  }
  return sizes;
}

/** Closed before there is a new set, no set would be left to make a machine. */
function closingsOf(
  rollout: Rollout,
  { sizes, limit }: { sizes: readonly Sizing[]; limit: number | undefined },
): Closings {
  const { target, others } = rollout;
  const growing = sizes.filter(({ set, replicas }) => replicas > set.replicas);
  const keeper = limit === undefined ? undefined : keeperOf(rollout);
  const isMaking = (set: SetFacts): boolean =>
    set === keeper && !set.isClosed && (presentIn(set) < set.replicas || !set.isObserved);
  const open = [target, ...growing.map(({ set }) => set)];
  const close = others.filter((set) => isActive(set) && !open.includes(set) && !isMaking(set));
  return { close: exists(target) ? close : [], open };
}

interface Waiting {
  step: InPlaceStep | undefined;
  selection: Selection;
}

function wordsOf(rollout: Rollout, { step, selection }: Waiting): string {
  const { facts, target, others } = rollout;
  if (step) return step.reason;
  const working = [...others, target].flatMap(workedOnIn);
  const failed = failedIn(rollout).map(({ name }) => name);
  const left = sumOf(others, presentIn);
  const isWaiting = working.length + failed.length > 0 || availableAt(target) < target.replicas;
  const obstacle = selection.obstacle ?? `${machines(left)} of old sets: no candidates`;
  const words = [
    working.length > 0 && `waits for the update of ${listed(working)}`,
    failed.length > 0 && `failed: ${listed(failed)}`,
    !isWaiting && left > 0 && !facts.isManual && obstacle,
  ].filter((text) => typeof text === 'string');
  return awaited(rollout, words.length > 0 ? words.join('; ') : undefined);
}

function failedIn({ target, others }: Rollout) {
  return [...others, target].flatMap(({ inPlace }) => inPlace?.failed ?? []);
}

/** Failed updates count as machines that are missing, until no other may be. */
function blockOf(rollout: Rollout, { machines: selectable }: Selection): Block | undefined {
  const { facts, target, others } = rollout;
  const [first] = failedIn(rollout);
  const isWorking = [...others, target].some((set) => workedOnIn(set).length > 0);
  if (!first || selectable.length > 0 || isWorking) return undefined;
  const { name, why } = first;
  const isStopped = facts.options.inPlaceFailure === 'stop';
  const help = `repair its Node and say millwright retry-update ${name}, or millwright give-up-update ${name}`;
  return {
    blockedBy: `Machine/${name}`,
    reason: `The update in place of ${name} failed: ${why}`,
    next: isStopped ? help : `after its health timeout it is replaced; or ${help}`,
    ...(isStopped && { needsPerson: true }),
  };
}
