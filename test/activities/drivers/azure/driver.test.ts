/** The driver with Azure's SDKs, over TLS, against the double. */
import { gzipSync } from 'node:zlib';
import type { Fault } from '../../../doubles/azure/faults.ts';
import {
  aDriver,
  aMachine,
  aSharedSetting,
  aSpec,
  living,
  madeByMcm,
  partsOf,
  someProperties,
  tags,
  vmOf,
  vmPut,
} from './a-machine.ts';
import { describeDriverContract } from '../contract.ts';
import { failureOf } from '../failure-of.ts';
import { pendingOf } from '../following.ts';

const { double, driver } = await aSharedSetting();

const writes = (): string[] =>
  double.calls
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path.split('/').slice(-2).join('/')}`);

describeDriverContract({
  driver: () => driver,
  request: aMachine,
  countMade: (name) => double.resources.created.get(name) ?? 0,
  countLiving(name) {
    const parts = living(double, name);
    if (parts.length > 0) expect(parts).toEqual(partsOf(name));
    return parts.length > 0 ? 1 : 0;
  },
  expectMade(instance, name) {
    expect(instance).toEqual({
      providerID: `azure:///westeurope/${name}`,
      nodeName: name,
      addresses: [{ type: 'Hostname', address: name }],
      isInitialized: true,
      found: false,
    });
    expect(living(double, name)).toEqual(partsOf(name));
  },
  requestId: /^[\da-f-]{36}$/,
  absentProviderID: 'azure:///westeurope/other',
  badSpec: {
    providerSpec: aSpec({ subnetInfo: {} }),
    message:
      'Invalid value: providerSpec.subnetInfo.vnetName is missing; providerSpec.subnetInfo.subnetName is missing',
  },
  brokenSpec: aSpec({ properties: 3 }),
  volumes: {
    specs: [
      { csi: { driver: 'disk.csi.azure.com', volumeHandle: '/subscriptions/s/disks/pvc-1' } },
      { azureDisk: { diskName: 'pvc-3', diskURI: 'u' } },
    ],
    ids: ['/subscriptions/s/disks/pvc-1', 'pvc-3'],
  },
  createsAtOnce: 1,
  remembersTokens: false,
});

