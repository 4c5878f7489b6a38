/** A driver in front of the double, and what it is asked. */
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import { createAzureDriver } from '../../../../activities/drivers/azure/driver.ts';
import type { Environment } from '../../../../activities/drivers/settings.ts';
import type { Timing } from '../../../../activities/drivers/azure/session.ts';
import { application, startAzureDouble, subscription } from '../../../doubles/azure/server.ts';
import { type AzureDouble } from '../../../doubles/azure/double.ts';
import type { Resource } from '../../../doubles/azure/resources.ts';
import { aRequest } from '../a-request.ts';

export const secret = {
  clientID: application.clientId,
  clientSecret: application.clientSecret,
  tenantID: application.tenant,
  subscriptionID: subscription,
};

/** As the real ones, with quick pauses. No call ends for a busy machine. */
export const fastTiming: Timing = {
  callSeconds: 600,
  limitSeconds: 1_800,
  waitSeconds: 600,
  cleanUpSeconds: 600,
  listedWaitSeconds: 600,
  firstPauseSeconds: 0.003,
  longestPauseSeconds: 0.05,
  pollSeconds: 10,
  random: () => 0.5,
};

export interface Setting {
  double: AzureDouble;
  driver: Driver;
}

export async function aSetting(timing: Partial<Timing> = {}): Promise<Setting> {
  const double = await startAzureDouble({ pageSize: 2, operationMilliseconds: 4 });
  return { double, driver: aDriver(double, timing) };
}

/** For all tests of a file; each of them begins with an empty cloud. */
export async function aSharedSetting(): Promise<Setting> {
  const setting = await aSetting();
  beforeEach(() => setting.double.reset());
  afterAll(() => setting.double.close());
  return setting;
}

export function aDriver(
  double: AzureDouble,
  timing: Partial<Timing> = {},
  more: Environment = {},
): Driver {
  const env = {
    ...more,
    MILLWRIGHT_AZURE_ENDPOINT: double.url,
    MILLWRIGHT_AZURE_AUTHORITY: double.url,
    MILLWRIGHT_AZURE_CA_FILE: double.caFile,
  };
  const settings = { env, allowsAmbientCredentials: false };
  return createAzureDriver(settings, { ...fastTiming, ...timing });
}

export const tags = { 'kubernetes.io-cluster-shoot--a': '1', 'kubernetes.io-role-node': '1' };

/** The least that a class says, with two more disks, of which one has an image. */
export function aSpec(more: object = {}): Record<string, unknown> {
  return {
    location: 'westeurope',
    resourceGroup: 'rg-1',
    subnetInfo: { vnetName: 'vnet-1', subnetName: 'nodes' },
    tags,
    properties: someProperties,
    ...more,
  };
}

export const galleryImage = {
  id: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/a/images/b/versions/1.0.0',
};

export const someProperties = {
  hardwareProfile: { vmSize: 'Standard_D4s_v5' },
  zone: 2,
  osProfile: {
    adminUsername: 'core',
    linuxConfiguration: { disablePasswordAuthentication: true },
  },
  storageProfile: {
    imageReference: { urn: 'sap:gardenlinux:greatest:1.2.3' },
    osDisk: { createOption: 'FromImage', diskSizeGB: 50 },
    dataDisks: [
      { lun: 0, diskSizeGB: 20, storageAccountType: 'Premium_LRS' },
      {
        name: 'tools',
        lun: 1,
        diskSizeGB: 30,
        storageAccountType: 'Standard_LRS',
        imageRef: galleryImage,
      },
    ],
  },
};

export function aMachine(name: string, more: Partial<CreateRequest> = {}): CreateRequest {
  return aRequest(name, { providerSpec: aSpec(), secret, userData: '#cloud-config', ...more });
}

/** What a machine of `aSpec` consists of. */
export const partsOf = (name: string): string[] =>
  [
    `Microsoft.Compute/disks ${name}-0-data-disk`,
    `Microsoft.Compute/disks ${name}-os-disk`,
    `Microsoft.Compute/disks ${name}-tools-1-data-disk`,
    `Microsoft.Compute/virtualMachines ${name}`,
    `Microsoft.Network/networkInterfaces ${name}-nic`,
  ].toSorted();

/** What there is in the double of this machine. */
export function living({ resources }: AzureDouble, name: string): string[] {
  resources.advance();
  return resources
    .all()
    .filter((resource) => resource.name === name || resource.name.startsWith(`${name}-`))
    .map((resource) => `${resource.type} ${resource.name}`)
    .toSorted();
}

/** Parts of the double's `METHOD /path` of an interface and a virtual machine that are made. */
export const nicPut = `put /subscriptions/${subscription}/resourcegroups/rg-1/providers/microsoft.network/networkinterfaces`;
export const vmPut = `put /subscriptions/${subscription}/resourcegroups/rg-1/providers/microsoft.compute/virtualmachines`;

export function vmOf({ resources }: AzureDouble, name: string): Resource | undefined {
  return resources.get(resources.idOf('rg-1', 'Microsoft.Compute/virtualMachines', name));
}

/**
 * As MCM's driver leaves them: without our tags, and without what deletes the parts along with the
 * virtual machine.
 */
export async function madeByMcm({ double, driver }: Setting, name: string): Promise<void> {
  await driver.createInstance(aMachine(name));
  for (const resource of double.resources.all()) {
    if (resource.name.startsWith(name)) resource.tags = { ...tags };
  }
  const { storageProfile, networkProfile } = Object(vmOf(double, name)?.sent['properties']);
  for (const disk of [storageProfile.osDisk, ...storageProfile.dataDisks]) {
    disk.deleteOption = 'Detach';
  }
  networkProfile.networkInterfaces[0].properties.deleteOption = 'Detach';
}
