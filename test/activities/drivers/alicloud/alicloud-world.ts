/** The driver against the double. */
import {
  createAlicloudDriver,
  type AlicloudDriverLimits,
} from '../../../../activities/drivers/alicloud/driver.ts';
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import {
  startAlicloudDouble,
  type AlicloudDouble,
  type DoubleOptions,
} from '../../../doubles/alicloud/double.ts';
import { aRequest } from '../a-request.ts';
import { quick } from '../small-clouds.ts';

export const region = 'eu-central-1';

/** What a class of Gardener's extension has. */
export const aSpec = {
  imageID: 'm-gw8iqj3z9vzpljm4v3ob',
  instanceType: 'ecs.g7.large',
  region,
  zoneID: `${region}a`,
  securityGroupID: 'sg-gw8abc',
  vSwitchID: 'vsw-gw8abc',
  systemDisk: { category: 'cloud_essd', size: 50 },
  instanceChargeType: 'PostPaid',
  internetChargeType: 'PayByTraffic',
  internetMaxBandwidthIn: 5,
  internetMaxBandwidthOut: 0,
  spotStrategy: 'NoSpot',
  tags: { 'kubernetes.io/cluster/shoot--a--b': '1', 'kubernetes.io/role/worker/shoot--a--b': '1' },
  keyPairName: 'shoot--a--b-ssh-publickey',
};

export const aSecret = {
  alicloudAccessKeyID: 'LTAI-canary-id',
  alicloudAccessKeySecret: 'canary-of-the-access-key',
};

const accessKeys = { 'LTAI-canary-id': 'canary-of-the-access-key' };

export interface AlicloudWorld {
  double: AlicloudDouble;
  driver: Driver;
  /** Another driver for the same cloud; `url`: of a proxy before it. */
  aDriver: (limits?: AlicloudDriverLimits, url?: string, allowsRetagging?: boolean) => Driver;
}

export async function anAlicloudWorld(
  options: Omit<DoubleOptions, 'accessKeys'> = {},
): Promise<AlicloudWorld> {
  const double = await startAlicloudDouble({ accessKeys, ...options });
  const aDriver: AlicloudWorld['aDriver'] = (limits, url = double.url, allowsRetagging = false) => {
    double.alsoCalled(new URL(url).host);
    const env = { MILLWRIGHT_ALICLOUD_ENDPOINT: url };
    const settings = { env, allowsAmbientCredentials: false, allowsRetagging };
    return createAlicloudDriver(settings, { ...quick, listedWithinSeconds: 0, ...limits });
  };
  return { double, aDriver, driver: aDriver() };
}

/** For all tests of a file. */
export async function aSharedAlicloudWorld(
  options: Omit<DoubleOptions, 'accessKeys'> = {},
): Promise<AlicloudWorld> {
  const world = await anAlicloudWorld(options);
  afterAll(() => world.double[Symbol.asyncDispose]());
  return world;
}

export function aliRequest(name: string, more: Partial<CreateRequest> = {}): CreateRequest {
  return aRequest(name, {
    providerSpec: aSpec,
    secret: aSecret,
    userData: '#!/bin/sh\n# canary-of-the-user-data\n',
    ...more,
  });
}
