/** Which failed calls the client itself sends again, and after how long. */
import { backoffMs } from '../../workflows/values/backoff.ts';
import { KubeError } from './errors.ts';
import { random, sleep } from '../../activities/system/system.ts';

export interface Repeatable {
  method: string;
  contentType?: string | undefined;
}

/** A longer outage is for the caller, who knows what the call is worth. */
const defaultRetryForMs = 2_000;
/** The first delay is between 25 and 75 ms. */
const delay = { firstMs: 75, maxMs: defaultRetryForMs, jitter: 2 / 3 };

/** `retryForMs`: all waits of the call together. */
export async function withRetries<T>(
  call: Repeatable,
  attempt: () => Promise<T>,
  retryForMs = defaultRetryForMs,
): Promise<T> {
  let waitedMs = 0;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof KubeError) || !mayRepeat(call, error)) throw error;
      const delayMs = error.retryAfterMs ?? backoffMs({ attempt: tries, ...delay }, random());
      waitedMs += delayMs;
      if (waitedMs > retryForMs) throw error;
      await sleep(delayMs);
    }
  }
}

function mayRepeat({ method, contentType }: Repeatable, error: KubeError): boolean {
  // The server's own filter turned the request away before anything was done.
  if (error.reason === 'Throttled') return true;
  // A lost answer may hide a success: a create would be done twice, a JSON patch could add an entry
  // twice. The 429 of a POST that has a Status is an eviction that a PodDisruptionBudget refuses.
  if (method === 'POST' || contentType === 'application/json-patch+json') return false;
  return error.code === 429 || error.code === 503 || error.reason === 'Unreachable';
}
