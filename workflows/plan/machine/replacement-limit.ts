/** How many machines of one owner may turn Failed at a time because of their health. */
import type { MachinePhase } from '../../api/phases.ts';

export interface CountedMachine {
  name: string;
  phase: MachinePhase;
  isDeleting: boolean;
  /** `preserveExpiryTime` is set: it is not replaced. */
  isPreserved: boolean;
}

export interface ReplacementFacts {
  /** The machine that asks. */
  name: string;
  /** Machines of the same owner, with the one that asks. */
  machines: readonly CountedMachine[];
  /** Machines that sets want and that do not exist. */
  missing: number;
  /** Machines that were granted a replacement. */
  granted: readonly string[];
  /** 1 or more. */
  limit: number;
}

export type Replacement =
  /** `granted`: to be noted before the machine turns Failed. */
  { mayFail: true; granted: string[] } | { mayFail: false; reason: string };

/**
 * As in MCM v0.62.1 every machine counts that is neither Running (without a target cluster:
 * Available) nor Unknown; so do one that was granted a replacement and is not Failed yet, and one
 * that is still to be created.
 */
export function planReplacement(facts: ReplacementFacts): Replacement {
  const { name, missing, limit } = facts;
  const others = facts.machines.filter((machine) => machine.name !== name);
  const promised = others.filter((machine) => isPromised(machine, facts.granted));
  const underWay = others.filter(isUnderWay).length + promised.length + missing;
  if (underWay < limit) {
    return { mayFail: true, granted: [...promised.map((other) => other.name), name].toSorted() };
  }
  const names = [...others.filter(isUnderWay), ...promised].map((other) => other.name);
  const shown = [...names.toSorted().slice(0, 3), ...(missing > 0 ? [`${missing} to create`] : [])];
  return {
    mayFail: false,
    reason: `past its health timeout, but ${underWay} of at most ${limit} ${limit === 1 ? 'machine is' : 'machines are'} being replaced already: ${shown.join(', ')}`,
  };
}

function isUnderWay({ phase, isDeleting, isPreserved }: CountedMachine): boolean {
  if (isDeleting) return true;
  return !isPreserved && phase !== 'Running' && phase !== 'Available' && !isWaiting(phase);
}

/** Of two whose update in place failed, neither waits for the other. With MCM v0.62.1 both do. */
function isWaiting(phase: MachinePhase): boolean {
  return phase === 'Unknown' || phase === 'InPlaceUpdateFailed';
}

function isPromised({ name, phase, isDeleting }: CountedMachine, granted: readonly string[]) {
  const isUndecided = isWaiting(phase) || phase === 'Available';
  return isUndecided && !isDeleting && granted.includes(name);
}
