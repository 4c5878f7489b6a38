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

/** What is read of an event again, besides its type. */
export interface EventFacts {
  /** Milliseconds since 1970. */
  at: number;
  /** Of a signal or an update. */
  name?: string | undefined;
  /** Of a task that failed because its run was reset. */
  isReset?: boolean;
}

export class History {
  /**
   * How many events each later one counts for where the length is judged: runs of weeks, in which
   * a worker hands over and continues as new again and again, pass in hours.
   */
  readonly weight: number;
  /** Without the prefix `EVENT_TYPE_`, in order. */
  readonly types: string[];
  /** By the place of their event. */
  readonly facts: Map<number, EventFacts>;
  /** So many events are those of the run that was reset. */
  inherited: number;
  #size: number;

  /** `before`: goes on as this one does now. */
  constructor(weight = 1, before?: History) {
    this.weight = weight;
    this.types = [...(before?.types ?? [])];
    this.facts = new Map(before?.facts);
    this.inherited = before?.inherited ?? 0;
    this.#size = before?.size ?? 0;
  }

  copy(): History {
    return new History(this.weight, this);
  }

  /** For a run that goes on from where this one had so many events, of so many bytes. */
  upTo(length: number, size: number): History {
    const past = this.copy();
    past.types.length = length;
    for (const place of this.facts.keys()) if (place >= length) past.facts.delete(place);
    past.inherited = length;
    past.#size = size;
    return past;
  }

  add(type: string, payloads: readonly Payload[] = [], facts?: EventFacts): void {
    if (facts) this.facts.set(this.length, facts);
    this.types.push(type);
    this.#size += eventSize;
    for (const { data } of payloads) this.#size += data?.length ?? 0;
  }

  get length(): number {
    return this.types.length;
  }

  /** What the server says of its length. */
  get weighed(): number {
    return this.idOf(this.length);
  }

  /** Of the event with this number, from 1: its id is the length that the server says it makes. */
  idOf(number: number): number {
    return number + Math.max(number - freshLength, 0) * (this.weight - 1);
  }

  /** Bytes. */
  get size(): number {
    return this.#size;
  }

  get isLong(): boolean {
    return this.weighed >= suggestedLength || this.#size >= suggestedSize;
  }
}
