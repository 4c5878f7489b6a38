import { getEventListeners } from 'node:events';
import type { Driver, MachineRequest } from '../../../activities/drivers/driver.ts';
import { DriverError } from '../../../activities/drivers/driver.ts';
import { aRequest, callNames } from '../../activities/drivers/a-request.ts';
import { refusingDriver } from '../../support/refusing-driver.ts';
import { aPipeline } from './a-pipeline.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const limits = { callSeconds: 0.05, graceSeconds: 0.05 };

const answersNever = Object.fromEntries(callNames.map((name) => [name, never]));
const stuck = refusingDriver('the limit is on calls alone', answersNever);

const requestWith = (signal: AbortSignal) => ({
  ...aRequest('pool-a', { signal }),
  namespace: 'shoot',
  providerID: 'local:///z/i',
});

describe('a driver that never answers', () => {
  test.each(callNames)('%s fails at the limit, and nothing is settled', async (name) => {
    const request = requestWith(new AbortController().signal);
    await expect(aPipeline(stuck, { limit: limits })[name](request)).rejects.toMatchObject({
      code: 'DeadlineExceeded',
      settled: false,
      message: expect.stringContaining('no answer within 0.05 s'),
    });
  });

  test('deleteListed is named in words in the message', async () => {
    const request = requestWith(new AbortController().signal);
    await expect(aPipeline(stuck, { limit: limits }).deleteListed(request)).rejects.toThrow(
      /^delete what was listed: no answer/,
    );
  });

  test('ends when its caller cancels', async () => {
    const caller = new AbortController();
    const driver = aPipeline(stuck, { limit: { callSeconds: 60, graceSeconds: 0.05 } });
    const call = driver.deleteInstance(requestWith(caller.signal));
    caller.abort();
    await expect(call).rejects.toMatchObject({ code: 'Canceled', settled: false });
  });
});

test('a driver that ends by itself after the limit says what it knows', async () => {
  const knowing: Driver = {
    ...stuck,
    describeInstance: ({ signal }: MachineRequest) =>
      new Promise((_resolve, reject) => {
        const fault = { code: 'Unavailable', message: 'half way', settled: false } as const;
        signal.addEventListener('abort', () => reject(new DriverError(fault)));
      }),
  };
  const driver = aPipeline(knowing, { limit: { callSeconds: 0.05, graceSeconds: 60 } });
  const request = requestWith(new AbortController().signal);
  await expect(driver.describeInstance(request)).rejects.toMatchObject({ message: 'half way' });
});

test('an answer within the limit is handed on', async () => {
  const driver = aPipeline({ ...stuck, listInstances: async () => [] });
  expect(await driver.listInstances(requestWith(new AbortController().signal))).toEqual([]);
});

test('nothing listens to the signal of a call that is over', async () => {
  const signals: AbortSignal[] = [];
  const listing: Driver = {
    ...stuck,
    listInstances: async ({ signal }) => {
      signals.push(signal);
      return [];
    },
  };
  await aPipeline(listing).listInstances(requestWith(new AbortController().signal));
  expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
  expect(signals).toHaveLength(1);
});
