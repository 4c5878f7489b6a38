/**
 * Leader election on Leases, after client-go's rules. It never gives up: a process that lost goes on as a candidate.
 */
import type { Logger } from 'pino';
import type { KubeClient } from './client.ts';
import { LeaseSet } from './lease-set.ts';
import { pause } from './pause.ts';
import { createKubeClient } from './pooled-client.ts';
import type { KubeClientOptions } from './pooled-client.ts';

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
  /** Stays the same when the process is restarted: then it leads again at once. Two processes need two. */
  identity: string;
  timing?: Partial<ElectionTiming>;
  /** Written to our Lease at each renewal and on release, e.g. the watcher's checkpoint. */
  annotations?: () => Record<string, string>;
  onElected(leadership: Leadership): void;
  onLost(reason: string): void;
  log: Logger;
}

export interface Leadership {
  /** Grows with each change of the leader. */
  epoch: number;
  /** As they were left on our Lease. */
  annotations: Record<string, string>;
}

/** A few connections and short calls, apart from the bulk of the traffic. */
export const createLeaseClient = (options: KubeClientOptions): KubeClient =>
  createKubeClient({ connections: 4, callTimeoutMs: 4_000, ...options });

export class Election {
  readonly #options: ElectionOptions;
  readonly #timing: ElectionTiming;
  readonly #leases: LeaseSet;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #renewedAt: number | undefined;
  #obstacle: string | undefined;

  /** Starts at once. */
  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#timing = { ...defaultTiming, ...options.timing };
    const { leaseDurationSeconds } = this.#timing;
    this.#leases = new LeaseSet({ ...options, leaseDurationSeconds });
    this.#running = this.#run();
  }

  /** False as soon as the renew deadline has passed, also when this process was halted meanwhile. */
  get isLeader(): boolean {
    return (
      this.#renewedAt !== undefined &&
      performance.now() - this.#renewedAt < this.#timing.renewDeadlineMs
    );
  }

  /** Why this process does not lead, for people. */
  get obstacle(): string | undefined {
    return this.#obstacle;
  }

  /** Releases what is held, so that another takes over at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#renewedAt = undefined;
    await this.#leases.release(this.#options.annotations?.());
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await (this.#renewedAt === undefined ? this.#tryToLead() : this.#lead());
      await pause(this.#timing.retryPeriodMs * (1 + Math.random() * 0.2), signal);
    }
  }

  async #tryToLead(): Promise<void> {
    try {
      const startedAt = performance.now();
      const { obstacle, annotations } = await this.#leases.look();
      if (obstacle !== undefined) return this.#waitFor(obstacle);
      const attempt = await this.#leases.acquire();
      if (!attempt.held) return this.#waitFor(`${attempt.holder} was faster`);
      this.#renewedAt = startedAt;
      this.#obstacle = undefined;
      this.#options.onElected({ epoch: attempt.lease.spec?.leaseTransitions ?? 0, annotations });
    } catch (error) {
      this.#waitFor(String(error));
    }
  }

  /** Said once, not at each attempt. */
  #waitFor(obstacle: string): void {
    const { namespace, log } = this.#options;
    if (obstacle !== this.#obstacle) log.warn({ namespace, obstacle }, 'not leading');
    this.#obstacle = obstacle;
  }

  async #lead(): Promise<void> {
    const { annotations, log } = this.#options;
    const startedAt = performance.now();
    try {
      const taker = await this.#leases.renew(annotations?.());
      if (taker !== undefined) return await this.#lose(`${taker} took a Lease`);
      this.#renewedAt = startedAt;
    } catch (error) {
      if (!this.isLeader) return this.#lose(`no renewal in time: ${String(error)}`);
      log.warn({ err: error }, 'the Lease was not renewed; trying again');
    }
  }

  async #lose(reason: string): Promise<void> {
    const { annotations, onLost } = this.#options;
    this.#renewedAt = undefined;
    this.#obstacle = reason;
    onLost(reason);
    await this.#leases.release(annotations?.());
  }
}
