/** One set of credentials: where its tokens come from. */
import type { AuthClient } from 'google-auth-library';
import { orAborted } from '../../system/or-aborted.ts';

/**
 * A token is everybody's, so it is fetched to its end even when one caller stops waiting for it.
 * But the library joins all who ask to the one request that is under way: one that is never
 * answered would stop them all. So who has waited in vain leaves the client behind.
 */
export class TokenSource {
  readonly #make: () => Promise<AuthClient>;
  #client: Promise<AuthClient> | undefined;

  constructor(make: () => Promise<AuthClient>) {
    this.#make = make;
  }

  async headers(url: string, signal: AbortSignal): Promise<Headers> {
    const client = (this.#client ??= this.#begin());
    let hasAnswered = false;
    const answer = headersOf(client, url).finally(() => {
      hasAnswered = true;
    });
    try {
      return await orAborted(answer, signal);
    } catch (error) {
      if (!hasAnswered) this.#drop(client);
      throw error;
    }
  }

  /** One that could not be made is made anew by the next. */
  #begin(): Promise<AuthClient> {
    const client = this.#make();
    client.catch(() => this.#drop(client));
    return client;
  }

  /** The next one may be there already. */
  #drop(client: Promise<AuthClient>): void {
    if (this.#client === client) this.#client = undefined;
  }
}

async function headersOf(client: Promise<AuthClient>, url: string): Promise<Headers> {
  return await (await client).getRequestHeaders(url);
}
