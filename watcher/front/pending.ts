/** MachineDeployments that a signal is on its way for. */
import type { Timer } from '../../activities/system/system.ts';
import { after, monotonicMs, random } from '../../activities/system/system.ts';
import { backoffMs } from '../../workflows/values/backoff.ts';

/** A rollout changes many objects at once: what comes within this time is one signal. */
const gatherMs = 300;
const retry = { firstMs: 500, maxMs: 30_000, jitter: 0.5 };

export interface PendingOptions {
  /** `ofNodes`: among the news is some of Nodes. */
  send(pool: string, ofNodes: boolean): Promise<void>;
  onError(error: unknown, pool: string): void;
}

interface PendingPool {
  /** Since when it waits, by the monotonic clock. */
  since: number;
  timer: Timer | undefined;
  failures: number;
  /** News that came while a signal was being sent. */
  hasNews: boolean;
  ofNodes: boolean;
}

export class Pending {
  readonly #options: PendingOptions;
  readonly #entries = new Map<string, PendingPool>();
  readonly #sending = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  add(pool: string, ofNodes = false): void {
    if (this.#isStopped) return;
    const known = this.#entries.get(pool);
    if (known) {
      known.hasNews = true;
      known.ofNodes ||= ofNodes;
      return;
    }
    const entry: PendingPool = {
      since: monotonicMs(),
      timer: undefined,
      failures: 0,
      hasNews: false,
      ofNodes,
    };
    this.#entries.set(pool, entry);
    this.#schedule(pool, entry, gatherMs);
  }

  /** Age of the oldest; 0: none waits. */
  oldestSeconds(): number {
    const since = Math.min(...[...this.#entries.values()].map((entry) => entry.since));
    return Number.isFinite(since) ? (monotonicMs() - since) / 1_000 : 0;
  }

  /** The rest is not sent any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { timer } of this.#entries.values()) timer?.cancel();
    this.#entries.clear();
    await Promise.all(this.#sending);
  }

  #schedule(pool: string, entry: PendingPool, milliseconds: number): void {
    entry.timer = after(milliseconds, () => {
      entry.timer = undefined;
      const sending = this.#send(pool, entry).finally(() => this.#sending.delete(sending));
      this.#sending.add(sending);
    });
  }

  async #send(pool: string, entry: PendingPool): Promise<void> {
    const { ofNodes } = entry;
    Object.assign(entry, { hasNews: false, ofNodes: false });
    let wait = gatherMs;
    try {
      await this.#options.send(pool, ofNodes);
      entry.failures = 0;
    } catch (error) {
      entry.failures += 1;
      entry.hasNews = true;
      entry.ofNodes ||= ofNodes;
      wait = backoffMs({ attempt: entry.failures, ...retry }, random());
      if (!this.#isStopped) this.#options.onError(error, pool);
    }
    if (this.#isStopped) return;
    if (entry.hasNews) {
      if (entry.failures === 0) entry.since = monotonicMs();
      this.#schedule(pool, entry, wait);
    } else this.#entries.delete(pool);
  }
}
