/** What is to happen, and when: a heap by time. What is due at one moment keeps its order. */
export interface Entry {
  readonly at: number;
  readonly order: number;
  /** Undefined: it was taken back. */
  action: (() => void) | undefined;
}

export class Agenda {
  readonly #heap: Entry[] = [];
  #count = 0;

  add(at: number, action: () => void): Entry {
    this.#count += 1;
    const entry: Entry = { at, order: this.#count, action };
    this.#heap.push(entry);
    this.#rise(this.#heap.length - 1);
    return entry;
  }

  /** The time of the next entry, without those that were taken back; undefined: there is none. */
  get nextAt(): number | undefined {
    let first = this.#heap[0];
    while (first && !first.action) {
      this.#removeFirst();
      first = this.#heap[0];
    }
    return first?.at;
  }

  take(): (() => void) | undefined {
    if (this.nextAt === undefined) return undefined;
    const action = this.#removeFirst()?.action;
    return action;
  }

  #removeFirst(): Entry | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last && first !== last) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfEarlier(index, parent)) return;
      index = parent;
    }
  }

  #sink(from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      const least = this.#isEarlier(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfEarlier(least, index)) return;
      index = least;
    }
  }

  #swapIfEarlier(index: number, than: number): boolean {
    if (!this.#isEarlier(index, than)) return false;
    const [one, other] = [this.#heap[index], this.#heap[than]];
    if (one && other) [this.#heap[index], this.#heap[than]] = [other, one];
    return true;
  }

  #isEarlier(index: number, than: number): boolean {
    const [one, other] = [this.#heap[index], this.#heap[than]];
    if (!one || !other) return false;
    return one.at === other.at ? one.order < other.order : one.at < other.at;
  }
}
