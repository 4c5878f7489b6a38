import { createVirtualDriver } from '../../../../activities/drivers/virtual/driver.ts';
import { aCloud } from '../../../deploy/virtual-cloud/a-cloud.ts';
import { aRequest } from '../a-request.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { describeKills } from './kills.ts';

const cloud = await aCloud();
const proxy = await startFaultProxy(cloud.url);
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await cloud.close();
});

const living = async (name: string): Promise<object[]> => await cloud.instances(`name=${name}`);

describeKills({
  proxy: () => proxy,
  aDriver: () => createVirtualDriver({ url: proxy.url, callTimeoutSeconds: 600 }),
  request: aRequest,
  countLiving: async (name) => (await living(name)).length,
  left: async (name) => (await living(name)).map(() => 'instance'),
});
