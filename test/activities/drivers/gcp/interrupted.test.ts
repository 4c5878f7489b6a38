/** Each call of a create and a delete is cut, the request for a token among them. */
import { createGcpDriver } from '../../../../activities/drivers/gcp/driver.ts';
import { startGcpDouble } from '../../../doubles/gcp/double.ts';
import { startFaultProxy } from '../frame/fault-proxy.ts';
import { describeKills } from '../frame/kills.ts';
import { aSpec, doubleRules, gcpRequest, quick } from './gcp-world.ts';

// No operation is done when its answer comes, and each is when the driver asks for it.
const double = await startGcpDouble({ ...doubleRules, millisecondsPerRequest: 1_000 });
const proxy = await startFaultProxy(double.url);
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await double.close();
});
const env = {
  MILLWRIGHT_GCP_ENDPOINT: proxy.url,
  MILLWRIGHT_GCP_TOKEN_ENDPOINT: `${proxy.url}/token`,
};
const providerSpec = {
  ...aSpec,
  disks: [...aSpec.disks, { type: 'SCRATCH', interface: 'NVME' }, { type: 'pd-ssd', sizeGb: 10 }],
};
const thingsOf = (name: string): string[] =>
  [...double.cloud.instances, ...double.cloud.disks]
    .map((thing) => thing.name)
    .filter((one) => one === name || one.startsWith(`${name}-`));

describeKills({
  proxy: () => proxy,
  aDriver: () => createGcpDriver({ env, allowsAmbientCredentials: false }, quick),
  request: (name, more) => gcpRequest(name, { providerSpec, ...more }),
  countLiving: (name) => double.cloud.instances.filter((one) => one.name === name).length,
  left: thingsOf,
});
