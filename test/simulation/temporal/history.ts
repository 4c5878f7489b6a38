/** The length and size of a history, and the types of its events. */
import type { Payload } from './messages.ts';

/** From here on the server suggests to continue as new. */
const suggestedLength = 4_096;
const suggestedSize = 4 * 1024 * 1024;
/**
 * So many count for one each: a run that begins needs some until it rests, for which the real
 * limits leave room. Otherwise one that is continued as new at each rest never gets there.
 */
const freshLength = 20;
/** About what an event takes without its payloads, bytes. */
const eventSize = 120;

export class History {
  /**
   * How many events each later one counts for where the length is judged: runs of weeks, in which
   * a worker hands over and continues as new again and again, pass in hours.
   */
  readonly weight: number;
  /** Without the prefix `EVENT_TYPE_`, in order. */
  readonly types: string[];
  #size: number;

  /** `before`: goes on as this one does now. */
  constructor(weight = 1, before?: History) {
    this.weight = weight;
    this.types = [...(before?.types ?? [])];
    this.#size = before?.size ?? 0;
  }

  copy(): History {
    return new History(this.weight, this);
  }

  add(type: string, payloads: readonly Payload[] = []): void {
    this.types.push(type);
    this.#size += eventSize;
    for (const { data } of payloads) this.#size += data?.length ?? 0;
  }

  get length(): number {
    return this.types.length;
  }

  /** What the server says of its length. */
  get weighed(): number {
    return this.length + Math.max(this.length - freshLength, 0) * (this.weight - 1);
  }

  /** Bytes. */
  get size(): number {
    return this.#size;
  }

  get isLong(): boolean {
    return this.weighed >= suggestedLength || this.#size >= suggestedSize;
  }
}
