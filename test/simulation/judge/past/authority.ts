/** Whether an install may act: its Lease, the stop, and whether servers answer. Over time. */
import type { JudgedObject } from '../objects.ts';
import { Trace } from './trace.ts';

/** From a read to what is done by it: calls that are slow, lost, sent again, or come twice. */
export const staleMs = 5 * 60_000;
/** From the time that a call is sent, where that is known. */
const staleBeforeSendingMs = 2 * 60_000;

interface LeaseChange {
  now: number;
  /** No other program holds it. */
  isOurs: boolean;
}

export class Authority {
  readonly isStopped: Trace<boolean>;
  /** Until when some process leads, by the last renewal. */
  readonly ledUntil: Trace<number>;
  /**
   * Until when the Lease had no record of pauses: it was deleted, and what happened until it was
   * there again is not known either, or another program took it and did not record how long our
   * watchers had not led.
   */
  lostLeaseAt = -Infinity;
  #isLeaseMissing = false;
  /** Something that the install needs is away. */
  readonly isHindered: Trace<boolean>;
  /** No watcher leads. */
  readonly isLeaderless: Trace<boolean>;
  /** The API server of its control cluster, or Temporal. */
  readonly isControlAway: Trace<boolean>;
  /** A watcher alone does not hear of Temporal: the one that leads notes it as a pause. */
  readonly isWatcherCut: Trace<boolean>;
  readonly isTargetAway: Trace<boolean>;
  /** A server that the install needs has too much to do: work goes on, and takes long. */
  readonly isSlow: Trace<boolean>;
  /** No worker asks Temporal for work. */
  readonly isWorkerless: Trace<boolean>;
  /** Roles let none of our processes read DisruptionPolicies, and there may be some. */
  readonly arePoliciesHidden: Trace<boolean>;

  constructor(now: number) {
    this.isStopped = new Trace(now, false);
    // Until it is heard of, nobody is accused.
    this.ledUntil = new Trace(now, now);
    this.isHindered = new Trace(now, false);
    this.isLeaderless = new Trace(now, false);
    this.isControlAway = new Trace(now, false);
    this.isWatcherCut = new Trace(now, false);
    this.isTargetAway = new Trace(now, false);
    this.isSlow = new Trace(now, false);
    this.isWorkerless = new Trace(now, false);
    this.arePoliciesHidden = new Trace(now, false);
  }

  leaseChanged(lease: JudgedObject | undefined, { now, isOurs }: LeaseChange): void {
    if (!lease || !isOurs || this.#isLeaseMissing) this.lostLeaseAt = now;
    this.#isLeaseMissing = !lease;
    const { holderIdentity = '', leaseDurationSeconds = 0 } = lease?.spec ?? {};
    this.ledUntil.set(now, holderIdentity === '' ? now : now + leaseDurationSeconds * 1_000);
  }

  hasBeenStoppedSince(moment: number): boolean {
    return this.isStopped.now && this.isStopped.since(moment).every(Boolean);
  }

  hasBeenWithoutLeaderSince(moment: number): boolean {
    if (this.ledUntil.now > moment) return false;
    return this.ledUntil.since(moment).every((until) => until <= moment);
  }

  /** Is it to be judged by what the world was like then? A wait for an outage makes it longer. */
  windowStart(now: number, sentAt: number | undefined): number {
    const staleness = sentAt === undefined ? staleMs : staleBeforeSendingMs;
    let start = (sentAt ?? now) - staleness;
    for (let round = 0; round < 10; round += 1) {
      const from = this.#beginOfHindrance(start);
      if (from === undefined || from - staleness >= start) return start;
      start = from - staleness;
    }
    return start;
  }

  /** Of the first that is not over before `moment`; undefined: there is none. */
  #beginOfHindrance(moment: number): number | undefined {
    return this.isHindered.momentsSince(moment).find((at) => this.isHindered.at(at));
  }
}
