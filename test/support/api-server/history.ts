/** The changes of a store, the oldest first, as far back as it keeps them. */
import { firstIndex } from './sorted-entries.ts';
import type { Change } from './stored.ts';

export class History {
  readonly #keeps: number;
  #changes: Change[] = [];
  #forgottenBelow = 0;

  /** How many changes it keeps at least; older ones may be forgotten. */
  constructor(keeps = Infinity) {
    this.#keeps = keeps;
  }

  /** Older versions are expired. */
  get forgottenBelow(): number {
    return this.#forgottenBelow;
  }

  add(change: Change): void {
    this.#changes.push(change);
    // Not each time: half of a long list moves.
    if (this.#changes.length < 2 * this.#keeps) return;
    this.forget(this.#changes.at(-1 - this.#keeps)?.version ?? 0);
  }

  /** What was before this version is forgotten. */
  forget(below: number): void {
    this.#forgottenBelow = below;
    this.#changes = this.since(below);
  }

  since(version: number): Change[] {
    const changes = this.#changes;
    return changes.slice(
      firstIndex(changes.length, (index) => (changes[index]?.version ?? 0) > version),
    );
  }

  /** The function that it returns brings it back as it is now. */
  backup(): () => void {
    const [changes, forgottenBelow] = [[...this.#changes], this.#forgottenBelow];
    return () => {
      this.#changes = [...changes];
      this.#forgottenBelow = forgottenBelow;
    };
  }
}
