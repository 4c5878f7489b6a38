/** The services and doubles of three clouds make what their table says. */
import type { Driver } from '../../../../activities/drivers/driver.ts';
import { kubevirt } from '../../../../activities/front/providers/kubevirt.ts';
import { openstack } from '../../../../activities/front/providers/openstack.ts';
import type { ProviderTable } from '../../../../activities/front/providers/table.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import { vsphere } from '../../../../activities/front/providers/vsphere.ts';
import { startOpenStackDouble } from '../../../doubles/openstack/double.ts';
import { aRequest } from '../../drivers/a-request.ts';
import { aKubevirtWorld } from '../../drivers/kubevirt/kubevirt-world.ts';
import { aDriverFor, aSecret as ofStack } from '../../drivers/openstack/openstack-world.ts';
import { aVsphereWorld } from '../../drivers/vsphere/vsphere-world.ts';
import { defaultPool as pool } from './golden.ts';

const stack = await startOpenStackDouble();
afterAll(() => stack[Symbol.asyncDispose]());
const vcenter = await aVsphereWorld();
const host = await aKubevirtWorld();

interface Case {
  table: ProviderTable;
  driver: Driver;
  spec: Record<string, unknown>;
  /** What machine-controller would say of the instance. */
  providerID: RegExp;
}

const cases: Case[] = [
  {
    table: openstack,
    driver: aDriverFor(stack.url),
    spec: {
      identityEndpoint: ofStack.authURL,
      username: ofStack.username,
      password: ofStack.password,
      domainName: ofStack.domainName,
      tenantName: ofStack.tenantName,
      region: 'RegionOne',
      availabilityZone: 'nova',
      flavor: 'small',
      image: 'linux',
      network: 'workers',
      securityGroups: ['workers'],
      rootDiskSizeGB: '20',
    },
    providerID: /^openstack:\/\/\/[\da-f-]{36}$/,
  },
  {
    table: vsphere,
    driver: vcenter.aDriver(),
    spec: {
      username: 'user',
      password: 'pass',
      vsphereURL: 'https://vcenter.example.com',
      datacenter: 'DC0',
      templateVMName: 'DC0_C0_RP0_VM0',
      resourcePool: 'DC0_C0/Resources',
      datastore: 'LocalDS_0',
      networks: ['DC0_DVPG0'],
      cpus: 2,
    },
    providerID: /^vsphere:\/\/[\da-f-]{36}$/,
  },
  {
    table: kubevirt,
    driver: host.driver,
    spec: {
      clusterName: 'abc',
      auth: host.request('any').secret,
      virtualMachine: {
        template: {
          vcpus: { cores: 2 },
          memory: '4Gi',
          primaryDisk: { size: '8Gi', storageClassName: 'fast', osImage: 'https://x.example.com' },
          secondaryDisks: [{ size: '1Gi', storageClassName: 'fast' }],
        },
      },
    },
    providerID: /^kubevirt:\/\/of-theirs$/,
  },
];

test.each(cases)(
  '$table.cloudProvider makes, names and deletes an instance',
  async ({ table, driver, spec, providerID }) => {
    const { providerSpec, credentials, faults } = translate(table, spec, { pool, env: {} });
    expect(faults).toEqual([]);
    const userData = '#cloud-config\n';
    const asked = aRequest('of-theirs', { providerSpec, secret: credentials, userData });
    const made = await host.over((more) => driver.createInstance({ ...asked, ...more }));
    const theirs = table.providerIDBack?.(made.providerID) ?? made.providerID;
    expect(theirs).toMatch(providerID);
    const named = { ...asked, providerID: made.providerID };
    expect(table.providerID?.(theirs, providerSpec) ?? { value: theirs }).toEqual({
      value: made.providerID,
    });
    const listed = await driver.listInstances({ ...asked, namespace: 'shoot' });
    expect(listed.map((one) => one.providerID)).toEqual([made.providerID]);
    await host.over((more) => driver.deleteInstance({ ...named, ...more }));
    expect(await driver.describeInstance(named)).toBeUndefined();
  },
);
