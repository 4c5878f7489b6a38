import type { Driver } from '../../../activities/drivers/driver.ts';
import { DriverError, DriverPending } from '../../../activities/drivers/driver.ts';
import { withCalls } from '../../../activities/drivers/with-calls.ts';
import { createVirtualDriver } from '../../../activities/drivers/virtual/driver.ts';
import { monotonicMs, sleep } from '../../../activities/system/system.ts';
import { aRequest } from '../../activities/drivers/a-request.ts';
import { aCloud, type TestCloud } from '../../deploy/virtual-cloud/a-cloud.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { aPipeline } from './a-pipeline.ts';

/** A driver over the wire, and when it was called by how many. */
interface World {
  system: HandSystem;
  driver: Driver;
  /** Of each call that went out, in seconds. */
  calls: number[];
  throttled: string[];
  heldBack: string[];
}

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await aCloud();
});
afterAll(() => cloud.close());

function aWorld(more: Partial<Driver> = {}): World {
  const calls: number[] = [];
  const throttled: string[] = [];
  const heldBack: string[] = [];
  let underWay = 0;
  const system = new HandSystem(() => underWay > 0);
  const noted = withCalls(
    { ...createVirtualDriver({ url: cloud.url }), ...more },
    (_operation, call) => async (request) => {
      calls.push(monotonicMs() / 1_000);
      underWay += 1;
      return await call(request).finally(() => (underWay -= 1));
    },
  );
  const driver = aPipeline(noted, {
    pace: {
      onThrottled: (provider) => throttled.push(provider),
      onHeldBack: (provider, operation) => heldBack.push(`${provider} ${operation}`),
    },
  });
  return { system, driver, calls, throttled, heldBack };
}

async function throttle(times: number, seconds: number): Promise<void> {
  const fault = { operation: '*', kind: 'throttle', times, seconds };
  expect((await cloud.call('POST', '/faults', fault)).status).toBe(200);
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Creates as a workflow does, which sleeps for as long as it is told to. */
async function create(driver: Driver, name: string): Promise<void> {
  for (;;) {
    const error = await errorOf(driver.createInstance(aRequest(name)));
    if (error === undefined) return;
    if (error instanceof DriverPending) await sleep(error.pollAfterSeconds * 1_000);
    else if (error instanceof DriverError && error.retryAfterSeconds !== undefined)
      await sleep(error.retryAfterSeconds * 1_000);
    else throw error;
  }
}

describe('a cloud that answers 429 with Retry-After to creates that run at once', () => {
  test('hears nothing of the account in that time, and then one after the other', async () => {
    const { system, driver, calls, throttled } = aWorld();
    await throttle(5, 30);
    const first = ['a', 'b', 'c', 'd', 'e'].map((name) => system.run(() => create(driver, name)));
    await system.to(10_000);
    expect(calls).toEqual([0, 0, 0, 0, 0]);
    expect(throttled).toHaveLength(5);
    const more = Array.from({ length: 20 }, (_, i) =>
      system.run(() => create(driver, `later-${i}`)),
    );
    await system.to(29_999);
    expect(calls).toHaveLength(5);
    await system.to(120_000);
    await Promise.all([...first, ...more]);
    const after = calls.slice(5);
    expect(after).toHaveLength(25);
    const gaps = after.slice(1).map((time, i) => time - (after[i] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(0.1);
    expect(await cloud.instances('')).toHaveLength(25);
  });
});

async function waitingWorld(more: Partial<Driver> = {}): Promise<World> {
  const world = aWorld(more);
  await throttle(1, 12);
  const { system, driver } = world;
  const refused = await system.run(() => errorOf(driver.createInstance(aRequest('refused'))));
  expect(refused).toMatchObject({ kind: 'throttling', retryAfterSeconds: 12 });
  return world;
}

const limitScope = (spec: unknown): string => String(Object(spec).zone ?? 'a');

describe('while an account waits', () => {
  test('a create is pending, says why, and keeps its checkpoint', async () => {
    const { system, driver, heldBack } = await waitingWorld();
    const request = aRequest('held', { checkpoint: 'half way' });
    const error = await system.run(() => errorOf(driver.createInstance(request)));
    expect(error).toBeInstanceOf(DriverPending);
    expect(error).toMatchObject({
      message: 'virtual gets too many calls from this account: no call before 00:00:12 UTC',
      checkpoint: 'half way',
    });
    expect(heldBack).toEqual(['virtual create']);
  });

  test('its words are the same as long as nothing changes', async () => {
    const { system, driver } = await waitingWorld();
    const words = async (): Promise<unknown> => {
      const error = await system.run(() => errorOf(driver.deleteInstance(aRequest('held'))));
      return error instanceof Error ? error.message : error;
    };
    const before = await words();
    await system.to(5_000);
    expect(await words()).toBe(before);
  });

  test('a question fails, and says when to ask again', async () => {
    const { system, driver } = await waitingWorld();
    const error = await system.run(() => errorOf(driver.describeInstance(aRequest('held'))));
    expect(error).toMatchObject({ code: 'Unavailable', kind: 'throttling', settled: false });
    expect(Object(error).retryAfterSeconds).toBeGreaterThanOrEqual(12);
  });

  test('another account is called at once, whatever the user data', async () => {
    const { system, driver, calls } = await waitingWorld();
    const callWith = (secret: Record<string, string>): Promise<unknown> =>
      system.run(() => errorOf(driver.deleteInstance(aRequest('gone', { secret }))));
    expect(await callWith({ userData: 'other' })).toBeInstanceOf(DriverPending);
    expect(calls).toHaveLength(1);
    expect(await callWith({ key: 'other' })).toBeUndefined();
    expect(calls).toHaveLength(2);
  });

  test('another region is called at once', async () => {
    const { system, driver } = await waitingWorld({ limitScope });
    const callIn = (zone: string): Promise<unknown> =>
      system.run(() =>
        errorOf(driver.deleteInstance(aRequest('gone', { providerSpec: { zone } }))),
      );
    expect(await callIn('b')).toBeUndefined();
    expect(await callIn('a')).toMatchObject({
      message: expect.stringMatching(/^virtual in a gets too many calls/),
    });
  });

  test.each([
    { answer: 'an instance', fault: [] },
    { answer: 'a refusal', fault: [{ kind: 'quota', times: 1 }] },
  ])('one machine that is refused while others get $answer waits alone', async ({ fault }) => {
    const { system, driver } = await waitingWorld();
    await system.to(20_000);
    const creating = (name: string): Promise<unknown> =>
      system.run(() => errorOf(driver.createInstance(aRequest(name))));
    for (const one of fault) await cloud.call('POST', '/faults', one);
    await creating(`other ${fault.length}`);
    await system.to(40_000);
    await throttle(1, 60);
    expect(await creating('refused')).toMatchObject({ retryAfterSeconds: 60 });
    expect(await creating(`another ${fault.length}`)).toBeUndefined();
  });

  test('a call that waits a moment in its slot can be cancelled', async () => {
    const { system, driver, calls } = await waitingWorld();
    await system.to(11_500);
    const caller = new AbortController();
    const { signal } = caller;
    // The first place is that of the call which was refused.
    const call = system.run(() => errorOf(driver.createInstance(aRequest('refused', { signal }))));
    caller.abort();
    expect(await call).toMatchObject({ code: 'Canceled', settled: false });
    expect(calls).toHaveLength(1);
  });
});
