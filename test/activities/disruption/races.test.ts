/** Deployments that decide in the same moment, and processes that die on any call. */
import fc from 'fast-check';
import type { KubeClient } from '../../../kube/client/client.ts';
import { recorderOf, recordWith } from '../../../kube/objects/events.ts';
import { randomFrom } from '../../support/seeded-random.ts';
import { aPolicy, aRollingZone, onTheirWay, PolicyWorld } from './policy-world.ts';

const zones = ['a', 'b', 'c'];

class Killed extends Error {}

/** Lets one call through at a time, whichever the seed says. */
class Turnstile {
  readonly #waiting: { pass(): void; kill(): void }[] = [];
  #running = 0;

  async begin(work: () => Promise<unknown>): Promise<void> {
    this.#running += 1;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Killed)) this.failure ??= error;
    }
    this.#running -= 1;
  }

  failure: unknown;

  /** A client that waits before each call, and before it hears the answer. */
  through(client: KubeClient): KubeClient {
    const gated =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        await this.#pass();
        const answer = await call(...args);
        await this.#pass();
        return answer;
      };
    const slow = {
      ...client,
      get: gated((...call: Parameters<KubeClient['get']>) => client.get(...call)),
      list: gated((...call: Parameters<KubeClient['list']>) => client.list(...call)),
      create: gated((...call: Parameters<KubeClient['create']>) => client.create(...call)),
      update: gated((...call: Parameters<KubeClient['update']>) => client.update(...call)),
      patch: gated((...call: Parameters<KubeClient['patch']>) => client.patch(...call)),
      delete: gated((...call: Parameters<KubeClient['delete']>) => client.delete(...call)),
      watch: (...call: Parameters<KubeClient['watch']>) => client.watch(...call),
      close: () => client.close(),
    } as unknown as KubeClient;
    recordWith(slow, recorderOf(client));
    return slow;
  }

  async run(
    { random, killPercent }: { random: () => number; killPercent: number },
    check: () => Promise<void>,
  ): Promise<void> {
    while (this.#running > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = this.#waiting.splice(Math.floor(random() * this.#waiting.length), 1);
      if (!next) continue;
      if (random() * 100 < killPercent) next.kill();
      else next.pass();
      await new Promise((resolve) => setImmediate(resolve));
      await check();
    }
    if (this.failure) throw this.failure;
  }

  async #pass(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ pass: resolve, kill: () => reject(new Killed()) });
    await promise;
  }
}

interface Race {
  seed: number;
  machines: number | string;
  killPercent: number;
  unavailable: number;
}

/** Returns the most machines that were on their way at a time, beyond what the policy allows. */
async function race({ seed, machines, killPercent, unavailable }: Race): Promise<number> {
  const random = randomFrom(seed);
  const most = machines === '40%' ? 4 : Number(machines);
  const policy = aPolicy({ atATime: { machines } });
  const objects = zones.flatMap((name) => aRollingZone({ name, unavailable }));
  const pool = await new PolicyWorld(policy, ...objects).hear();
  let excess = 0;
  const check = async (): Promise<void> => {
    excess = Math.max(excess, (await onTheirWay(pool)) - most);
  };
  for (let round = 0; round < 80; round += 1) {
    const turnstile = new Turnstile();
    const world = pool.through(turnstile.through(pool.control));
    for (const name of zones) void turnstile.begin(() => pool.turn(name, world));
    await turnstile.run({ random, killPercent }, check);
    if (random() < 0.7) await pool.shrinkSets();
    if (random() < 0.7) await pool.endDeletions();
    if (random() < 0.7) await pool.growSets();
    // The watch may be behind.
    if (random() < 0.7) await pool.hear();
    await check();
    if (Object.keys(await pool.sizes()).every((set) => !set.endsWith('-old'))) return excess;
  }
  throw new Error(`the rollouts do not end: ${JSON.stringify(await pool.sizes())}`);
}

test('deployments that decide in the same moment never take more than a policy allows', async () => {
  const races = fc.record({
    seed: fc.nat(),
    machines: fc.constantFrom<number | string>(1, 2, '40%'),
    killPercent: fc.constantFrom(0, 0, 5),
    unavailable: fc.constantFrom(1, 3),
  });
  const property = fc.asyncProperty(races, async (one) => expect(await race(one)).toBe(0));
  await fc.assert(property, { numRuns: 40 });
});
