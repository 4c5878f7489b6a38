/**
 * How fast one account of a cloud may be called, as this process learns it: no limit until the
 * cloud says "too many calls", then half of the pace so far, which grows again.
 */
import { monotonicMs, random } from '../../activities/system/system.ts';

/** Calls a second. */
const slowest = 0.2;
/** At this pace there is no limit any more; clouds allow less where they limit at all. */
const fastest = 50;
/** Calls a second, each second: from the slowest to no limit takes four minutes. */
const growth = 0.2;
/** Over so long is the pace of calls measured, milliseconds. */
const memoryMs = 10_000;
/** So many repeated refusals in a row may be those of single machines. */
const repeatsInVain = 5;
/** As for the pause of a pending operation. */
const longestPauseSeconds = 3_600;

export interface Throttling {
  caller: string;
  /** When the call began, in the time of `monotonicMs`. */
  begunAt: number;
  /** As the cloud says. */
  retryAfterSeconds?: number | undefined;
}

export class AccountPace {
  /** Calls a second at `#resumeAt`; undefined: no limit. */
  #rate: number | undefined;
  /** No call before. */
  #resumeAt = 0;
  /** When the pace was halved. */
  #cutAt = Number.NEGATIVE_INFINITY;
  /** The first time that no caller has. */
  #next = 0;
  /** When those that wait may call. A new limit forgets them, and so does the end of the limit. */
  readonly #places = new Map<string, number>();
  /** Callers that were refused and got no answer since. */
  readonly #refused = new Set<string>();
  /** Refusals since the last answer or cut. */
  #inVain = 0;
  /** Calls, each of which counts less the longer ago it was. */
  #calls = 0;
  #countedAt = 0;

  /**
   * Milliseconds until `caller` may call. 0: now, and it counts as a call. A caller that has to
   * wait keeps its place, and is let through when it comes back by then.
   */
  turn(caller: string): number {
    const now = monotonicMs();
    const place = this.#placeOf(caller, now);
    if (place > now) {
      this.#places.set(caller, place);
      return place - now;
    }
    this.#places.delete(caller);
    this.#calls = this.#callsAt(now) + 1;
    this.#countedAt = now;
    return 0;
  }

  /** Milliseconds until the pause is over that the cloud asked for. 0: calls take turns. */
  get pauseMs(): number {
    return Math.max(this.#resumeAt - monotonicMs(), 0);
  }

  /** The cloud has read what this caller wants. */
  answered(caller: string): void {
    this.#refused.delete(caller);
    this.#inVain = 0;
  }

  /**
   * The cloud refused a call because there were too many. False: that says nothing of the account.
   * Clouds have limits for single machines as well, such as four writes a minute. A caller that is
   * refused again must not hold up the others before they had their turn: it counts only when many
   * were refused and none was answered.
   */
  throttled({ caller, begunAt, retryAfterSeconds = 0 }: Throttling): boolean {
    const now = monotonicMs();
    const isRepeated = this.#refused.has(caller);
    this.#refused.add(caller);
    this.#inVain += 1;
    if (isRepeated && this.#inVain <= repeatsInVain) return false;
    // Calls that were under way together are refused together: that is one news.
    const isNews = this.#rate === undefined || begunAt > this.#cutAt;
    if (isNews) {
      this.#rate = Math.max(this.#paceAt(now) / 2, slowest);
      this.#cutAt = now;
      this.#inVain = 0;
      this.#places.clear();
      this.#next = now;
    }
    const pauseSeconds = Math.max(retryAfterSeconds, 1 / (this.#rate ?? slowest));
    const resumeAt = now + Math.min(pauseSeconds, longestPauseSeconds) * 1_000;
    this.#resumeAt = Math.max(this.#resumeAt, resumeAt);
    this.#next = Math.max(this.#next, this.#resumeAt);
    return true;
  }

  #placeOf(caller: string, now: number): number {
    if (this.#rate === undefined || this.#limitAt(now) >= fastest) {
      if (this.#rate !== undefined) this.#refused.clear();
      this.#rate = undefined;
      this.#places.clear();
      return now;
    }
    const known = this.#places.get(caller);
    if (known !== undefined && known >= this.#resumeAt) return known;
    const place = Math.max(this.#next, now);
    // By chance a little longer or shorter: what two processes do is not to go in step.
    this.#next = place + (1_000 / this.#limitAt(place)) * (0.75 + random() / 2);
    return place;
  }

  #paceAt(now: number): number {
    return this.#rate === undefined ? this.#callsAt(now) / (memoryMs / 1_000) : this.#limitAt(now);
  }

  #limitAt(time: number): number {
    const seconds = Math.max(time - this.#resumeAt, 0) / 1_000;
    return (this.#rate ?? fastest) + growth * seconds;
  }

  #callsAt(now: number): number {
    return this.#calls * Math.exp((this.#countedAt - now) / memoryMs);
  }
}
