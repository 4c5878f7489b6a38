/**
 * All instances that ever were, with what is quick to find: the living ones, by id, name and tag. A
 * search costs what it finds, however many are dead.
 */
import type { InstanceRecord } from './records.ts';

export interface Wanted {
  name?: string | undefined;
  tags: Readonly<Record<string, string>>;
}

export class Fleet {
  readonly records: InstanceRecord[] = [];
  readonly #living = new Map<string, InstanceRecord>();
  readonly #byId = new Map<string, InstanceRecord>();
  readonly #byToken = new Map<string, InstanceRecord>();
  readonly #byKey = new Map<string, Set<InstanceRecord>>();

  /** In the order of their creation. */
  get living(): Iterable<InstanceRecord> {
    return this.#living.values();
  }

  get livingCount(): number {
    return this.#living.size;
  }

  livingOne(id: string): InstanceRecord | undefined {
    return this.#living.get(id);
  }

  /** Also a dead one. */
  ofId(id: string): InstanceRecord | undefined {
    return this.#byId.get(id);
  }

  /** Also a dead one. */
  ofToken(token: string): InstanceRecord | undefined {
    return this.#byToken.get(token);
  }

  add(record: InstanceRecord): void {
    this.records.push(record);
    this.#byId.set(record.id, record);
    this.#byToken.set(record.token, record);
    this.#living.set(record.id, record);
    for (const key of keysOf(record)) {
      const found = this.#byKey.get(key);
      if (found) found.add(record);
      else this.#byKey.set(key, new Set([record]));
    }
  }

  /** It stays among the records. */
  remove(record: InstanceRecord): void {
    this.#living.delete(record.id);
    for (const key of keysOf(record)) {
      const found = this.#byKey.get(key);
      found?.delete(record);
      if (found?.size === 0) this.#byKey.delete(key);
    }
  }

  /** Living ones with this name and all these tags, in the order of their creation. */
  matching({ name, tags }: Wanted): InstanceRecord[] {
    const keys = keysOf({ name, tags });
    if (keys.length === 0) return [...this.#living.values()];
    const [fewest = none, ...others] = keys
      .map((key) => this.#byKey.get(key) ?? none)
      .toSorted((a, b) => a.size - b.size);
    return [...fewest].filter((record) => others.every((set) => set.has(record)));
  }
}

const none: ReadonlySet<InstanceRecord> = new Set();

/** Each name and each tag has a key of its own, whatever characters it has. */
function keysOf({ name, tags }: Wanted): string[] {
  const keys = Object.entries(tags).map((tag) => JSON.stringify(tag));
  return name === undefined ? keys : [JSON.stringify(name), ...keys];
}
