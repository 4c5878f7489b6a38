/**
 * Machines are updated where they are, and move from the old sets to the new one: decision 59. Old
 * sets are closed, and never larger than what they have; the new one takes what has arrived, and
 * makes what is missing.
 */
import { defined } from '../../../values/defined.ts';
import { awaited } from './awaited.ts';
import type { SetFacts } from './facts.ts';
import { availableAt, isActive, presentIn, sumOf, workedOnIn } from './facts.ts';
import type { Hold } from './hold.ts';
import type { Selection, SelectionTerms } from './in-place-selection.ts';
import { selectionOf } from './in-place-selection.ts';
import { sizesOf, sizesOfHeld } from './in-place-sizes.ts';
import { beginningStepOf, finishingStepOf, listed } from './in-place-steps.ts';
import { keeperOf } from './keeper.ts';
import type { Stall, Openings, Rollout, Sizing, StrategyPlan } from './sizing.ts';
import { exists } from './sizing.ts';
import type { InPlaceStep } from './steps.ts';
import { machines } from './words.ts';

/** @param limit Machines that the new set may have for now, see hold.ts. */
export function planInPlace(rollout: Rollout, limit?: number): StrategyPlan {
  const { facts, others } = rollout;
  const { sizes, limit: ofSizes } = sizesOf(rollout, limit ?? Infinity);
  const selection = selectionIn(rollout, { limit });
  const selected = facts.isManual ? undefined : selection;
  const isLimited = selected?.isLimited && selected.machines.length === 0;
  const policy = ofSizes ?? (isLimited ? selection.obstacle : undefined);
  const step = finishingStepOf(rollout) ?? beginningStepOf(rollout, selected);
  const words = wordsOf(rollout, { step, obstacle: policy ?? selection.obstacle });
  const left = sumOf(others, presentIn);
  return defined({
    sizes,
    mayCreate: true,
    openings: closingsOf(rollout, { sizes, limit }),
    reason: sizes[0]?.reason ?? words,
    limit: policy,
    inPlaceStep: step,
    stall: step ? undefined : stallOf(rollout, selection),
    next: left > 0 ? `still to be updated: ${machines(left)} of old sets` : undefined,
  });
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
export function selectionHold(rollout: Rollout): Hold | undefined {
  const { facts, target, others } = rollout;
  const left = sumOf(others, presentIn);
  if (!facts.isManual || !exists(target) || left === 0 || !isAtRest(rollout)) return undefined;
  const { sizes, inPlaceStep, stall } = planInPlace(rollout);
  if (sizes.length > 0 || inPlaceStep || stall) return undefined;
  const failed = failedIn(rollout).map(({ name }) => name);
  const words = failed.length > 0 ? `, failed: ${listed(failed)}` : '';
  return {
    kind: 'manual',
    reason: `Manual: ${machines(left)} of old sets left${words}`,
    next: 'select them for their update: millwright select-for-update, or the label on their Nodes',
  };
}

/** No machine comes, goes or is updated. */
function isAtRest({ target, others }: Rollout): boolean {
  const sets = [...others.filter(isActive), target];
  const failed = target.inPlace?.failed.length ?? 0;
  const isWhole = availableAt(target) + failed >= target.replicas;
  return isWhole && sets.every((set) => isSettled(set) && workedOnIn(set).length === 0);
}

function isSettled(set: SetFacts): boolean {
  return set.isObserved && set.going === 0 && presentIn(set) === set.replicas;
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
): Pick<StrategyPlan, 'sizes' | 'openings' | 'inPlaceStep'> {
  const { target, others } = rollout;
  const sizes = sizesOfHeld(rollout, taker) ?? [...scaled];
  const step = finishingStepOf(rollout);
  const close = others.filter(({ inPlace }) => (inPlace?.updated.length ?? 0) > 0);
  const open = [target, ...makersIn(sizes)];
  return {
    sizes,
    openings: { close: exists(target) ? close.filter((set) => !open.includes(set)) : [], open },
    ...(step && { inPlaceStep: step }),
  };
}

/** Closed before there is a new set, no set would be left to make a machine. */
function closingsOf(
  rollout: Rollout,
  { sizes, limit }: { sizes: readonly Sizing[]; limit: number | undefined },
): Openings {
  const { target, others } = rollout;
  const keeper = limit === undefined ? undefined : keeperOf(rollout);
  const isMaking = (set: SetFacts): boolean =>
    set === keeper && !set.isClosed && (presentIn(set) < set.replicas || !set.isObserved);
  const open = [target, ...makersIn(sizes)];
  const close = others.filter((set) => isActive(set) && !open.includes(set) && !isMaking(set));
  return { close: exists(target) ? close : [], open };
}

/** Sets that are to have more than there are. */
function makersIn(sizes: readonly Sizing[]): SetFacts[] {
  return sizes
    .filter(({ set, replicas }) => replicas > Math.max(set.replicas, presentIn(set)))
    .map(({ set }) => set);
}

interface Waiting {
  step: InPlaceStep | undefined;
  /** Why no other machine is updated. */
  obstacle: string | undefined;
}

function wordsOf(rollout: Rollout, { step, obstacle }: Waiting): string {
  const { facts, target, others } = rollout;
  if (step) return step.reason;
  const working = [...others, target].flatMap(workedOnIn);
  const failed = failedIn(rollout).map(({ name }) => name);
  const left = sumOf(others, presentIn);
  const isWaiting = working.length + failed.length > 0 || availableAt(target) < target.replicas;
  const unready = `${machines(left)} of old sets not joined, or kept for inspection`;
  const words = [
    working.length > 0 && `waits for the update of ${listed(working)}`,
    failed.length > 0 && `failed: ${listed(failed)}`,
    !isWaiting && left > 0 && !facts.isManual && (obstacle ?? unready),
  ].filter((text) => typeof text === 'string');
  return awaited(rollout, words.length > 0 ? words.join('; ') : undefined);
}

function failedIn({ target, others }: Rollout) {
  return [...others, target].flatMap(({ inPlace }) => inPlace?.failed ?? []);
}

/** Failed updates count as machines that are missing, until no other may be. */
function stallOf(rollout: Rollout, { machines: selectable }: Selection): Stall | undefined {
  const { facts } = rollout;
  const [first] = failedIn(rollout);
  const isUnknown = facts.selectionUnknown !== undefined;
  if (!first || selectable.length > 0 || isUnknown || !isAtRest(rollout)) return undefined;
  const { name, why } = first;
  const isStopped = facts.options.inPlaceFailure !== 'replace';
  const help = `repair its Node and say millwright retry-update machine/${name}, or millwright give-up-update machine/${name}`;
  return {
    blockedBy: `Machine/${name}`,
    reason: `The update in place of ${name} failed: ${why}`,
    next: isStopped ? help : `after its health timeout it is replaced; or ${help}`,
    ...(isStopped && { needsPerson: true }),
  };
}
