/**
 * Machines are updated where they are, and move from the old sets to the new one: decision 59. Old
 * sets are closed, and never larger than what they have; the new one takes what has arrived, and
 * makes what is missing.
 */
import { awaited } from './awaited.ts';
import type { SetFacts } from './facts.ts';
import { isActive, presentIn, sumOf, undergoingIn } from './facts.ts';
import { Allowance } from './gate.ts';
import type { Selection } from './in-place-selection.ts';
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
  const isUnderWay = sizes.length > 0;
  const hold = isUnderWay ? 'the sets are given their new sizes first' : undefined;
  const selection = selectionOf(rollout, { limit, hold });
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

/**
 * While something holds the rollout, what was selected goes on. `sizes`: those that follow
 * `replicas`, unless some have to follow what moved.
 */
export function planInPlaceHeld(
  rollout: Rollout,
  sizesOfHeld: () => Sizing[],
): Pick<StrategyPlan, 'sizes' | 'closings' | 'inPlaceStep'> {
  const { target, others } = rollout;
  const followed = followedSizes(rollout);
  const sizes = followed.length > 0 ? followed : sizesOfHeld();
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

/** A move changes what sets have, not their sizes: they follow, and their sum stays. */
function followedSizes({ facts, target, others }: Rollout): Sizing[] {
  const shrunk = others
    .filter((set) => set.isClosed && set.isObserved && presentIn(set) < set.replicas)
    .map((set): Sizing => {
      const count = set.replicas - presentIn(set);
      return { set, replicas: presentIn(set), reason: `${machines(count)} moved or lost` };
    });
  const present = presentIn(target);
  const arrived = Math.min(
    target.inPlace?.arrived.length ?? 0,
    present - target.replicas,
    facts.replicas - target.replicas,
  );
  if (arrived <= 0 || !target.isObserved) return shrunk;
  const reason = `${machines(arrived)} arrived`;
  return [...shrunk, { set: target, replicas: target.replicas + arrived, reason }];
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
  const missing = Math.max(replicas - sumOf(sets, (set) => set.replicas), 0);
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
  const working = workedOn(rollout);
  const failed = failedIn(rollout).map(({ name }) => name);
  const left = others.some((set) => set.replicas > 0);
  const obstacle = [
    working.length > 0 && `waits for the update of ${listed(working)}`,
    failed.length > 0 && `failed: ${listed(failed)}`,
    working.length + failed.length === 0 && left && !facts.isManual && selection.obstacle,
  ].filter((text) => typeof text === 'string');
  const words = obstacle.length > 0 ? obstacle.join('; ') : undefined;
  return awaited({ ...rollout, target }, words);
}

const inPlaceOf = (rollout: Rollout) =>
  [...rollout.others, rollout.target].flatMap(({ inPlace }) => inPlace ?? []);

function failedIn(rollout: Rollout) {
  return inPlaceOf(rollout).flatMap(({ failed }) => failed);
}

/** Selected, and not failed. */
function workedOn(rollout: Rollout): string[] {
  const failed = new Set(failedIn(rollout).map(({ name }) => name));
  return inPlaceOf(rollout)
    .flatMap(({ selected }) => selected)
    .filter((name) => !failed.has(name));
}

/** Failed updates count as machines that are missing, until no other may be. */
function blockOf(rollout: Rollout, { machines: selectable }: Selection): Block | undefined {
  const { facts } = rollout;
  const [first] = failedIn(rollout);
  if (!first || selectable.length > 0 || workedOn(rollout).length > 0) return undefined;
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
