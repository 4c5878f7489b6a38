/** One set of credentials: where its tokens come from. */
import type { AuthClient } from 'google-auth-library';
import { orAborted } from '../../system/or-aborted.ts';
import { monotonicMs } from '../../system/system.ts';
import { isWorthRenewal } from '../client-cache.ts';

interface KeptClient {
  client: Promise<AuthClient>;
  /** Milliseconds. */
  madeAt: number;
}

/**
 * A token is everybody's, so it is fetched to its end even when one caller stops waiting for it.
 * But the library joins all who ask to the one request that is under way: one that is never
 * answered would stop them all. So who has waited in vain leaves the client behind.
 */
export class TokenSource {
  readonly #make: () => Promise<AuthClient>;
  #source: KeptClient | undefined;

  constructor(make: () => Promise<AuthClient>) {
    this.#make = make;
  }

  async headers(url: string, signal: AbortSignal): Promise<Headers> {
    const source = (this.#source ??= this.#begin());
    let hasAnswered = false;
    const answer = headersOf(source.client, url).finally(() => {
      hasAnswered = true;
    });
    try {
      return await orAborted(answer, signal);
    } catch (error) {
      if (hasAnswered) this.#leaveIfOld(source);
      else this.#drop(source);
      throw error;
    }
  }

  /**
   * Google takes this client's token no more, which the library would keep for the rest of its
   * hour.
   */
  refused(): void {
    if (this.#source) this.#leaveIfOld(this.#source);
  }

  /** One that could not be made is made anew by the next. */
  #begin(): KeptClient {
    const source = { client: this.#make(), madeAt: monotonicMs() };
    source.client.catch(() => this.#drop(source));
    return source;
  }

  /** What it was made of, such as a file, may have changed since. */
  #leaveIfOld(source: KeptClient): void {
    if (isWorthRenewal(monotonicMs() - source.madeAt)) this.#drop(source);
  }

  /** The next one may be there already. */
  #drop(source: KeptClient): void {
    if (this.#source === source) this.#source = undefined;
  }
}

async function headersOf(client: Promise<AuthClient>, url: string): Promise<Headers> {
  return await (await client).getRequestHeaders(url);
}
