/** How many machines an owner has, over time. */
import { isAvailable, isDeleting, ownerOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import { Trace } from './trace.ts';

export interface Tally {
  /** Those that are not being deleted. */
  present: Trace<number>;
  /** Of these, those that run. */
  available: Trace<number>;
}

interface Entry {
  owner: string;
  isAvailable: boolean;
}

export class Tallies {
  readonly #byOwner = new Map<string, Tally>();
  /** By UID of the machine. */
  readonly #entries = new Map<string, Entry>();

  of(owner: string): Tally {
    const known = this.#byOwner.get(owner);
    if (known) return known;
    const made = { present: new Trace(0, 0), available: new Trace(0, 0) };
    this.#byOwner.set(owner, made);
    return made;
  }

  /** @param machine Undefined: it is gone, or its owner does not count it. */
  count(uid: string, machine: JudgedObject | undefined, at: number): void {
    const before = this.#entries.get(uid);
    if (before) this.#add(before, -1, at);
    this.#entries.delete(uid);
    const owner = machine && ownerOf(machine);
    if (!machine || owner === undefined || isDeleting(machine)) return;
    const entry = { owner, isAvailable: isAvailable(machine) };
    this.#entries.set(uid, entry);
    this.#add(entry, 1, at);
  }

  #add(entry: Entry, by: number, at: number): void {
    const { present, available } = this.of(entry.owner);
    present.set(at, present.now + by);
    if (entry.isAvailable) available.set(at, available.now + by);
  }
}
