/** Both halves of the SDK reach Temporal by the same proxy. */
import { NativeConnection } from '@temporalio/worker';
import { startProxy } from '../../support/fronts.ts';
import { readTemporalSettings } from '../../../workers/config/temporal.ts';
import { temporalProxy } from '../../../workers/config/temporal.ts';
import { connectTo } from '../../../workers/kube/clients.ts';
import { setEnvironment, withEnvironment, withoutTemporal } from '../../support/environment.ts';
import { startFakeTemporal } from '../temporal/fake-temporal.ts';

withEnvironment(withoutTemporal());

const proxy = { type: 'http-connect', targetHost: 'proxy:3128' };

test.each([
  [{ https_proxy: 'http://proxy:3128' }, proxy],
  [{ grpc_proxy: 'http://proxy:3128', https_proxy: 'http://other:1' }, proxy],
  [
    { https_proxy: 'http://me:pass%20word@proxy' },
    { ...proxy, targetHost: 'proxy:80', basicAuth: { username: 'me', password: 'pass word' } },
  ],
  [{ https_proxy: 'http://proxy:3128', no_proxy: 'localhost,.example' }, undefined],
  [{ https_proxy: 'http://proxy:3128', no_proxy: '10.0.0.0/8' }, proxy],
  // What the client's half does not take.
  [{ HTTPS_PROXY: 'http://proxy:3128' }, undefined],
  [{ https_proxy: 'proxy' }, undefined],
  [{ https_proxy: 'socks5://proxy:1' }, undefined],
  [{}, undefined],
])('with %j the way to temporal.example is %j', (env, found) => {
  expect(temporalProxy('temporal.example:7233', env)).toEqual(found ? { proxy: found } : {});
});

test('client and worker go through it', async () => {
  const temporal = await startFakeTemporal(() => undefined);
  const way = await startProxy();
  way.openTunnels(Number(temporal.address.split(':')[1]));
  const restore = setEnvironment({ https_proxy: way.url, no_proxy: '', no_grpc_proxy: '' });
  try {
    const flags = { 'temporal-address': temporal.address, 'temporal-namespace': '' };
    const { settings } = readTemporalSettings(flags, process.env);
    if (!settings) throw new Error('there are no settings');
    const client = await connectTo(settings);
    expect(way.requests).toHaveLength(1);
    await client.close();
    const worker = await NativeConnection.connect(settings.connection);
    expect(way.requests).toHaveLength(2);
    await worker.close();
  } finally {
    restore();
    await way.close();
    await temporal.close();
  }
});
