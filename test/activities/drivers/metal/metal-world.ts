/** The driver against the double, through the fault proxy. */
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import { createMetalDriver } from '../../../../activities/drivers/metal/driver.ts';
import type { DriverSettings } from '../../../../activities/drivers/settings.ts';
import {
  startMetalDouble,
  type MetalDouble,
  type MetalRules,
} from '../../../doubles/metal/double.ts';
import { aRequest } from '../a-request.ts';
import { startFaultProxy, type FaultProxy } from '../frame/fault-proxy.ts';

export const aSpec = {
  partition: 'fra-equ01',
  size: 'c1-xlarge-x86',
  image: 'ubuntu-24.04',
  project: 'b5f26a3b-9a4d-48db-a6b3-d1dd4ac4abec',
  network: '9c1d2f35-0f3a-4d4f-8f7d-2b6c2a6a7c11',
  tags: [
    'kubernetes.io/role=node',
    'cluster.metal-stack.io/id=5f9a4c1e-6f0e-4a1c-9d53-2c9e1ab0b9d4',
    'plain',
  ],
  sshKeys: ['ssh-ed25519 AAAA a@b'],
};

export const canaries = /canary-token|canary-user-data/;

export interface MetalWorld {
  double: MetalDouble;
  proxy: FaultProxy;
  aDriver: (settings?: Partial<DriverSettings>) => Driver;
  request: (name: string, more?: Partial<CreateRequest>) => CreateRequest;
}

const { partition, size, image, project, network } = aSpec;

/** For all tests of a file. */
export async function aMetalWorld(more: Partial<MetalRules> = {}): Promise<MetalWorld> {
  const rules = { token: 'canary-token', partition, size, image, project, network, ...more };
  const double = await startMetalDouble(rules);
  const proxy = await startFaultProxy(double.url);
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await double.close();
  });
  const secret = {
    metalAPIURL: `${proxy.url}/metal`,
    ...(rules.hmac === undefined ? { metalAPIKey: rules.token } : { metalAPIHMac: rules.hmac }),
  };
  const limits = { callTimeoutSeconds: 600, waitSeconds: 600, firstPauseSeconds: 0.01 };
  return {
    double,
    proxy,
    aDriver: (settings = {}) =>
      createMetalDriver({ env: {}, allowsAmbientCredentials: false, ...settings }, limits),
    request: (name, given = {}) =>
      aRequest(name, { providerSpec: aSpec, secret, userData: ' canary-user-data\n', ...given }),
  };
}
