/**
 * Writes Events in the background, as client-go's recorder does: no step waits for one, and none
 * fails with one.
 */
import { isRefusal } from '../client/errors.ts';
import type { Occurrence } from './event.ts';
import { sleep } from '../../activities/system/system.ts';

/**
 * Why an Event was not written: its object has had too many, too many wait, the API server refused
 * it or did not take it, or the process ended.
 */
export const dropReasons = ['rateLimited', 'queueFull', 'refused', 'failed', 'shutdown'] as const;
export type DropReason = (typeof dropReasons)[number];

export interface EventRecorderOptions {
  write(occurrence: Occurrence): Promise<void>;
  onDropped?(reason: DropReason, error?: unknown): void;
  filter?: SpamFilter;
}

/** As client-go's. */
const queueMax = 1_000;
const writersMax = 4;

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #filter: SpamFilter;
  #queue: Occurrence[] = [];
  readonly #writes = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#filter = options.filter ?? new SpamFilter();
  }

  record(occurrence: Occurrence): void {
    const reason = this.#reasonToDrop(occurrence);
    if (reason) return this.#drop(reason);
    this.#queue.push(occurrence);
    this.#fillWriters();
  }

  /** Resolves when everything that was recorded is written or dropped. */
  async idle(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes);
  }

  /** Events that are not written within this time are dropped, and so are those from now on. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    const timer = new AbortController();
    const end = sleep(withinMs, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([this.idle(), end]);
    timer.abort();
    const left = this.#queue;
    this.#queue = [];
    for (const _ of left) this.#drop('shutdown');
  }

  #reasonToDrop({ subject, at }: Occurrence): DropReason | undefined {
    if (this.#isClosed) return 'shutdown';
    if (this.#queue.length >= queueMax) return 'queueFull';
    // Some objects are named without having been read, such as the Lease of a namespace.
    const { uid, kind, namespace, name } = subject;
    const id = uid === '' ? `${kind} ${namespace}/${name}` : uid;
    return this.#filter.accepts(id, at) ? undefined : 'rateLimited';
  }

  #fillWriters(): void {
    while (this.#writes.size < writersMax) {
      const next = this.#queue.shift();
      if (!next) return;
      const write = this.#write(next);
      this.#writes.add(write);
      void this.#writeNextAfter(write);
    }
  }

  async #writeNextAfter(write: Promise<void>): Promise<void> {
    await write;
    this.#writes.delete(write);
    this.#fillWriters();
  }

  /** Never rejects. */
  async #write(occurrence: Occurrence): Promise<void> {
    try {
      await this.#options.write(occurrence);
    } catch (error) {
      this.#drop(isRefusal(error) ? 'refused' : 'failed', error);
    }
  }

  #drop(reason: DropReason, error?: unknown): void {
    this.#options.onDropped?.(reason, error);
  }
}

interface SpamLimits {
  /** Events of one object that pass at once. */
  burst: number;
  /** After those, one more in each span of this length. */
  refillMs: number;
  /** Objects that are remembered; the one that was quiet for longest is forgotten first. */
  objectsMax: number;
}

/**
 * client-go lets 25 pass and then one in 5 minutes. A rollout of 100 machines one by one writes 200
 * Events of scaling on one MachineDeployment, and they are what people read to follow it.
 */
const defaultLimits: SpamLimits = { burst: 200, refillMs: 15_000, objectsMax: 4_096 };

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * A token bucket for each object, as client-go's EventSourceObjectSpamFilter: one that flaps cannot
 * flood the API server.
 */
export class SpamFilter {
  readonly #limits: SpamLimits;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: Partial<SpamLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** Takes a token of this object. `now` is in milliseconds. */
  accepts(uid: string, now: number): boolean {
    const { burst, refillMs, objectsMax } = this.#limits;
    const { tokens, at } = this.#buckets.get(uid) ?? { tokens: burst, at: now };
    const filled = Math.min(burst, tokens + Math.max(now - at, 0) / refillMs);
    const isAccepted = filled >= 1;
    // Set anew, so that the map is in the order of last use.
    this.#buckets.delete(uid);
    this.#buckets.set(uid, { tokens: isAccepted ? filled - 1 : filled, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > objectsMax && oldest !== undefined) this.#buckets.delete(oldest);
    return isAccepted;
  }
}
