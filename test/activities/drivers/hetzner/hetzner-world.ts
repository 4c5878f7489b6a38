/** The driver against the double. */
import { createHetznerDriver } from '../../../../activities/drivers/hetzner/driver.ts';
import type { RestDriverLimits } from '../../../../activities/drivers/frame/rest-driver.ts';
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import type { DriverSettings } from '../../../../activities/drivers/settings.ts';
import { startHetznerDouble, token, type HetznerDouble } from '../../../doubles/hetzner/double.ts';
import { aRequest } from '../a-request.ts';
import { startFaultProxy, type FaultProxy } from '../frame/fault-proxy.ts';

/** What a class needs at least. */
export const aSpec = {
  cluster: 'shoot--garden--example',
  location: 'hel1',
  serverType: 'cx32',
  imageName: 'ubuntu-24.04',
  sshFingerprint: 'b7:2f:30:a0:2f:6c:58:6c:21:04:58:61:ba:06:3b:2f',
};

export const aSecret = { token };

export interface HetznerWorld {
  double: HetznerDouble;
  /** In front of the double. */
  proxy: FaultProxy;
  driver: Driver;
  aDriver: (limits?: RestDriverLimits, settings?: Partial<DriverSettings>) => Driver;
}

const quick = {
  callTimeoutSeconds: 600,
  waitSeconds: 600,
  orphanWaitSeconds: 600,
  firstPauseSeconds: 0.01,
};

/** For all tests of a file. */
export async function aHetznerWorld(): Promise<HetznerWorld> {
  const double = await startHetznerDouble();
  const { origin } = new URL(double.url);
  const proxy = await startFaultProxy(origin);
  afterEach(() => proxy.clear());
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await double.close();
  });
  const env = { MILLWRIGHT_HCLOUD_ENDPOINT: `${proxy.url}/v1` };
  const aDriver = (limits = {}, settings: Partial<DriverSettings> = {}): Driver =>
    createHetznerDriver(
      { env, allowsAmbientCredentials: false, ...settings },
      { ...quick, ...limits },
    );
  return { double, proxy, driver: aDriver(), aDriver };
}

export function hetznerRequest(name: string, more: Partial<CreateRequest> = {}): CreateRequest {
  return aRequest(name, { providerSpec: aSpec, secret: aSecret, userData: '#!/bin/sh\n', ...more });
}
