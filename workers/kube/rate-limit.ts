/** A limit of our own on the requests to an API server, as client-go's QPS and burst. */
import type { KubeClient } from '../../kube/client/client.ts';
import { monotonicMs, sleep } from '../../activities/system/system.ts';

export interface RateLimit {
  /** Requests a second, in the long run. More than 0. */
  qps: number;
  /** Requests that may go out at once after a pause; at least 1 is taken. */
  burst: number;
}

/** Every request waits for its turn, in order; a watch counts once, when it starts. */
export function limitRate(client: KubeClient, limit: RateLimit): KubeClient {
  const turn = createTurnstile(limit);
  return {
    get: (...call) => turn().then(() => client.get(...call)),
    list: (...call) => turn().then(() => client.list(...call)),
    create: (...call) => turn().then(() => client.create(...call)),
    update: (...call) => turn().then(() => client.update(...call)),
    patch: (...call) => turn().then(() => client.patch(...call)),
    delete: (...call) => turn().then(() => client.delete(...call)),
    async *watch(...call) {
      await turn();
      yield* client.watch(...call);
    },
    close: () => client.close(),
  };
}

/**
 * Each call resolves when its caller may go. `next` is the time at which the next one may go; it
 * lies in the past by at most the burst, and a caller that comes too early waits until its own
 * time.
 */
function createTurnstile({ qps, burst }: RateLimit): () => Promise<void> {
  const gapMs = 1_000 / qps;
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = monotonicMs();
    const mine = Math.max(next, now - gapMs * (Math.max(burst, 1) - 1));
    next = mine + gapMs;
    if (mine > now) await sleep(mine - now);
  };
}
