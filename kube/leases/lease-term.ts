/**
 * Until when a Lease holds: for its duration from `renewTime` on, a time by the clock of its
 * holder.
 */
import type { LeaseSpec } from './observed-lease.ts';

const defaultDurationSeconds = 15;
/** Renewals that are remembered. A clock that was set is believed after as many. */
const remembered = 10;

/**
 * How far the holder's clock is off shows in the renewals that arrived soonest: one that arrives
 * later than those was under way for longer, and does not prolong the Lease by that.
 */
export class LeaseTerm {
  #holder = '';
  /** From the holder's time of a renewal to our time of its arrival, milliseconds. */
  #lags: number[] = [];

  /** For how much longer the Lease holds, milliseconds. `now`: of our clock. */
  remaining({ holderIdentity, renewTime, leaseDurationSeconds }: LeaseSpec, now: number): number {
    const renewedAt = Date.parse(renewTime ?? '');
    if (!holderIdentity || Number.isNaN(renewedAt)) return 0;
    if (holderIdentity !== this.#holder) this.#lags = [];
    this.#holder = holderIdentity;
    // The first that we see may be old, so both clocks are taken to be right. A wrong one costs the
    // wait for the next renewal.
    const known = this.#lags.length === 0 ? [0] : this.#lags;
    const lag = now - renewedAt;
    const offset = Math.min(...known, lag);
    this.#lags = [...this.#lags, lag].slice(-remembered);
    return renewedAt + offset + (leaseDurationSeconds ?? defaultDurationSeconds) * 1_000 - now;
  }
}
