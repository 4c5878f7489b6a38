/**
 * A Lease as this process saw it: expiry is measured by what changed before our eyes, never by
 * comparing clocks.
 */
import type { ObjectMeta } from '../client/client.ts';
import { isNewer } from '../cache/resource-version.ts';
import { restoredAnnotation } from '../objects/restore-note.ts';
import { monotonicMs } from '../../activities/system/system.ts';

export interface LeaseSpec {
  holderIdentity?: string | null;
  leaseDurationSeconds?: number | null;
  acquireTime?: string | null;
  renewTime?: string | null;
  leaseTransitions?: number | null;
}

export interface Lease {
  metadata: ObjectMeta;
  spec?: LeaseSpec;
}

/** Distinguishes two processes of the same identity: the later one wins. */
export const incarnationAnnotation = 'millwright.dev/incarnation';

/**
 * Its holder, where that is one of us. MCM leaves annotations as they are when it takes its Lease,
 * so that this one then names another than the spec.
 */
export const holderAnnotation = 'millwright.dev/holder';

/** By a process of Millwright. Others may hold Leases of the same name. */
export function isHeldByUs(lease: Lease | undefined): boolean {
  return lease?.metadata.annotations?.[holderAnnotation] === lease?.spec?.holderIdentity;
}

export interface Candidate {
  /** Stays the same when the process is restarted, so that it goes on at once. */
  identity: string;
  /** Drawn anew by each process. */
  incarnation: string;
}

const defaultDurationSeconds = 15;

export class ObservedLease {
  readonly #candidate: Candidate;
  #lease: Lease | undefined;
  #changedAt = 0;
  /** When an older state was seen, and what it says of the last restore. */
  #wentBack: { at: number; note: string | undefined } | undefined;
  /** A Lease in our name is that of the process before us only until we have held it ourselves. */
  #mayInherit = true;

  constructor(candidate: Candidate) {
    this.#candidate = candidate;
  }

  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** The API server's database was restored: it showed an older state than it had shown before. */
  get wentBack(): boolean {
    return this.#wentBack !== undefined;
  }

  /** The restore was taken note of. */
  forgetRestore(): void {
    this.#wentBack = undefined;
  }

  see(lease: Lease | undefined): void {
    if (isOlderState(lease, this.#lease))
      this.#wentBack = { at: monotonicMs(), note: noteOn(lease) };
    else if (this.#isSettled(lease)) this.forgetRestore();
    this.#take(lease);
  }

  /** Our own write is the latest state, also where our clock was set back: it is no restore. */
  seeOurs(lease: Lease): void {
    this.#take(lease);
    this.#mayInherit = false;
  }

  #take(lease: Lease | undefined): void {
    if (lease?.metadata.resourceVersion !== this.#lease?.metadata.resourceVersion) {
      this.#changedAt = monotonicMs();
    }
    this.#lease = lease;
  }

  /**
   * Another process took note of the restore. Or the leader renews on without a note: it had its
   * clock set back, as it notices a restore with its next renewal.
   */
  #isSettled(lease: Lease | undefined): boolean {
    if (!this.#wentBack || !lease || !this.#lease) return false;
    if (noteOn(lease) !== this.#wentBack.note) return true;
    const isRenewed = lease.metadata.resourceVersion !== this.#lease.metadata.resourceVersion;
    if (!isRenewed || !isOfSameProcess(lease, this.#lease)) return false;
    return monotonicMs() > this.#wentBack.at + durationMsOf(lease);
  }

  /** Returns the holder, if the Lease is not ours to take. */
  foreignHolder(): string | undefined {
    const holder = this.#lease?.spec?.holderIdentity;
    if (!holder || this.#isOurs(holder)) return undefined;
    return monotonicMs() < this.#changedAt + durationMsOf(this.#lease) ? holder : undefined;
  }

  #isOurs(holder: string): boolean {
    const { identity, incarnation } = this.#candidate;
    if (holder !== identity) return false;
    return (
      this.#mayInherit || this.#lease?.metadata.annotations?.[incarnationAnnotation] === incarnation
    );
  }
}

function durationMsOf(lease: Lease | undefined): number {
  return (lease?.spec?.leaseDurationSeconds ?? defaultDurationSeconds) * 1_000;
}

/** Note of the last restore that a leader noticed. */
function noteOn(lease: Lease | undefined): string | undefined {
  return lease?.metadata.annotations?.[restoredAnnotation];
}

/** By its version; or by its time of renewal, where the versions have passed the old ones since. */
function isOlderState(now: Lease | undefined, before: Lease | undefined): boolean {
  if (now === undefined || before === undefined) return false;
  if (isNewer(before.metadata.resourceVersion, now.metadata.resourceVersion)) return true;
  return isOfSameProcess(now, before) && renewedAt(now) < renewedAt(before);
}

/** MCM leaves the annotations as they are when it takes its Lease. */
function isOfSameProcess(a: Lease, b: Lease): boolean {
  const incarnation = a.metadata.annotations?.[incarnationAnnotation];
  return (
    incarnation !== undefined &&
    incarnation === b.metadata.annotations?.[incarnationAnnotation] &&
    a.spec?.holderIdentity === b.spec?.holderIdentity
  );
}

/** One process writes its times in one form, so that texts can be compared. */
const renewedAt = ({ spec }: Lease): string => spec?.renewTime ?? '';
