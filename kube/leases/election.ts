/**
 * Leader election on Leases, after client-go's rules. It never gives up: a process that lost goes
 * on as a candidate.
 */
import type { Logger } from 'pino';
import type { KubeClient } from '../client/client.ts';
import type { Annotations } from './lease-lock.ts';
import { LeaseSet } from './lease-set.ts';
import type { LeaseBefore, LeasePlace } from './lease-set.ts';
import { pause } from '../client/pause.ts';
import { createKubeClient } from '../client/http-client.ts';
import type { KubeClientOptions } from '../client/http-client.ts';
import { monotonicMs, nowMs, random } from '../../activities/system/system.ts';

export interface ElectionTiming {
  /** A Lease that did not change for so long is free. Default 15. */
  leaseDurationSeconds: number;
  /** A leader that could not renew for so long stops. Default 10,000. */
  renewDeadlineMs: number;
  /** Between two attempts, plus up to 20 %. Default 2,000. */
  retryPeriodMs: number;
}

const defaultTiming: ElectionTiming = {
  leaseDurationSeconds: 15,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

export interface ElectionOptions {
  /** With connections of its own (`createLeaseClient`): a renewal must not wait behind a list. */
  client: KubeClient;
  namespace: string;
  /** Namespace and name of our own Lease. */
  place?: LeasePlace | undefined;
  /**
   * Stays the same when the process is restarted: then it leads again at once. Two processes need
   * two.
   */
  identity: string;
  timing?: Partial<ElectionTiming>;
  /**
   * Takes our own Lease at its start from any holder, without a read of the Leases of MCM. The
   * later of two such processes leads.
   */
  isForced?: boolean;
  /** Our own Lease is all that there is to hold: those of MCM exclude watchers. Default false. */
  isAlone?: boolean;
  /**
   * Written to our Lease at each write, e.g. the watcher's checkpoint. `doubt` is that of the term.
   */
  annotations?: (doubt: string | undefined) => Annotations;
  /**
   * Reports whether there are objects that go only while a watcher leads: then our Lease stays
   * where its namespace is deleted. Undefined: that is not known, and it stays as it is. Called at
   * each write.
   */
  isNeeded?: () => boolean | undefined;
  /**
   * Before each attempt to take our Lease: `annotations` is written with it. `before`: as it was
   * seen last where it was deleted. `doubt`: of the term that would begin.
   */
  onTaking?: (before: LeaseBefore, doubt: string | undefined) => void;
  onElected(leadership: Leadership): void;
  onLost(reason: string): void;
  log: Logger;
}

export interface Leadership {
  /**
   * Later than that of every earlier term, also of those that a restored database has forgotten.
   */
  epoch: number;
  /** As they were left on our Lease. */
  annotations: Record<string, string>;
  /**
   * Why the term does not begin with what the annotations say: it may be of another history of the
   * database, or took the term before too long.
   */
  doubt: string | undefined;
}

/** No database is restored in less time. After longer absences everything is signalled again. */
const briefAbsenceMs = 60_000;

/** A few connections and short calls, apart from the bulk of the traffic. */
export const createLeaseClient = (options: KubeClientOptions): KubeClient =>
  createKubeClient({ connections: 4, callTimeoutMs: 4_000, ...options });

const restored = 'the Lease is in an older state than before: its database was restored';
const otherEpoch = 'the Lease was deleted or edited: its epoch is not ours';

export class Election {
  readonly #options: ElectionOptions;
  readonly #timing: ElectionTiming;
  readonly #leases: LeaseSet;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #renewedAt: number | undefined;
  #epoch: number | undefined;
  #isOtherLeading = false;
  #obstacle: string | undefined;
  /** Doubt of the term. */
  #doubt: string | undefined;
  /** Why the next term is to begin. */
  #fresh: string | undefined;

  /** Starts at once. */
  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#timing = { ...defaultTiming, ...options.timing };
    const { leaseDurationSeconds } = this.#timing;
    const isForced = options.isForced ?? false;
    this.#leases = new LeaseSet({ ...options, isForced, leaseDurationSeconds });
    this.#running = this.#run();
  }

  /**
   * False as soon as the renew deadline has passed, also when this process was halted meanwhile.
   */
  get isLeader(): boolean {
    return (
      this.#renewedAt !== undefined &&
      monotonicMs() - this.#renewedAt < this.#timing.renewDeadlineMs
    );
  }

  /** This process, or another one that holds a Lease; MCM as well. */
  get hasLeader(): boolean {
    return this.isLeader || this.#isOtherLeading;
  }

  /** Why this process does not lead, for people. */
  get obstacle(): string | undefined {
    return this.#obstacle;
  }

  /** A new term of this leader, because what the last one knew of the clusters does not hold. */
  beginAnew(reason: string): void {
    if (this.#renewedAt === undefined) return;
    this.#renewedAt = undefined;
    this.#fresh = reason;
    this.#obstacle = reason;
    this.#leases.beginAnew();
    this.#options.onLost(reason);
  }

  /** Releases what is held, so that another takes over at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#renewedAt = undefined;
    await this.#leases.release(this.#annotations());
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await (this.#renewedAt === undefined ? this.#tryToLead() : this.#lead());
      await pause(this.#timing.retryPeriodMs * (1 + random() * 0.2), signal);
    }
  }

  async #tryToLead(): Promise<void> {
    try {
      const startedAt = monotonicMs();
      const { obstacle, own, before } = await this.#leases.read();
      this.#isOtherLeading = obstacle !== undefined;
      if (obstacle !== undefined) return this.#waitFor(obstacle);
      const doubt = this.#fresh ?? this.#doubtOf(own.renewedAt);
      this.#doubt = doubt;
      this.#options.onTaking?.(before, doubt);
      const attempt = await this.#leases.acquire(this.#annotations());
      if (!attempt.held) return this.#waitFor(`${attempt.holder} was faster`);
      // To stop it releases them.
      if (this.#stopping.signal.aborted) return;
      const epoch = attempt.lease.spec?.leaseTransitions ?? 0;
      this.#renewedAt = startedAt;
      this.#epoch = epoch;
      this.#fresh = undefined;
      this.#obstacle = undefined;
      this.#options.onElected({ epoch, annotations: own.annotations, doubt });
    } catch (error) {
      this.#isOtherLeading = false;
      this.#waitFor(String(error));
    }
  }

  #annotations(): Annotations | undefined {
    return this.#options.annotations?.(this.#doubt);
  }

  #doubtOf(renewedAt: number | undefined): string | undefined {
    if (this.#leases.wentBack) return restored;
    const age = Math.abs(nowMs() - (renewedAt ?? nowMs()));
    const { leaseDurationSeconds } = this.#timing;
    const isBrief = age <= Math.max(briefAbsenceMs, 2 * leaseDurationSeconds * 1_000);
    return isBrief ? undefined : `no leader for ${Math.round(age / 1_000)} s`;
  }

  /** Said once, not at each attempt. */
  #waitFor(obstacle: string): void {
    const { namespace, log } = this.#options;
    if (obstacle !== this.#obstacle) log.warn({ namespace, obstacle }, 'not leading');
    this.#obstacle = obstacle;
  }

  async #lead(): Promise<void> {
    const startedAt = monotonicMs();
    try {
      const attempt = await this.#leases.renew(this.#annotations());
      if (this.#renewedAt === undefined) return;
      if (!attempt.held) return await this.#lose(`${attempt.holder} took a Lease`);
      this.#renewedAt = startedAt;
      if (this.#leases.wentBack) this.beginAnew(restored);
      else if (attempt.lease.spec?.leaseTransitions !== this.#epoch) this.beginAnew(otherEpoch);
    } catch (error) {
      // A new term was asked for meanwhile.
      if (this.#renewedAt === undefined) return;
      if (!this.isLeader) return await this.#loseLate(`no renewal in time: ${String(error)}`);
      this.#options.log.warn({ err: error }, 'the Lease was not renewed; trying again');
    }
  }

  /**
   * The state that the term was to take in may be the cause. Another process and the next term
   * would begin with the same: the notes for them go with the Lease.
   */
  async #loseLate(reason: string): Promise<void> {
    this.#fresh = reason;
    this.#doubt = reason;
    await this.#lose(reason);
  }

  async #lose(reason: string): Promise<void> {
    this.#renewedAt = undefined;
    this.#obstacle = reason;
    this.#options.onLost(reason);
    await this.#leases.release(this.#annotations());
  }
}
