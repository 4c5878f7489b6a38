import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { after } from '../../activities/system/system.ts';
import { createSlowNamespaces } from '../../activities/slow-namespaces.ts';
import { fakeClock, type FakeClock } from '../support/fake-clock.ts';
import { inNamespace } from '../support/in-namespace.ts';

const logger = new DefaultLogger('ERROR');

let clock: FakeClock;
beforeEach(() => {
  clock = fakeClock();
});
afterEach(() => {
  clock.uninstall();
});

/** Activities of a worker with eight slots; each lasts as long as its test says. */
class Calls {
  readonly #slots = createSlowNamespaces({ regular: 8 });
  readonly refused: string[] = [];
  readonly #running: Promise<unknown>[] = [];
  #ran = 0;

  get ran(): number {
    return this.#ran;
  }

  call(namespace: string, lastsMs: number, isLocal = false): void {
    const interceptors = [inNamespace(namespace), this.#slots];
    const environment = new MockActivityEnvironment({ isLocal }, { interceptors, logger });
    const run = environment.run(async () => {
      this.#ran += 1;
      const { promise, resolve } = Promise.withResolvers<void>();
      after(lastsMs, resolve);
      await promise;
    });
    this.#running.push(run.catch((error: Error) => this.refused.push(error.message)));
  }

  /** Lets time pass until all have ended. */
  async end(): Promise<void> {
    await clock.tickAsync(60_000);
    await Promise.all(this.#running.splice(0));
  }
}

async function slow(calls: Calls, namespace: string): Promise<void> {
  for (let count = 0; count < 4; count += 1) calls.call(namespace, 9_000);
  await calls.end();
}

test('a namespace whose calls take 9 s gets half of the slots where another one needs some', async () => {
  const calls = new Calls();
  calls.call('quick', 10);
  await slow(calls, 'slow');
  const before = calls.ran;
  for (let count = 0; count < 6; count += 1) calls.call('slow', 9_000);
  for (let count = 0; count < 6; count += 1) calls.call('quick', 10);
  await calls.end();
  expect(calls.ran - before).toBe(4 + 6);
  expect(calls.refused).toEqual(
    Array.from({ length: 2 }, () =>
      expect.stringContaining('namespace slow is not served: its calls take more than 3 s each'),
    ),
  );
});

test('two slow namespaces share that half', async () => {
  const calls = new Calls();
  await slow(calls, 'one');
  await slow(calls, 'two');
  const before = calls.ran;
  for (let count = 0; count < 3; count += 1) calls.call('one', 9_000);
  for (let count = 0; count < 3; count += 1) calls.call('two', 9_000);
  await calls.end();
  expect(calls.ran - before).toBe(4);
});

test('what runs for more than 3 s counts before it has ended', async () => {
  const calls = new Calls();
  calls.call('quick', 10);
  for (let count = 0; count < 4; count += 1) calls.call('hanging', 60_000);
  await clock.tickAsync(3_001);
  calls.call('hanging', 10);
  await clock.tickAsync(1);
  await calls.end();
  expect(calls.refused).toHaveLength(1);
});

test('the only namespace of a worker has all slots, however slow it is', async () => {
  const calls = new Calls();
  await slow(calls, 'alone');
  for (let count = 0; count < 8; count += 1) calls.call('alone', 9_000);
  await calls.end();
  expect(calls.refused).toEqual([]);
});

test('a namespace that was slow has all slots again when its calls are quick', async () => {
  const calls = new Calls();
  calls.call('quick', 10);
  await slow(calls, 'mended');
  for (let count = 0; count < 8; count += 1) {
    calls.call('mended', 10);
    await calls.end();
  }
  for (let count = 0; count < 8; count += 1) calls.call('mended', 10);
  await calls.end();
  expect(calls.refused).toEqual([]);
});

test('local activities have slots of their own', async () => {
  const calls = new Calls();
  calls.call('quick', 10, true);
  await slow(calls, 'slow');
  for (let count = 0; count < 8; count += 1) calls.call('slow', 10, true);
  await calls.end();
  expect(calls.refused).toEqual([]);
});
