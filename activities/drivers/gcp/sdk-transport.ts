/** Sends the SDK's requests. Imported with the SDK only, which costs a process 70 MB. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThroughClient } from 'google-auth-library';
import type { AuthClient, gaxios } from 'google-auth-library';
import type { TokenSource } from './token-source.ts';

type FetchArguments = Parameters<AuthClient['fetch']>;

/**
 * Google's answer was an error. Thrown here, so that Retry-After is not lost: the SDK's own errors
 * have no headers.
 */
export class AnswerFailure extends Error {
  readonly answer: { status: number; text: string; retryAfter: string | null };

  constructor(answer: AnswerFailure['answer']) {
    super(`status ${answer.status}`);
    this.answer = answer;
  }
}

/** There is no token to send. */
export class TokenFailure extends Error {}

/**
 * Takes the place of the SDK's authentication: that one sends a request again after 401 and 403.
 * Here each call is one request, beside those for a token. One transport serves all credentials, as
 * each client of the SDK costs half a second.
 */
export class Transport extends PassThroughClient {
  readonly #caller = new AsyncLocalStorage<TokenSource>();

  /** All requests that `call` makes are made with these tokens. */
  async withTokens<T>(tokens: TokenSource, call: () => Promise<T>): Promise<T> {
    return await this.#caller.run(tokens, call);
  }

  override async fetch<T>(...[input, init = {}]: FetchArguments): gaxios.GaxiosPromise<T> {
    const url = input instanceof URL ? input.href : input;
    if (typeof url !== 'string') throw new TypeError('the SDK sends requests by URL');
    const response = await this.transporter.request<string>({
      url,
      method: init.method ?? 'GET',
      headers: await this.#headers(url, init),
      ...(init.body && { body: init.body }),
      ...(init.signal && { signal: init.signal }),
      responseType: 'text',
      redirect: 'error',
      retry: false,
      validateStatus: () => true,
    });
    const { status, data: text, config } = response;
    const retryAfter = response.headers.get('retry-after');
    if (status === 401) this.#caller.getStore()?.refused();
    if (status >= 400) throw new AnswerFailure({ status, text, retryAfter });
    // The SDK reads the answer as that of `fetch`.
    const data: T = JSON.parse('null');
    return Object.assign(new Response(text, { status }), { config, data });
  }

  async #headers(url: string, { headers, signal }: RequestInit): Promise<Headers> {
    const all = new Headers(headers);
    for (const [name, value] of await this.#authorization(url, signal)) all.set(name, value);
    return all;
  }

  async #authorization(url: string, signal: RequestInit['signal']): Promise<Headers> {
    try {
      const tokens = this.#caller.getStore();
      if (!tokens || !signal) throw new Error('a request was made without credentials or limit');
      return await tokens.headers(url, signal);
    } catch (cause) {
      throw new TokenFailure('no access token', { cause });
    }
  }
}
