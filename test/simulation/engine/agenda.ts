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
    const heap = this.#heap;
    const entry = heap[from];
    if (!entry) return;
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (!parent || !isEarlier(entry, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = entry;
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const entry = heap[from];
    if (!entry) return;
    let index = from;
    for (;;) {
      const least = this.#earlierChild(index);
      const child = heap[least];
      if (!child || !isEarlier(child, entry)) break;
      heap[index] = child;
      index = least;
    }
    heap[index] = entry;
  }

  /** May be past the end. */
  #earlierChild(index: number): number {
    const left = 2 * index + 1;
    const one = this.#heap[left];
    const other = this.#heap[left + 1];
    return one && other && isEarlier(other, one) ? left + 1 : left;
  }
}

function isEarlier(one: Entry, other: Entry): boolean {
  return one.at === other.at ? one.order < other.order : one.at < other.at;
}
