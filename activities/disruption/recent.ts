/** What was made of texts lately: of a text of a policy, at each look at a calendar. */
export class Recent<T> {
  readonly #made = new Map<string, T>();
  readonly #most: number;
  readonly #make: (text: string) => T;

  /** Keeps what `make` made of the `most` texts that were asked for last. */
  constructor(most: number, make: (text: string) => T) {
    this.#most = most;
    this.#make = make;
  }

  of(text: string): T {
    const known = this.#made.get(text);
    const made = known ?? this.#make(text);
    this.#made.delete(text);
    this.#made.set(text, made);
    const [oldest = text] = this.#made.keys();
    if (this.#made.size > this.#most) this.#made.delete(oldest);
    return made;
  }
}
