/** The double of each cloud, which refuses what its cloud does, makes what a table says. */
import type { Driver } from '../../../../activities/drivers/driver.ts';
import { alibaba } from '../../../../activities/front/providers/alibaba.ts';
import { digitalocean } from '../../../../activities/front/providers/digitalocean.ts';
import { hetzner } from '../../../../activities/front/providers/hetzner.ts';
import type { ProviderTable } from '../../../../activities/front/providers/table.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import {
  aSecret as aliSecret,
  aSharedAlicloudWorld,
} from '../../drivers/alicloud/alicloud-world.ts';
import { aRequest } from '../../drivers/a-request.ts';
import { aDigitalOceanCloud } from '../../drivers/digitalocean/digitalocean-cloud.ts';
import { aHetznerCloud, aSecret } from '../../drivers/hetzner/hetzner-cloud.ts';
import { defaultPool as pool } from './golden.ts';

const servers = await aHetznerCloud();
const droplets = await aDigitalOceanCloud();
const instances = await aSharedAlicloudWorld();

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
];

test.each(cases)(
  '$table.cloudProvider makes, names and deletes an instance',
  async ({ table, driver, spec, env, providerID }) => {
    const { providerSpec, credentials: secret, faults } = translate(table, spec, { pool, env });
    expect(faults).toEqual([]);
    const asked = aRequest('of-theirs', { providerSpec, secret, userData: '#cloud-config\n' });
    const made = await driver.createInstance(asked);
    const theirs = table.providerIDBack?.(made.providerID) ?? made.providerID;
    expect(theirs).toMatch(providerID);
    const ours = table.providerID?.(theirs, providerSpec) ?? { value: theirs };
    expect(ours).toEqual({ value: made.providerID });
    const listed = await driver.listInstances({ ...asked, namespace: 'shoot' });
    expect(listed.map((one) => one.providerID)).toEqual([made.providerID]);
    expect(await driver.deleteInstance({ ...asked, providerID: made.providerID })).toEqual({
      found: true,
    });
  },
);
