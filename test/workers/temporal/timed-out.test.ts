import { MockActivityEnvironment } from '@temporalio/testing';
import { Registry } from 'prom-client';
import { sleep } from '../../../activities/system/system.ts';
import { createTimeoutCounter } from '../../../workers/temporal/workers.ts';
import { HandSystem } from '../../support/hand-system.ts';

/** Runs an attempt of so long, with a limit of a minute; returns what is counted. */
async function countOf(milliseconds: number): Promise<number> {
  const registry = new Registry();
  const system = new HandSystem();
  const environment = new MockActivityEnvironment(
    { activityType: 'drainNode', startToCloseTimeoutMs: 60_000 },
    { interceptors: [createTimeoutCounter(registry)] },
  );
  const attempt = system.run(() => environment.run(() => sleep(milliseconds)));
  await system.run(() => system.to(milliseconds));
  await attempt;
  // It is over: no timer is left to count.
  await system.run(() => system.to(milliseconds + 120_000));
  const { values } = (await registry
    .getSingleMetric('millwright_activities_timed_out_total')
    ?.get()) ?? { values: [] };
  return values.find(({ labels }) => labels['activity'] === 'drainNode')?.value ?? 0;
}

test('an attempt counts once its limit is over, and one that ends in time does not', async () => {
  expect(await countOf(59_000)).toBe(0);
  expect(await countOf(61_000)).toBe(1);
});
