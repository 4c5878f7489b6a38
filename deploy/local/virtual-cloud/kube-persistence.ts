import { setTimeout as sleep } from 'node:timers/promises';
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
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    const answer = await callOnce(api, request);
    if (answer && answer.status < 500 && answer.status !== 429) return answer;
    await backOff(attempt, signal);
  }
}

async function callOnce(api: KubeApi, request: KubeCall): Promise<KubeAnswer | undefined> {
  try {
    return await api.call(request);
  } catch {
    // No answer is what the loop around this is for.
    return undefined;
  }
}

/** 50 ms, doubled each time up to 3.2 s, and up to as much again at random. */
export async function backOff(attempt: number, signal: AbortSignal): Promise<void> {
  const least = 50 * 2 ** Math.min(attempt, 6);
  await sleep(least * (1 + Math.random()), undefined, { signal });
}
