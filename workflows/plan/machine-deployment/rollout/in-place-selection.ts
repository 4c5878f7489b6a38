/** Which machines may be selected for their update in place now. */
import type { ObservedDeployment, SetFacts } from './facts.ts';
import { availableAt, presentIn, sumOf, underWayIn } from './facts.ts';
import { Allowance } from './gate.ts';
import type { Rollout } from './sizing.ts';
import { exists, floorOf, unsettledOf } from './sizing.ts';
import { machines } from './words.ts';

export interface Selection {
  /** In the order in which they are selected. */
  machines: string[];
  /** Machines that are then selected and not updated yet, in all. */
  most: number;
  /** Why fewer than were asked for. */
  obstacle?: string;
  /** That DisruptionPolicies are why. */
  isLimited?: true;
}

export interface SelectionTerms {
  /** Machines that the new set may have for now, see hold.ts. Default: as many as are wanted. */
  limit?: number | undefined;
  /** Why none may be selected whatever there is room for. */
  hold?: string | undefined;
  /** Names that a person asks for. Default: all machines. */
  named?: readonly string[] | undefined;
}

/** Of one step. */
const mostSelected = 100;

/**
 * Those that do not work go first: that costs nothing. MCM v0.62.1 takes any. The bounds are those
 * of MCM, and `limit`, and what DisruptionPolicies allow.
 *
 * 10 replicas, 2 may be missing, no surge: the new set has 3 machines, one of which is not yet
 * available, the old one 7, one of which is selected. 10 - 8 - 1 - 1 = 0 may be selected.
 */
export function selectionOf(rollout: Rollout, terms: SelectionTerms = {}): Selection {
  const { facts, target, others } = rollout;
  const selected = sumOf([...others, target], ({ inPlace }) => inPlace?.selected.length ?? 0);
  const { faulty, ready } = candidatesIn(others, terms.named);
  const asked = faulty.length + ready.length;
  const obstacle = obstacleOf(rollout, terms);
  if (obstacle !== undefined) return { machines: [], most: selected, obstacle };
  const bounds = boundsOf(rollout, terms.limit);
  const bound = tightest(bounds);
  const first = faulty.slice(0, bound.room);
  const load = tightest([
    { ...bound, room: bound.room - first.length },
    loadOf(facts, [...others, target]),
  ]);
  const wanted = [...first, ...ready.slice(0, load.room)].slice(0, mostSelected);
  const allowance = new Allowance(facts);
  const names = wanted.slice(0, allowance.take(wanted.length));
  const isLimited = allowance.limit !== undefined;
  const why = allowance.limit ?? (bound.room === 0 ? bound.why : load.why);
  return {
    machines: names,
    most: selected + names.length,
    ...(names.length < asked && { obstacle: why }),
    ...(isLimited && { isLimited }),
  };
}

function candidatesIn(others: readonly SetFacts[], named: readonly string[] | undefined) {
  const isAsked = (name: string): boolean => named?.includes(name) ?? true;
  const of = (list: 'faulty' | 'ready'): string[] =>
    others.flatMap(({ inPlace }) => inPlace?.[list].filter(isAsked) ?? []);
  return { faulty: of('faulty'), ready: of('ready') };
}

function obstacleOf(
  { facts, target, others }: Rollout,
  { hold, named }: SelectionTerms,
): string | undefined {
  if (hold !== undefined) return hold;
  if (!exists(target)) return 'the template has no set yet';
  if (facts.selectionUnknown !== undefined) {
    return `it is not known which Nodes are selected: ${facts.selectionUnknown}`;
  }
  if (others.some((set) => presentIn(set) > 0 && !set.inPlace)) {
    return 'it is not known which Nodes are candidates';
  }
  const unsettled = unsettledOf([...others, target]);
  if (unsettled) return `MachineSet ${unsettled.name} still works on its size`;
  const { faulty, ready } = candidatesIn(others, named);
  return named && faulty.length + ready.length === 0
    ? `${named.join(', ')}: no candidate for an update in place`
    : undefined;
}

interface Bound {
  room: number;
  why: string;
}

function tightest(bounds: readonly [Bound, ...Bound[]]): Bound {
  const [first, ...more] = bounds;
  const least = more.reduce((a, b) => (b.room < a.room ? b : a), first);
  return { ...least, room: Math.max(least.room, 0) };
}

function boundsOf(
  { facts, target, others }: Rollout,
  limit: number | undefined,
): [Bound, ...Bound[]] {
  const { replicas, maxUnavailable } = facts;
  const undergoing = sumOf(others, underWayIn);
  const there = sumOf(others, (set) => Math.min(set.replicas, presentIn(set)));
  const ofNew = availableAt(target) - (target.inPlace?.selectedAvailable ?? 0);
  const lacking = target.replicas - ofNew;
  const underWay = [
    undergoing > 0 && `${machines(undergoing)} being updated`,
    lacking > 0 && `${lacking} of MachineSet ${target.name} not available`,
  ].filter((text) => text !== false);
  const taken = target.replicas + undergoing;
  const bounds: [Bound, ...Bound[]] = [
    {
      room: there + ofNew - (replicas - maxUnavailable) - undergoing,
      why: [`${maxUnavailable} may be missing of ${machines(replicas)}`, ...underWay].join(', '),
    },
    {
      room: replicas - taken,
      why: `MachineSet ${target.name} has, or will have, all ${machines(replicas)}`,
    },
  ];
  if (limit !== undefined) {
    const why = `the canary lets MachineSet ${target.name} have ${machines(limit)} for now`;
    bounds.push({ room: limit - taken, why });
  }
  return bounds;
}

/** Of machines that work. */
function loadOf(facts: ObservedDeployment, sets: readonly SetFacts[]): Bound {
  const available = sumOf(sets, (set) => availableAt(set) - (set.inPlace?.selectedAvailable ?? 0));
  const floor = floorOf(facts);
  return { room: available - floor, why: `${machines(available)} available, ${floor} needed` };
}
