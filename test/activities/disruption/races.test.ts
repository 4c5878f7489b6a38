/** Deployments that decide in the same moment, and processes that die on any call. */
import fc from 'fast-check';
import type { KubeClient } from '../../../kube/client/client.ts';
import { isConflict } from '../../../kube/client/errors.ts';
import { recorderOf, recordWith } from '../../../kube/objects/events.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { namespace } from '../../support/builders.ts';
import { randomFrom } from '../../support/seeded-random.ts';
import { aPolicy, aRollingZone, nextTemplate, onTheirWay, PolicyWorld } from './policy-world.ts';

const zones = ['a', 'b', 'c'];

class Killed extends Error {}

/** Lets one call through at a time, whichever the seed says. */
class Turnstile {
  readonly #waiting: { pass(): void; kill(): void }[] = [];
  #running = 0;
  #hasWritten = false;

  async begin(work: () => Promise<unknown>): Promise<void> {
    this.#running += 1;
    try {
      await work();
    } catch (error) {
      // What the user writes meanwhile makes an attempt fail, and the next one reads again.
      if (!(error instanceof Killed) && !isConflict(error)) this.failure ??= error;
    }
    this.#running -= 1;
  }

  failure: unknown;

  /** A client that waits before each call, and before it hears the answer. */
  through(client: KubeClient): KubeClient {
    const slow: KubeClient = {
      get: (...call) => this.#gated(() => client.get(...call)),
      list: (...call) => this.#gated(() => client.list(...call)),
      create: (...call) => this.#gated(() => client.create(...call)),
      update: (...call) => this.#gated(() => client.update(...call)),
      patch: (...call) =>
        this.#gated(async () => {
          this.#hasWritten = true;
          return await client.patch(...call);
        }),
      delete: (...call) => this.#gated(() => client.delete(...call)),
      watch: (...call) => client.watch(...call),
      close: () => client.close(),
    };
    recordWith(slow, recorderOf(client));
    return slow;
  }

  async #gated<T>(call: () => Promise<T>): Promise<T> {
    await this.#pass();
    const answer = await call();
    await this.#pass();
    return answer;
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
      if (this.#hasWritten) await check();
      this.#hasWritten = false;
    }
    if (this.failure) throw this.failure;
  }

  /** Waits for any moment, and is not killed meanwhile. */
  async anyMoment(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ pass: resolve, kill: resolve });
    await promise;
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
  await rollAll(pool, { random, killPercent }, check);
  return excess;
}

async function rollAll(
  pool: PolicyWorld,
  fate: { random: () => number; killPercent: number; begins?: Record<string, number> },
  check: () => Promise<void>,
): Promise<void> {
  const { begins } = fate;
  const isLikely = (): boolean => fate.random() < 0.7;
  for (let round = 0; round < 120; round += 1) {
    const turnstile = new Turnstile();
    const world = pool.through(turnstile.through(pool.control));
    for (const name of zones) {
      const moments = begins?.[name] === round ? Math.floor(fate.random() * 25) : undefined;
      void turnstile.begin(async () => {
        for (let passed = 0; passed < (moments ?? 0); passed += 1) await turnstile.anyMoment();
        const path = customResource('machinedeployments', namespace, name);
        if (moments !== undefined) await pool.control.patch(path, 'merge', nextTemplate);
        return await pool.turn(name, world);
      });
    }
    await turnstile.run(fate, check);
    if (isLikely()) await pool.shrinkSets();
    if (isLikely()) await pool.endDeletions();
    if (isLikely()) await pool.growSets();
    // The watch may be behind.
    if (isLikely()) await pool.hear();
    await check();
    if (Object.keys(await pool.sizes()).every((set) => !set.endsWith('-old'))) return;
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
  await fc.assert(property, { numRuns: 20 });
});

/** Machines above the sum of all replicas, and below it, at the worst moment. */
async function raceForTurns({ seed, killPercent }: Race): Promise<number[]> {
  const random = randomFrom(seed);
  const policy = aPolicy({ atATime: { deployments: 1 }, surge: 1 });
  const surges = { a: { surge: 1, unavailable: 0 }, b: {}, c: {} };
  const objects = Object.entries(surges).flatMap(([name, own]) =>
    aRollingZone({ name, isAtRest: true, ...own }),
  );
  const begins = Object.fromEntries(zones.map((name) => [name, Math.floor(random() * 2)]));
  const pool = await new PolicyWorld(policy, ...objects).hear();
  pool.hearsItself = true;
  let [above, below] = [0, 0];
  const check = async (): Promise<void> => {
    const sizes = Object.values(await pool.sizes()).reduce((sum, size) => sum + size, 0);
    const machines = (await pool.machines()).length;
    above = Math.max(above, machines - 9, sizes - 9);
    below = Math.max(below, 9 - (machines - (await onTheirWay(pool))));
  };
  await rollAll(pool, { random, killPercent, begins }, check);
  return [above, below];
}

test('deployments that take turns never have more than the surge, nor fewer than they want', async () => {
  const races = fc.record({
    seed: fc.nat(),
    machines: fc.constant(1),
    killPercent: fc.constantFrom(0, 0, 5),
    unavailable: fc.constant(1),
  });
  const property = fc.asyncProperty(races, async (one) => {
    expect(await raceForTurns(one)).toEqual([1, 0]);
  });
  await fc.assert(property, { numRuns: 12 });
});
