/** Sends the SDK's requests. Imported with the SDK only, which costs a process 70 MB. */
import { gaxios, PassThroughClient } from 'google-auth-library';
import type { AuthClient } from 'google-auth-library';

type FetchArguments = Parameters<AuthClient['fetch']>;

/** Google's answer was an error. Thrown here, so that Retry-After is not lost: the SDK's own errors have no headers. */
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
 * Takes the place of the SDK's authentication: that one sends a request again after 401 and 403. Here each call is one
 * request, beside those for a token.
 */
export class Transport extends PassThroughClient {
  readonly #credentials: () => Promise<AuthClient>;

  constructor(credentials: () => Promise<AuthClient>) {
    super();
    this.#credentials = credentials;
  }

  override async fetch<T>(...[input, init]: FetchArguments): gaxios.GaxiosPromise<T> {
    const url = input instanceof URL ? input.href : input;
    if (typeof url !== 'string') throw new TypeError('the SDK sends requests by URL');
    const headers = new Headers(init?.headers);
    const signal = init?.signal ?? undefined;
    for (const [name, value] of await this.#authorization(url, signal)) headers.set(name, value);
    const { method = 'GET', body } = init ?? {};
    const response = await this.transporter.request<string>({
      url,
      method,
      headers,
      ...(body && { body }),
      ...(signal && { signal }),
      responseType: 'text',
      redirect: 'error',
      retry: false,
      validateStatus: () => true,
    });
    const { status, data: text, config } = response;
    const retryAfter = response.headers.get('retry-after');
    if (status >= 400) throw new AnswerFailure({ status, text, retryAfter });
    const data: T = JSON.parse('null');
    return Object.assign(new Response(text, { status }), { config, data });
  }

  /** A token is everybody's, so it is fetched to its end even when this caller stops waiting for it. */
  async #authorization(url: string, signal: AbortSignal | undefined): Promise<Headers> {
    const headers = this.#headers(url);
    return await (signal ? Promise.race([headers, aborted(signal)]) : headers);
  }

  async #headers(url: string): Promise<Headers> {
    try {
      return await (await this.#credentials()).getRequestHeaders(url);
    } catch (cause) {
      throw new TokenFailure('no access token', { cause });
    }
  }
}

async function aborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    const stop = (): void => reject(new Error('aborted'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}
