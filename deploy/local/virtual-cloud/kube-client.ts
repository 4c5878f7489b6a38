/** The client of the cluster that the machines join, which may be away for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/client/errors.ts';
import { createKubeClient } from '../../../kube/client/http-client.ts';
import { loadKubeConfig } from '../../../kube/client/kubeconfig.ts';
import { backoffMs } from '../../../workflows/values/backoff.ts';

/** `log`: gets a line when the API server stops answering, and when it is back. */
export function createClusterClient(
  kubeconfig: string,
  log: (message: string) => void,
  name = 'virtual-cloud',
): KubeClient {
  const client = createKubeClient({
    kubeConfig: loadKubeConfig(kubeconfig),
    userAgent: name,
    fieldManager: name,
    // A hundred machines that boot at once need no hundred TLS handshakes.
    connections: 10,
    // All callers try again.
    retryForMs: 0,
  });
  return reportingReach(client, log);
}

export function reportingReach(client: KubeClient, log: (message: string) => void): KubeClient {
  let isAway = false;
  async function noted<T>(call: Promise<T>): Promise<T> {
    const failure = await call.then(
      () => undefined,
      (error: unknown) => error,
    );
    const isUnanswered = failure instanceof KubeError && failure.code === 0;
    if (isUnanswered && !isAway) log(`the API server does not answer: ${String(failure)}`);
    if (!isUnanswered && isAway) log('the API server answers again');
    isAway = isUnanswered;
    return call;
  }
  return {
    ...client,
    get: (...call) => noted(client.get(...call)),
    list: (...call) => noted(client.list(...call)),
    create: (...call) => noted(client.create(...call)),
    update: (...call) => noted(client.update(...call)),
    patch: (...call) => noted(client.patch(...call)),
    delete: (...call) => noted(client.delete(...call)),
  };
}

/** Tries until the API server does it or refuses it: also while it is away, starts, or is full. */
export async function persistently<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await backOff(attempt, signal);
  }
}

/** No answer, or that of a server that starts, ends or is full. */
export const isPassing = (error: unknown): boolean =>
  error instanceof KubeError && (error.code === 0 || error.code === 429 || error.code >= 500);

/** Between 50 and 100 ms after the first failure, doubled each time up to between 3.2 and 6.4 s. */
const wait = { firstMs: 100, maxMs: 6_400, jitter: 0.5 };

/** `attempt`: from 1. */
export async function backOff(attempt: number, signal: AbortSignal): Promise<void> {
  await sleep(backoffMs({ attempt, ...wait }, Math.random()), undefined, { signal });
}
