/** The driver against the double. */
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import { createOpenStackDriver } from '../../../../activities/drivers/openstack/driver.ts';
import type { RestDriverLimits } from '../../../../activities/drivers/frame/rest-driver.ts';
import type { DriverSettings } from '../../../../activities/drivers/settings.ts';
import { startOpenStackDouble } from '../../../doubles/openstack/double.ts';
import type { DoubleOptions, OpenStackDouble } from '../../../doubles/openstack/double.ts';
import { aRequest } from '../a-request.ts';
import { quick } from '../small-clouds.ts';

export const tags = {
  'kubernetes.io-cluster-shoot--p--s': '1',
  'kubernetes.io-role-node': '1',
};

/** As gardener-extension-provider-openstack writes it. */
export const machineSpec = {
  region: 'RegionOne',
  availabilityZone: 'nova',
  flavorName: 'small',
  keyName: 'ssh',
  imageName: 'linux',
  networkID: 'net-1',
  subnetIDs: ['subnet-1'],
  podNetworkCIDRs: ['100.64.0.0/12'],
  securityGroups: ['workers'],
  tags,
};

export function aSpec(more: object = {}): object {
  return {
    apiVersion: 'openstack.machine.gardener.cloud/v1alpha1',
    kind: 'MachineProviderConfig',
    spec: { ...machineSpec, ...more },
  };
}

export const aSecret = {
  authURL: 'http://keystone.example/identity/v3',
  domainName: 'Default',
  tenantName: 'machines',
  username: 'machines',
  password: 'canary-password',
};

export function aDriverFor(
  url: string,
  limits: RestDriverLimits = {},
  settings: Partial<DriverSettings> = {},
): Driver {
  const env = { MILLWRIGHT_OPENSTACK_ENDPOINT: url };
  const all = { env, allowsAmbientCredentials: false, ...settings };
  return createOpenStackDriver(all, { ...quick, ...limits });
}

export interface OpenStackWorld {
  double: OpenStackDouble;
  driver: Driver;
}

/** For all tests of a file. */
export async function aSharedWorld(options: DoubleOptions = {}): Promise<OpenStackWorld> {
  const double = await startOpenStackDouble(options);
  afterAll(() => double[Symbol.asyncDispose]());
  return { double, driver: aDriverFor(double.url) };
}

export function openStackRequest(name: string, more: Partial<CreateRequest> = {}): CreateRequest {
  return aRequest(name, {
    providerSpec: aSpec(),
    secret: aSecret,
    userData: '#!/bin/sh\necho canary-user-data\n',
    ...more,
  });
}

/** All that the double holds of a Machine, in words. */
export function leftOf({ world }: OpenStackDouble, name: string): string[] {
  const kinds = { server: world.servers, port: world.ports, volume: world.volumes };
  return Object.entries(kinds).flatMap(([kind, held]) =>
    [...held.values()].flatMap(({ fields }) =>
      String(fields['name']).split('_')[0] === name ? [`${kind} ${String(fields['name'])}`] : [],
    ),
  );
}

export function serversOf({ world }: OpenStackDouble, name: string): Record<string, unknown>[] {
  return [...world.servers.values()]
    .map(({ fields }) => fields)
    .filter((one) => one['name'] === name);
}

/** Of the contract of all drivers. */
export const ofOpenStack = {
  absentProviderID: 'openstack:///RegionOne/00000000-0000-4000-8000-000000000000',
  badSpec: {
    providerSpec: aSpec({ flavorName: 3 }),
    message: 'Invalid value: providerSpec.spec.flavorName: 3 is not a string: put it in quotes',
  },
  brokenSpec: { spec: { region: 'RegionOne', networks: 3, tags: 'none', rootDiskSize: 'big' } },
  volumes: {
    specs: [
      { cinder: { volumeID: 'in-tree' } },
      { csi: { driver: 'cinder.csi.openstack.org', volumeHandle: 'by-csi' } },
    ],
    ids: ['in-tree', 'by-csi'],
  },
  createsAtOnce: 1 as const,
  remembersTokens: false,
};
