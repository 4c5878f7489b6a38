/** What a driver says of a call that is not over: it goes on in the cloud, or it was cancelled. */
import type { Driver } from '../../activities/drivers/driver.ts';
import { DriverError, DriverPending } from '../../activities/drivers/driver.ts';
import { createDriverActivities } from '../../activities/instance.ts';
import { aMachine, aMachineClass, aSecret } from '../support/builders.ts';
import { refusingDriver } from '../support/refusing-driver.ts';
import { aWorld } from '../support/world.ts';
import { driverRequest as request } from '../support/driver-request.ts';

const created = {
  providerID: 'local:///z/i',
  nodeName: 'pool-a',
  isInitialized: true,
  found: false,
};
const deleting = aMachine({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });

function activities(
  changes: Partial<Driver>,
  { signal = new AbortController().signal, isShuttingDown = false } = {},
) {
  return createDriverActivities({
    ...aWorld({ control: [aMachineClass(), aSecret(), deleting] }),
    driver: refusingDriver('not asked for in this test', changes),
    signal: () => signal,
    isShuttingDown: () => isShuttingDown,
    guard: async () => undefined,
  });
}

describe('an operation that goes on in the cloud', () => {
  const pending = { message: 'i-1 is shutting-down', pollAfterSeconds: 10, checkpoint: 'op-7' };
  const goesOn = (): Promise<never> => Promise.reject(new DriverPending(pending));

  test.each([
    { step: 'createInstance', changes: { createInstance: goesOn } },
    {
      step: 'createInstance, in its initialization,',
      changes: {
        createInstance: async () => ({ ...created, isInitialized: false }),
        initializeInstance: goesOn,
      },
    },
  ])('is an answer of $step', async ({ changes }) => {
    expect(await activities(changes).createInstance(request)).toEqual({
      outcome: 'pending',
      ...pending,
    });
  });

  test('is an answer of deleteInstance, which hands the checkpoint on', async () => {
    const seen: unknown[] = [];
    const deleteInstance: Driver['deleteInstance'] = async ({ checkpoint }) => {
      seen.push(checkpoint);
      return await goesOn();
    };
    const served = activities({ deleteInstance });
    const asked = { ...request, checkpoint: 'op-6' };
    expect(await served.deleteInstance(asked)).toEqual({ outcome: 'pending', ...pending });
    expect(seen).toEqual(['op-6']);
  });
});

const cancelled = (): Promise<never> =>
  Promise.reject(new DriverError({ code: 'Canceled', message: 'cancelled', settled: false }));

describe('a call that is cancelled', () => {
  const aborted = new AbortController();
  aborted.abort();
  const createInstance = cancelled;
  const surroundings = { signal: aborted.signal };

  test('by the workflow is an answer', async () => {
    const answer = await activities({ createInstance }, surroundings).createInstance(request);
    expect(answer).toMatchObject({ outcome: 'failed', failure: { wasCancelled: true } });
  });

  test('because its process ends is none: Temporal gives it to the next worker', async () => {
    const served = activities({ createInstance }, { ...surroundings, isShuttingDown: true });
    await expect(served.createInstance(request)).rejects.toThrow('cancelled');
  });
});
