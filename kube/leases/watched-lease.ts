/** One Lease by its name: roles for MCM's Leases grant `get` and `watch`, and no `list`. */
import { createBackoff } from '../client/backoff.ts';
import type { KubeClient } from '../client/client.ts';
import { KubeError, isNotFound } from '../client/errors.ts';
import { lease as leasePath } from '../client/paths.ts';
import { pause } from '../client/pause.ts';
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import type { Lease } from './observed-lease.ts';
import { monotonicMs } from '../../activities/system/system.ts';

export interface WatchedLeaseOptions {
  client: KubeClient;
  lease: NamespacedName;
  /** As it is now; undefined where there is none. A version is reported once. */
  onSeen(lease: Lease | undefined): void;
  /** Called for each failed call; it goes on by itself. */
  onError(error: unknown): void;
}

/** A Lease is renewed every two seconds, and holds for fifteen. */
const backoff = { firstMs: 200, maxMs: 5_000 };
/** A server that ends watches at once must not be asked in a tight loop. */
const shortWatchMs = 2_000;

export class WatchedLease {
  /** Fulfilled after the first read. */
  readonly synced: Promise<void>;
  readonly #options: WatchedLeaseOptions;
  readonly #backoff = createBackoff(backoff);
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #resolveSynced: (() => void) | undefined;
  #version: string | undefined;

  /** Starts at once. */
  constructor(options: WatchedLeaseOptions) {
    this.#options = options;
    this.synced = new Promise((resolve) => {
      this.#resolveSynced = resolve;
    });
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const startedAt = monotonicMs();
      try {
        await this.#read();
        await this.#follow();
        if (monotonicMs() - startedAt < shortWatchMs) await pause(this.#backoff.next(), signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onError(error);
        const atLeastMs = error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0;
        await pause(Math.max(atLeastMs, this.#backoff.next()), signal);
      }
    }
  }

  async #read(): Promise<void> {
    const { client, lease } = this.#options;
    try {
      this.#see(await client.get<Lease>(leasePath(lease.namespace, lease.name)));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#see(undefined);
    }
    this.#resolveSynced?.();
  }

  /**
   * Without a version it begins with what there is. From the version of a Lease that was not
   * renewed for long it could not begin: the server has forgotten that.
   */
  async #follow(): Promise<void> {
    const { client, lease } = this.#options;
    const query = { fieldSelector: `metadata.name=${lease.name}` };
    const events = client.watch<Lease>(leasePath(lease.namespace), query, this.#stopping.signal);
    for await (const event of events) {
      this.#backoff.reset();
      if (event.type === 'DELETED') this.#see(undefined);
      else if (event.type !== 'BOOKMARK') this.#see(event.object);
    }
  }

  /** How long a renewal was under way is measured when its version is first seen. */
  #see(lease: Lease | undefined): void {
    const version = lease?.metadata.resourceVersion;
    if (lease !== undefined && version === this.#version) return;
    this.#version = version;
    this.#options.onSeen(lease);
  }
}
