/** What a team has, and what the cloud works on there. */
import type { HandClock } from '../rest/field-rules.ts';
import { Refusal } from '../rest/refusal.ts';

export interface StoredDroplet {
  id: number;
  name: string;
  status: 'new' | 'active' | 'off' | 'archive';
  isLocked: boolean;
  createdAt: string;
  /** As asked for; shown once they are attached. */
  tags: string[];
  shownTags: string[];
  body: Readonly<Record<string, unknown>>;
  volumes: { id: string; name: string; cost: string }[];
  others: { id: string; name: string; cost: string }[];
}

interface Work {
  at: number;
  run: () => void;
}

const perMinute = 250;

export class Team {
  readonly droplets = new Map<number, StoredDroplet>();
  readonly clock: HandClock;
  /** By name, of all that were ever made. */
  readonly madeByName = new Map<string, number>();
  /** What was destroyed with droplets: `volumes/ID`. */
  readonly destroyedWith: string[] = [];
  dropletMax = 1_000;
  /** Sizes that a region has none of. */
  soldOut = new Set<string>();
  /** From the create until it runs, until it has its tags, and from the delete until it is gone. */
  bootSeconds = 0;
  tagSeconds = 0;
  destroySeconds = 0;
  /** Until lists show it. */
  listSeconds = 0;
  /** Droplets that never run stay `new`. */
  boots = true;
  #work: Work[] = [];
  #unlisted = new Set<number>();
  #lastId = 3_164_000;
  #left = Number.POSITIVE_INFINITY;
  #resetAt = 0;

  constructor(clock: HandClock) {
    this.clock = clock;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  add(body: Readonly<Record<string, unknown>>): StoredDroplet {
    const tags: unknown[] = Array.isArray(body['tags']) ? body['tags'] : [];
    const made: StoredDroplet = {
      id: this.nextId(),
      name: String(body['name']),
      status: 'new',
      isLocked: true,
      createdAt: this.clock.text(),
      tags: tags.map(String),
      shownTags: [],
      body,
      volumes: [],
      others: [],
    };
    this.droplets.set(made.id, made);
    this.#unlisted.add(made.id);
    this.madeByName.set(made.name, (this.madeByName.get(made.name) ?? 0) + 1);
    this.#after(this.tagSeconds, () => {
      made.shownTags = made.tags;
    });
    this.#after(this.listSeconds, () => this.#unlisted.delete(made.id));
    this.#after(this.bootSeconds, () => {
      if (!this.boots) return;
      made.status = 'active';
      made.isLocked = false;
    });
    return made;
  }

  destroy({ id }: StoredDroplet): void {
    this.#after(this.destroySeconds, () => this.droplets.delete(id));
  }

  listed(): StoredDroplet[] {
    return [...this.droplets.values()].filter(({ id }) => !this.#unlisted.has(id));
  }

  living(name: string): StoredDroplet[] {
    return [...this.droplets.values()].filter((one) => one.name === name);
  }

  #after(seconds: number, run: () => void): void {
    this.#work.push({ at: this.clock.now() + seconds * 1_000, run });
  }

  /** What is due by now is done, in the order in which it was begun. */
  goOn(): void {
    const now = this.clock.now();
    const due = this.#work.filter(({ at }) => at <= now);
    this.#work = this.#work.filter(({ at }) => at > now);
    for (const { run } of due) run();
  }

  /** Other users of the token have used up the calls of this minute. */
  useUp(): void {
    this.#left = 0;
    this.#resetAt = this.clock.now() + 60_000;
  }

  take(): void {
    if (this.clock.now() >= this.#resetAt) this.#left = perMinute * 100;
    if (this.#left < 1) throw new Refusal(429, 'too_many_requests', 'API rate limit exceeded.');
    this.#left -= 1;
  }

  limitHeaders(): Record<string, string> {
    return {
      'ratelimit-limit': '5000',
      'ratelimit-remaining': String(Math.min(5_000, this.#left)),
      'ratelimit-reset': String(Math.ceil(this.#resetAt / 1_000)),
    };
  }
}
