import { sleep } from '../../activities/system/system.ts';

/** Ends early, without an error, when the signal fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
