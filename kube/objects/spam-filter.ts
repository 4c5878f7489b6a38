/**
 * A token bucket for each object, as client-go's EventSourceObjectSpamFilter: one that flaps cannot
 * flood the API server.
 */

export interface SpamLimits {
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
