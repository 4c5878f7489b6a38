import { expect, test } from 'vitest';
import { createTemporalClient } from '../../../workers/kube/clients.ts';
import { createDriverProbe } from '../../../workers/temporal/driver-probe.ts';
import { startFakeTemporal } from './fake-temporal.ts';

test('a driver of this process is there, and one of another process when it polls', async () => {
  const fake = await startFakeTemporal(() => undefined);
  const connection = { address: fake.address };
  const settings = { address: fake.address, namespace: 'default', connection, files: [] };
  const temporal = await createTemporalClient({ temporal: settings, identity: 'worker' });
  const hasDriver = createDriverProbe({ temporal, taskQueue: 'Q', ownDrivers: ['AWS'] });
  const asked = () => fake.calls.filter(({ method }) => method === 'DescribeTaskQueue');
  expect(await hasDriver('AWS')).toBe(true);
  expect(asked()).toEqual([]);
  // Built in as well, and not of this process; the answer names no poller.
  expect(await hasDriver('GCP')).toBe(false);
  expect(asked().map(({ text }) => text)).toEqual([expect.stringContaining('Q/driver/GCP/read')]);
  await temporal.connection.close();
  await fake.close();
});
