/** The driver against the double. */
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import { createDigitalOceanDriver } from '../../../../activities/drivers/digitalocean/driver.ts';
import type { RestDriverLimits } from '../../../../activities/drivers/frame/rest-driver.ts';
import {
  startDigitalOceanDouble,
  token,
  type DigitalOceanDouble,
} from '../../../doubles/digitalocean/double.ts';
import { aRequest } from '../a-request.ts';
import { startFaultProxy, type FaultProxy } from '../frame/fault-proxy.ts';

/** What a class needs at least. */
export const aSpec = { region: 'fra1', size: 's-2vcpu-4gb', image: 'ubuntu-24-04-x64' };

export interface DigitalOceanWorld {
  double: DigitalOceanDouble;
  /** In front of the double. */
  proxy: FaultProxy;
  driver: Driver;
  aDriver: (limits?: RestDriverLimits) => Driver;
}

const quick = {
  callTimeoutSeconds: 600,
  waitSeconds: 600,
  orphanWaitSeconds: 600,
  firstPauseSeconds: 0.01,
};

/** For all tests of a file. */
export async function aDigitalOceanWorld(): Promise<DigitalOceanWorld> {
  const double = await startDigitalOceanDouble();
  const proxy = await startFaultProxy(double.url);
  afterEach(() => proxy.clear());
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await double.close();
  });
  const env = { MILLWRIGHT_DIGITALOCEAN_ENDPOINT: proxy.url };
  const aDriver = (limits = {}): Driver =>
    createDigitalOceanDriver({ env, allowsAmbientCredentials: false }, { ...quick, ...limits });
  return { double, proxy, driver: aDriver(), aDriver };
}

export function digitalOceanRequest(
  name: string,
  more: Partial<CreateRequest> = {},
): CreateRequest {
  return aRequest(name, {
    providerSpec: aSpec,
    secret: { token },
    userData: '#!/bin/sh\n',
    ...more,
  });
}
