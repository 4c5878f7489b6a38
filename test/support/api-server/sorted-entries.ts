/** The objects of one resource, by namespace and name, as lists have them. */
import type { Target } from './paths.ts';
import type { Change, Entry } from './stored.ts';

export class SortedEntries {
  readonly #places: string[];
  readonly #entries: Entry[];

  constructor(entries: readonly Entry[] = []) {
    this.#entries = [...entries];
    this.#places = entries.map(({ target }) => placeOf(target));
  }

  set(entry: Entry): void {
    const place = placeOf(entry.target);
    const at = this.#indexOf(place);
    if (this.#places[at] === place) {
      this.#entries[at] = entry;
      return;
    }
    this.#places.splice(at, 0, place);
    this.#entries.splice(at, 0, entry);
  }

  delete(target: Target): void {
    const place = placeOf(target);
    const at = this.#indexOf(place);
    if (this.#places[at] !== place) return;
    this.#places.splice(at, 1);
    this.#entries.splice(at, 1);
  }

  /** All, or those of a namespace. */
  of(namespace: string): Entry[] {
    if (namespace === '') return [...this.#entries];
    const start = this.#indexOf(`/${namespace}/`);
    // The character after the slash: no place of the namespace is behind it.
    return this.#entries.slice(start, this.#indexOf(`/${namespace}0`));
  }

  /** Of the first place that is not before this one. */
  #indexOf(place: string): number {
    return firstIndex(this.#places.length, (at) => (this.#places[at] ?? '') >= place);
  }
}

/** The first index for which it holds; it holds for all behind it. `length` where there is none. */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The entries before these changes, which are taken back, the newest first. */
export function entriesBefore(changes: readonly Change[], entries: readonly Entry[]): Entry[] {
  if (changes.length === 0) return [...entries];
  const past = new Map(entries.map((entry) => [placeOf(entry.target), entry]));
  for (const { before, after } of changes.toReversed()) {
    if (before) past.set(placeOf(before.target), before);
    else if (after) past.delete(placeOf(after.target));
  }
  return [...past].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

/** By which lists are sorted. */
export function placeOf({ namespace, name }: Target): string {
  return namespace === '' ? `/${name}` : `/${namespace}/${name}`;
}
