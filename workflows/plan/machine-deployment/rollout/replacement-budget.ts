/**
 * Option `millwright.dev/replacement-budget`: how many machines of a deployment are replaced at a
 * time.
 */
import type { Grant } from './facts.ts';

/** `kept`: it has failed, and it is not replaced for now. */
export type MachineState = 'available' | 'failed' | 'kept' | 'other';

export interface BudgetedSet {
  name: string;
  replicas: number;
  /** Annotation `millwright.dev/replacements`; absent when all failed machines may be replaced. */
  granted?: readonly string[];
  /** Machines that are not going away. */
  machines: readonly { name: string; state: MachineState }[];
}

/**
 * Machines that are missing or come up take from the budget; what is left is given to failed ones,
 * those that have it first. Budget 2, one machine is coming up, three failed: one of the three may
 * be replaced now.
 *
 * @param room Machines that may get it now and have it not yet.
 * @returns The sets whose grant is to change.
 */
export function grantsOf(
  budget: number | undefined,
  sets: readonly BudgetedSet[],
  room = Infinity,
): Grant[] {
  if (budget === undefined) {
    return sets.filter(({ granted }) => granted !== undefined).map(({ name }) => ({ set: name }));
  }
  let left = budget - sets.reduce((sum, set) => sum + underWay(set), 0);
  let news = room;
  const wanted = sets.map((set) => {
    const first = failedIn(set).slice(0, Math.max(left, 0));
    const machines = first.filter((name) => set.granted?.includes(name) || (news -= 1) >= 0);
    left -= machines.length;
    return { set: set.name, machines };
  });
  return wanted.filter(({ set, machines }) => {
    const { granted } = sets.find(({ name }) => name === set) ?? {};
    return granted === undefined || granted.join() !== machines.join();
  });
}

function underWay({ replicas, machines }: BudgetedSet): number {
  const coming = machines.filter(({ state }) => state === 'other').length;
  return coming + Math.max(replicas - machines.length, 0);
}

function failedIn({ granted = [], machines }: BudgetedSet): string[] {
  const failed = machines.filter(({ state }) => state === 'failed').map(({ name }) => name);
  const isActive = (name: string): boolean => granted.includes(name);
  return [...failed.filter(isActive), ...failed.filter((name) => !isActive(name)).toSorted()];
}
