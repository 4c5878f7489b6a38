/** Keeps clients of clouds while they are used: a new one costs connections, and often a token. */
import { createHash } from 'node:crypto';
import { monotonicMs } from '../system/system.ts';

export interface ClientCacheOptions<Client> {
  /** Default: nothing to close. */
  close?: (client: Client) => void;
  /** A client that was not used for this time is closed. Default 600. */
  idleSeconds?: number;
  /** Milliseconds; only differences count. Default the clock of the process. */
  now?: () => number;
}

interface UsedClient<Client> {
  client: Client;
  usedAt: number;
}

export class ClientCache<Client> {
  readonly #kept = new Map<string, UsedClient<Client>>();
  readonly #close: (client: Client) => void;
  readonly #idleMilliseconds: number;
  readonly #now: () => number;

  constructor({ close, idleSeconds = 600, now }: ClientCacheOptions<Client> = {}) {
    this.#close = close ?? (() => undefined);
    this.#idleMilliseconds = idleSeconds * 1_000;
    this.#now = now ?? monotonicMs;
  }

  /**
   * `parts`: everything that the client is made of, such as credentials, region and endpoint. A
   * Secret with other content makes another client; the old one is closed when it is no longer
   * used. The cache keeps only a digest of secrets.
   */
  get(parts: readonly string[], make: () => Client): Client {
    const now = this.#now();
    this.#closeIdle(now);
    const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    const known = this.#kept.get(key);
    const client = known ? known.client : make();
    this.#kept.set(key, { client, usedAt: now });
    return client;
  }

  #closeIdle(now: number): void {
    for (const [key, { client, usedAt }] of this.#kept) {
      if (now - usedAt <= this.#idleMilliseconds) continue;
      this.#kept.delete(key);
      this.#close(client);
    }
  }
}

/** Younger ones would be refused again, and the place that they come from be asked at each call. */
const youngestSeconds = 60;

/**
 * Credentials that a cloud refuses are fetched anew if they, or the client that keeps them, were
 * made so long ago.
 */
export function isWorthRenewal(ageMs: number): boolean {
  return ageMs >= youngestSeconds * 1_000;
}