describe('create', () => {
  test('interface, disk of an image and virtual machine are made in this order', async () => {
    await driver.createInstance(aMachine('m'));
    expect(writes()).toEqual([
      'PUT agreements/current',
      'PUT networkInterfaces/m-nic',
      'PUT disks/m-tools-1-data-disk',
      'PUT virtualMachines/m',
    ]);
  });

  test('everything has the tags of the class and ours', async () => {
    await driver.createInstance(aMachine('m'));
    for (const resource of double.resources.all()) {
      expect(resource.tags).toEqual({
        ...tags,
        'millwright.dev_cluster': 'cluster-1',
        'millwright.dev_namespace': 'shoot',
        'millwright.dev_machine': 'm',
        'millwright.dev_machine-uid': 'uid-of-m',
        'millwright.dev_token': 'uid-of-m-0',
      });
    }
  });

  test('terms that are accepted already, or not to be looked at, are left alone', async () => {
    const { imageReference, ...storage } = someProperties.storageProfile;
    const skipping = { ...imageReference, skipMarketplaceAgreement: true };
    const properties = {
      ...someProperties,
      storageProfile: { ...storage, imageReference: skipping },
    };
    await driver.createInstance(aMachine('a', { providerSpec: aSpec({ properties }) }));
    expect(double.calls.filter(({ path }) => path.includes('MarketplaceOrdering'))).toEqual([]);
    // As Gardener's driver the image is not read, either: that may be forbidden.
    expect(double.calls.filter(({ path }) => /publishers/i.test(path))).toEqual([]);
    await driver.createInstance(aMachine('b'));
    await driver.createInstance(aMachine('c'));
    expect(writes().filter((write) => write === 'PUT agreements/current')).toHaveLength(1);
  });

  test('`latest` is the newest version that there is', async () => {
    const imageReference = { urn: 'sap:gardenlinux:greatest:latest' };
    const storageProfile = { ...someProperties.storageProfile, imageReference };
    const properties = { ...someProperties, storageProfile };
    await driver.createInstance(aMachine('m', { providerSpec: aSpec({ properties }) }));
    const looks = double.calls.filter(({ path }) => path.endsWith('/versions/1.2.3'));
    expect(looks).toHaveLength(1);
  });

  test('an operation that Azure does not name is seen by what becomes of the resource', async () => {
    double.faults.add({ kind: 'unnamed', match: 'put ', times: 9 });
    expect(await driver.createInstance(aMachine('m'))).toMatchObject({ found: false });
    expect(vmOf(double, 'm')?.provisioningState).toBe('Succeeded');
  });

  test('a virtual machine that is on its way down is waited for, and made anew', async () => {
    await driver.createInstance(aMachine('m'));
    double.faults.add({ kind: 'slow', match: 'delete ', milliseconds: 900 });
    await aDriver(double, { waitSeconds: 0.2 })
      .deleteInstance(aMachine('m'))
      .catch(() => undefined);
    expect(await driver.createInstance(aMachine('m'))).toMatchObject({ found: false });
    expect(double.resources.created.get('m')).toBe(2);
    expect(living(double, 'm')).toEqual(partsOf('m'));
  });

  test('a virtual machine whose provisioning failed, and which runs, is taken', async () => {
    const failing: Fault = { kind: 'failOperation', match: vmPut, code: 'OSProvisioningTimedOut' };
    double.faults.add({ ...failing, runs: true });
    expect(await failureOf(driver.createInstance(aMachine('m')))).toMatchObject({ settled: false });
    expect(await driver.createInstance(aMachine('m'))).toMatchObject({ found: true });
    expect(double.resources.created.get('m')).toBe(1);
  });

  test('the providerID of the Node is that of the Machine, too', async () => {
    const { id = '' } = (await driver.createInstance(aMachine('m'))) && { ...vmOf(double, 'm') };
    const request = aMachine('m', { providerID: `azure://${id}`, token: 'other' });
    expect(await driver.createInstance(request)).toMatchObject({
      providerID: `azure://${id}`,
      nodeName: 'm',
      found: true,
    });
    expect(await driver.describeInstance(request)).toMatchObject({
      nodeName: 'm',
      // Of its network interface.
      addresses: [
        { type: 'InternalIP', address: '10.0.0.4' },
        { type: 'Hostname', address: 'm' },
      ],
    });
    expect(await driver.deleteInstance(request)).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });

  test('user data that is not UTF-8 arrives byte by byte', async () => {
    const userDataBytes = gzipSync('#cloud-config');
    await driver.createInstance(aMachine('m', { userData: '', userDataBytes }));
    const { osProfile } = Object(vmOf(double, 'm')?.sent['properties']);
    expect(Buffer.from(osProfile.customData, 'base64').equals(userDataBytes)).toBe(true);
    const long = new Uint8Array(65_536).fill(255);
    const request = aMachine('n', { userData: '', userDataBytes: long });
    expect(await failureOf(driver.createInstance(request))).toMatchObject({
      code: 'InvalidArgument',
      message: expect.stringContaining('65536 bytes are more than 65535'),
    });
  });

  test('an instance that is known is adopted while a volume is attached to it', async () => {
    const { providerID } = await driver.createInstance(aMachine('m'));
    const vm = vmOf(double, 'm');
    if (vm) vm.provisioningState = 'Updating';
    const hasty = aDriver(double, { waitSeconds: 0 });
    expect(await hasty.createInstance(aMachine('m', { providerID }))).toMatchObject({
      found: true,
    });
    // Of one that is only found by its name nobody knows whether it was ever made.
    await pendingOf(hasty.createInstance(aMachine('m')));
  });

  test('an instance that MCM made is adopted', async () => {
    await madeByMcm({ double, driver }, 'm');
    expect(await driver.createInstance(aMachine('m', { token: 'other' }))).toMatchObject({
      found: true,
    });
  });

  test.each([
    { name: 'claimed', more: { token: 'other', isClaimed: async () => true } },
    { name: 'of another cluster', more: { token: 'other', cluster: 'cluster-2' } },
    {
      name: 'of another namespace',
      more: { token: 'other', machine: { namespace: 'elsewhere', name: 'm', uid: 'u' } },
    },
  ])('an instance of the name that is $name is left alone', async ({ more }) => {
    await driver.createInstance(aMachine('m'));
    expect(await failureOf(driver.createInstance(aMachine('m', more)))).toMatchObject({
      code: 'AlreadyExists',
      settled: true,
    });
    expect(await driver.deleteInstance(aMachine('m', more))).toEqual({ found: false });
    expect(living(double, 'm')).toEqual(partsOf('m'));
  });

  test('an interface of the name that is not ours is left alone', async () => {
    await driver.createInstance(aMachine('m'));
    double.resources.remove(vmOf(double, 'm')?.id ?? '');
    const other = aMachine('m', { token: 'other', cluster: 'cluster-2' });
    expect(await failureOf(driver.createInstance(other))).toMatchObject({
      code: 'AlreadyExists',
      message: expect.stringContaining('network interface m-nic exists and is not of this cluster'),
    });
    expect(living(double, 'm')).toContain('Microsoft.Network/networkInterfaces m-nic');
  });

  test('disks that an earlier virtual machine left are deleted, and the next attempt succeeds', async () => {
    await driver.createInstance(aMachine('m'));
    double.resources.remove(vmOf(double, 'm')?.id ?? '');
    for (const resource of double.resources.all()) delete resource.managedBy;
    const again = aMachine('m', { token: 'next' });
    expect(await failureOf(driver.createInstance(again))).toMatchObject({
      code: 'AlreadyExists',
      settled: true,
    });
    expect(living(double, 'm')).toEqual([]);
    expect(await driver.createInstance(again)).toMatchObject({ found: false });
    expect(living(double, 'm')).toEqual(partsOf('m'));
  });

  test.each([
    {
      name: 'a subnet',
      more: { subnetInfo: { vnetName: 'vnet-1', subnetName: 'none' } },
      message: 'get subnet none of network vnet-1 in resource group rg-1',
    },
    { name: 'a resource group', more: { resourceGroup: 'none' }, message: 'none' },
    {
      name: 'an image',
      more: {
        properties: {
          ...someProperties,
          storageProfile: {
            ...someProperties.storageProfile,
            imageReference: { urn: 'sap:gardenlinux:greatest:0.0.0' },
          },
        },
      },
      message: 'get image sap:gardenlinux:greatest:0.0.0 in westeurope',
    },
  ])('$name that does not exist is a fault of the class', async ({ more, message }) => {
    const request = aMachine('m', { providerSpec: aSpec(more) });
    expect(await failureOf(driver.createInstance(request))).toMatchObject({
      code: 'InvalidArgument',
      kind: 'input',
      settled: true,
      message: expect.stringContaining(message),
    });
  });
});
