/** The double of each cloud, which refuses what its cloud does, makes what the front says. */
import type { Driver } from '../../../../activities/drivers/driver.ts';
import { alibaba } from '../../../../activities/front/providers/alibaba.ts';
import { aws } from '../../../../activities/front/providers/aws.ts';
import { azure } from '../../../../activities/front/providers/azure.ts';
import { digitalocean } from '../../../../activities/front/providers/digitalocean.ts';
import { gce } from '../../../../activities/front/providers/gce.ts';
import { hetzner } from '../../../../activities/front/providers/hetzner.ts';
import type { ProviderTable } from '../../../../activities/front/providers/table.ts';
import {
  aSecret as aliSecret,
  aSharedAlicloudWorld,
} from '../../drivers/alicloud/alicloud-world.ts';
import { aRequest } from '../../drivers/a-request.ts';
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import { aSharedEc2 } from '../../drivers/aws/ec2-world.ts';
import { aSharedSetting, secret as azureSecret } from '../../drivers/azure/a-machine.ts';
import { aDigitalOceanCloud } from '../../drivers/digitalocean/digitalocean-cloud.ts';
import { aHetznerCloud, aSecret } from '../../drivers/hetzner/hetzner-cloud.ts';
import { createdBy, deletedBy } from '../../drivers/following.ts';
import { aSecret as googleSecret, aSharedGcpWorld } from '../../drivers/gcp/gcp-world.ts';
import { PoolWorld } from '../pool-world.ts';
import { aTheirDeployment, aTheirTemplate, namespace, pool } from '../their-objects.ts';

const servers = await aHetznerCloud();
const droplets = await aDigitalOceanCloud();
const instances = await aSharedAlicloudWorld();
const ec2 = await aSharedEc2();
const virtualMachines = await aSharedSetting();
const google = await aSharedGcpWorld();

interface Case {
  table: ProviderTable;
  driver: Driver;
  spec: Record<string, unknown>;
  env: Record<string, string>;
  /** What machine-controller would say of the instance. */
  providerID: RegExp;
}

const cases: Case[] = [
  {
    table: hetzner,
    driver: servers.driver,
    spec: {
      serverType: 'cx32',
      datacenter: 'hel1-dc2',
      firewalls: ['38'],
      labels: { team: 'blue' },
      assignPublicIPv6: 'false',
    },
    env: { HZ_TOKEN: aSecret.token },
    providerID: /^hcloud:\/\/\d+$/,
  },
  {
    table: digitalocean,
    driver: droplets.driver,
    spec: { region: 'fra1', size: 's-2vcpu-4gb', backups: 'true', tags: ['env:prod'] },
    env: { DO_TOKEN: droplets.request('any').secret['token'] ?? '' },
    providerID: /^digitalocean:\/\/\d+$/,
  },
  {
    table: alibaba,
    driver: instances.driver,
    spec: {
      accessKeyID: aliSecret.alicloudAccessKeyID,
      accessKeySecret: aliSecret.alicloudAccessKeySecret,
      regionID: 'eu-central-1',
      instanceType: 'ecs.g7.large',
      vSwitchID: 'vsw-gw8abc',
      internetMaxBandwidthOut: '10',
      zoneID: 'eu-central-1a',
      diskType: 'cloud_essd',
      diskSize: '40',
    },
    env: { ALIBABA_IMAGE_ID: 'm-gw8iqj3z9vzpljm4v3ob', ALIBABA_SECURITY_GROUP_ID: 'sg-gw8abc' },
    providerID: /^eu-central-1\.i-\w+$/,
  },
  {
    table: aws,
    driver: createAwsDriver(ec2.settings),
    spec: {
      region: 'eu-west-1',
      subnetId: 'subnet-1',
      securityGroupIDs: ['sg-1'],
      instanceProfile: 'worker',
      instanceType: 'm5.large',
      ami: 'ami-1',
      diskSize: '50',
      isSpotInstance: true,
    },
    env: { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
    providerID: /^aws:\/\/\/eu-west-1\/i-\w+$/,
  },
  {
    table: azure,
    driver: virtualMachines.driver,
    spec: {
      ...azureSecret,
      location: 'westeurope',
      resourceGroup: 'rg-1',
      vmSize: 'Standard_D4s_v5',
      vnetName: 'vnet-1',
      subnetName: 'nodes',
      zones: ['2'],
      imageReference: { publisher: 'sap', offer: 'gardenlinux', sku: 'greatest', version: '1.2.3' },
      osDiskSize: 50,
      dataDiskSize: 20,
      dataDiskSKU: 'Premium_LRS',
      securityProfile: { securityType: 'TrustedLaunch', vTpmEnabled: true },
      enableBootDiagnostics: true,
    },
    env: {},
    providerID: /^azure:\/\/\/westeurope\/of-theirs$/,
  },
  {
    table: gce,
    driver: google.driver,
    spec: { zone: 'europe-west1-b', machineType: 'n2-standard-4', preemptible: 'true' },
    env: { GOOGLE_SERVICE_ACCOUNT: googleSecret.serviceAccountJSON },
    providerID: /^gce:\/\/a-project\/europe-west1-b\/of-theirs$/,
  },
];

/** The class and the Secret that the front makes of a template. */
async function classOf({ table: { cloudProvider }, spec, env }: Omit<Case, 'providerID'>) {
  const template = aTheirTemplate({ cloudProvider, cloudProviderSpec: spec });
  const world = new PoolWorld([aTheirDeployment({ spec: { template } })]);
  await world.aProcess(env).syncPool({ ref: { namespace, name: pool } });
  const { status } = await world.get('theirDeployment');
  expect(status?.conditions).toMatchObject([
    { type: 'Served', status: 'True' },
    { type: 'Translated', status: 'True' },
  ]);
  const [made] = await world.all('class');
  const [stored] = await world.all('secret');
  const secret = Object.fromEntries(
    Object.entries(Object(stored?.['data'])).map(([key, value]) => [
      key,
      Buffer.from(String(value), 'base64').toString(),
    ]),
  );
  return { providerSpec: made?.['providerSpec'], secret };
}

test.each(cases)(
  '$table.cloudProvider makes, names and deletes an instance',
  async ({ providerID, ...given }) => {
    const { table, driver } = given;
    const { providerSpec, secret } = await classOf(given);
    const asked = aRequest('of-theirs', { providerSpec, secret, userData: '#cloud-config\n' });
    const made = await createdBy(driver, asked);
    const theirs = table.providerIDBack?.(made.providerID) ?? made.providerID;
    expect(theirs).toMatch(providerID);
    const ours = table.providerID?.(theirs, Object(providerSpec)) ?? { value: theirs };
    expect(ours).toEqual({ value: made.providerID });
    const listed = await driver.listInstances({ ...asked, namespace: 'shoot' });
    expect(listed.map((one) => one.providerID)).toEqual([made.providerID]);
    expect(await deletedBy(driver, { ...asked, providerID: made.providerID })).toEqual({
      found: true,
    });
  },
);
