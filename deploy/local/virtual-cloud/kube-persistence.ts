import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../../workflows/values/backoff.ts';
import type { KubeAnswer, KubeApi, KubeCall } from './kube-api.ts';

/**
 * Tries until the API server answers something that is meant: also while it is away, starts, or is
 * full.
 */
export async function persistently(
  api: KubeApi,
  request: KubeCall,
  signal: AbortSignal,
): Promise<KubeAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const answer = await callOnce(api, request);
    if (answer && isMeant(answer)) return answer;
    await backOff(attempt, signal);
  }
}

/** Not said by a server that starts, ends or is full. */
export const isMeant = ({ status }: KubeAnswer): boolean => status < 500 && status !== 429;

async function callOnce(api: KubeApi, request: KubeCall): Promise<KubeAnswer | undefined> {
  try {
    return await api.call(request);
  } catch {
    // No answer is what the loop around this is for.
    return undefined;
  }
}

/** Between 50 and 100 ms after the first failure, doubled each time up to between 3.2 and 6.4 s. */
const wait = { firstMs: 100, maxMs: 6_400, jitter: 0.5 };

/** `attempt`: from 1. */
export async function backOff(attempt: number, signal: AbortSignal): Promise<void> {
  await sleep(backoffMs({ attempt, ...wait }, Math.random()), undefined, { signal });
}
