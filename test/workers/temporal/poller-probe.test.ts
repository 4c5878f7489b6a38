import proto from '@temporalio/proto';
import { createTemporalClient } from '../../../workers/kube/clients.ts';
import { createServiceProbes } from '../../../workers/temporal/poller-probe.ts';
import { startFakeTemporal } from './fake-temporal.ts';

test.each([
  { name: 'one that lets nothing through', config: limitOf({}), rateLimit: 0 },
  { name: 'another', config: limitOf({ requestsPerSecond: 2.5 }), rateLimit: 2.5 },
  { name: 'none', config: undefined, rateLimit: undefined },
])('the rate limit of a queue is read: $name', async ({ config, rateLimit }) => {
  const { DescribeTaskQueueResponse } = proto.temporal.api.workflowservice.v1;
  const answer = DescribeTaskQueueResponse.encode(config ? { config } : {}).finish();
  const fake = await startFakeTemporal(({ method }) =>
    method === 'DescribeTaskQueue' ? answer : undefined,
  );
  const connection = { address: fake.address };
  const settings = { address: fake.address, namespace: 'default', connection, files: [] };
  const temporal = await createTemporalClient({ temporal: settings, identity: 'worker' });
  const serves = { drivers: [], drain: true };
  const { rateLimitOf } = createServiceProbes({ temporal, taskQueue: 'Q', serves });
  expect(await rateLimitOf('drains')).toBe(rateLimit);
  expect(await rateLimitOf({ provider: 'AWS', call: 'create' })).toBe(rateLimit);
  expect(fake.calls.at(-1)?.text).toContain('Q/driver/AWS/create');
  await temporal.connection.close();
  await fake.close();
});

function limitOf(rateLimit: { requestsPerSecond?: number }) {
  return { queueRateLimit: { rateLimit } };
}

test('what this process serves is there, and what another serves when it polls', async () => {
  const fake = await startFakeTemporal(() => undefined);
  const connection = { address: fake.address };
  const settings = { address: fake.address, namespace: 'default', connection, files: [] };
  const temporal = await createTemporalClient({ temporal: settings, identity: 'worker' });
  const probesOf = (drain: boolean) =>
    createServiceProbes({ temporal, taskQueue: 'Q', serves: { drivers: ['AWS'], drain } });
  const { hasDriver, hasDrainWorker } = probesOf(true);
  const asked = () => fake.calls.filter(({ method }) => method === 'DescribeTaskQueue');
  expect(await hasDriver('AWS')).toBe(true);
  expect(await hasDrainWorker()).toBe(true);
  expect(asked()).toEqual([]);
  // Built in as well, and not of this process; the answer names no poller.
  expect(await hasDriver('GCP')).toBe(false);
  expect(await probesOf(false).hasDrainWorker()).toBe(false);
  expect(asked().map(({ text }) => text)).toEqual([
    expect.stringContaining('Q/driver/GCP/read'),
    expect.stringContaining('Q/drain'),
  ]);
  await temporal.connection.close();
  await fake.close();
});
