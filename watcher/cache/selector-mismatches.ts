/**
 * Machines that a MachineSet controls although its selector does not match them: the set lists by
 * its selector, so it would never see them. Kept up to date with each change, so that an event
 * costs no scan of all machines.
 */
import { isEmptySelector, matches } from '../../workflows/api/selector.ts';
import type { MachineView, SetView } from './views.ts';

/** Named in one signal; the next ones follow once these are let go. */
const mostNamed = 100;

export class SelectorMismatches {
  readonly #bySet = new Map<string, Set<string>>();

  /** In the order in which they were noticed. */
  of(set: string): string[] {
    return [...(this.#bySet.get(set) ?? [])].slice(0, mostNamed);
  }

  forget({ owner, name }: MachineView): void {
    if (owner === undefined) return;
    const names = this.#bySet.get(owner);
    names?.delete(name);
    if (names?.size === 0) this.#bySet.delete(owner);
  }

  update(machine: MachineView, set: SetView | undefined): void {
    if (set === undefined || !isMismatch(machine, set)) return;
    const names = this.#bySet.get(set.name) ?? new Set();
    this.#bySet.set(set.name, names.add(machine.name));
  }

  /** The set is new, gone, or has another selector. */
  updateAll(name: string, set: SetView | undefined, machines: Iterable<MachineView>): void {
    this.#bySet.delete(name);
    for (const machine of machines) this.update(machine, set);
  }
}

/**
 * A machine that goes anyway keeps its owner; a selector that asks for nothing is no reason to let
 * all go.
 */
function isMismatch({ owner, isDeleting, labels }: MachineView, set: SetView): boolean {
  if (owner !== set.name || isDeleting || isEmptySelector(set.selector)) return false;
  return !matches(set.selector, labels);
}

/** The generation moves with the spec: while it stands, nothing need be compared. */
export function hasSameSelector(a: SetView, b: SetView): boolean {
  return (
    a.uid === b.uid &&
    (a.generation === b.generation || JSON.stringify(a.selector) === JSON.stringify(b.selector))
  );
}
