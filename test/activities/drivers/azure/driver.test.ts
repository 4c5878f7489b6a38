/** The driver with Azure's SDKs, over TLS, against the double. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Driver } from '../../../../activities/drivers/driver.ts';
import type { AzureDouble } from '../../../doubles/azure/server.ts';
import type { Fault } from '../../../doubles/azure/faults.ts';
import {
  aDriver,
  aMachine,
  aSetting,
  aSpec,
  failureOf,
  living,
  partsOf,
  secret,
  someProperties,
  tags,
} from './a-machine.ts';

let double: AzureDouble;
let driver: Driver;
beforeAll(async () => {
  ({ double, driver } = await aSetting());
});
beforeEach(() => double.reset());
afterAll(() => double.close());

const vmPut =
  'put /subscriptions/33333333-3333-3333-3333-333333333333/resourcegroups/rg-1/providers/microsoft.compute/virtualmachines';

const writes = (): string[] =>
  double.calls
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path.split('/').slice(-2).join('/')}`);

/** As MCM's driver leaves them: without our tags, and without what deletes the parts along with the virtual machine. */
async function madeByMcm(name: string): Promise<void> {
  await driver.createInstance(aMachine(name));
  for (const resource of double.resources.all()) {
    if (resource.name.startsWith(name)) resource.tags = { ...tags };
  }
  const { storageProfile, networkProfile } = Object(vm(name)?.sent['properties']);
  for (const disk of [storageProfile.osDisk, ...storageProfile.dataDisks]) {
    disk.deleteOption = 'Detach';
  }
  networkProfile.networkInterfaces[0].properties.deleteOption = 'Detach';
}

function vm(name: string) {
  const { resources } = double;
  return resources.get(resources.idOf('rg-1', 'Microsoft.Compute/virtualMachines', name));
}

describe('create', () => {
  test('makes interface, disk of an image and virtual machine, and finds it the second time', async () => {
    const first = await driver.createInstance(aMachine('m'));
    expect(first).toEqual({
      providerID: 'azure:///westeurope/m',
      nodeName: 'm',
      addresses: [{ type: 'Hostname', address: 'm' }],
      isInitialized: true,
      found: false,
    });
    expect(living(double, 'm')).toEqual(partsOf('m'));
    expect(writes()).toEqual([
      'PUT agreements/current',
      'PUT networkInterfaces/m-nic',
      'PUT disks/m-tools-1-data-disk',
      'PUT virtualMachines/m',
    ]);
    expect(await driver.createInstance(aMachine('m'))).toEqual({ ...first, found: true });
    expect(double.resources.created.get('m')).toBe(1);
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

  test('two creates at once with one token make one virtual machine', async () => {
    const both = await Promise.allSettled([
      driver.createInstance(aMachine('m')),
      driver.createInstance(aMachine('m')),
    ]);
    expect(both.map(({ status }) => status)).toContain('fulfilled');
    await driver.createInstance(aMachine('m'));
    expect(living(double, 'm')).toEqual(partsOf('m'));
    expect(double.resources.created.get('m')).toBe(1);
  });

  test('a create that is under way is waited for by whoever asks again', async () => {
    double.faults.add({ kind: 'slow', match: vmPut, milliseconds: 1_200 });
    const hasty = aDriver(double, { waitSeconds: 0.7 });
    expect(await failureOf(hasty.createInstance(aMachine('m')))).toMatchObject({
      code: 'DeadlineExceeded',
      settled: false,
      message: expect.stringContaining('not done within 0.7 s'),
    });
    expect(await driver.createInstance(aMachine('m'))).toMatchObject({ found: true });
    expect(vm('m')?.provisioningState).toBe('Succeeded');
    expect(double.resources.created.get('m')).toBe(1);
  });

  test('a virtual machine that is on its way down is waited for, and made anew', async () => {
    await driver.createInstance(aMachine('m'));
    double.faults.add({ kind: 'slow', match: 'delete ', milliseconds: 900 });
    await aDriver(double, { waitSeconds: 0.5 })
      .deleteInstance(aMachine('m'))
      .catch(() => undefined);
    expect(vm('m')?.provisioningState).toBe('Deleting');
    expect(await driver.createInstance(aMachine('m'))).toMatchObject({ found: false });
    expect(living(double, 'm')).toEqual(partsOf('m'));
  });

  test('a virtual machine whose provisioning failed, and which runs, is taken', async () => {
    const failing: Fault = { kind: 'failOperation', match: vmPut, code: 'OSProvisioningTimedOut' };
    double.faults.add({ ...failing, runs: true });
    expect(await failureOf(driver.createInstance(aMachine('m')))).toMatchObject({ settled: false });
    expect(await driver.createInstance(aMachine('m'))).toMatchObject({ found: true });
    expect(double.resources.created.get('m')).toBe(1);
  });

  test('with a providerID it never creates', async () => {
    const request = aMachine('m', { providerID: 'azure:///westeurope/other' });
    expect(await failureOf(driver.createInstance(request))).toEqual({
      code: 'NotFound',
      settled: true,
      message: 'instance azure:///westeurope/other does not exist',
    });
    expect(writes()).toEqual([]);
    const bad = aMachine('m', { providerID: 'aws:///eu/i-1' });
    expect(await failureOf(driver.createInstance(bad))).toMatchObject({
      code: 'InvalidArgument',
      message: 'spec.providerID: "aws:///eu/i-1" is not of the form azure:///LOCATION/NAME',
    });
  });

  test('a providerID is enough to adopt an instance of another cluster and token', async () => {
    const { providerID } = await driver.createInstance(aMachine('m'));
    const moved = aMachine('m', { providerID, cluster: 'cluster-2', token: 'other' });
    expect(await driver.createInstance(moved)).toMatchObject({ providerID, found: true });
  });

  test('an instance that MCM made is adopted', async () => {
    await madeByMcm('m');
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
    double.resources.remove(vm('m')?.id ?? '');
    const other = aMachine('m', { token: 'other', cluster: 'cluster-2' });
    expect(await failureOf(driver.createInstance(other))).toMatchObject({
      code: 'AlreadyExists',
      message: expect.stringContaining('network interface m-nic exists and is not of this cluster'),
    });
    expect(living(double, 'm')).toContain('Microsoft.Network/networkInterfaces m-nic');
  });

  test('a bad spec makes nothing, and does not hide an instance that exists', async () => {
    const bad = aMachine('m', { providerSpec: aSpec({ subnetInfo: {} }) });
    expect(await failureOf(driver.createInstance(bad))).toEqual({
      code: 'InvalidArgument',
      kind: 'input',
      settled: true,
      message:
        'providerSpec.subnetInfo.vnetName is missing; providerSpec.subnetInfo.subnetName is missing',
    });
    await driver.createInstance(aMachine('m'));
    expect(await driver.createInstance(bad)).toMatchObject({ found: true });
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

  test('user data that is longer than Azure takes is refused before anything is made', async () => {
    const request = aMachine('m', { userData: 'x'.repeat(65_536) });
    expect(await failureOf(driver.createInstance(request))).toMatchObject({
      code: 'InvalidArgument',
      message: expect.stringContaining('65536 bytes are more than 65535'),
    });
  });
});

describe('failures', () => {
  test.each<{ name: string; fault: Fault; is: object }>([
    {
      name: 'throttling',
      fault: { kind: 'throttle', seconds: 7, match: vmPut, code: 'OperationNotAllowed' },
      is: { code: 'Unavailable', kind: 'throttling', settled: false, retryAfterSeconds: 7 },
    },
    {
      name: 'quota',
      fault: {
        kind: 'refuse',
        match: vmPut,
        status: 409,
        code: 'OperationNotAllowed',
        message:
          'Operation could not be completed as it results in exceeding approved Total Regional Cores quota.',
      },
      is: { code: 'ResourceExhausted', kind: 'quota', settled: true },
    },
    {
      name: 'no capacity, at once',
      fault: { kind: 'refuse', match: vmPut, status: 409, code: 'SkuNotAvailable' },
      is: { code: 'ResourceExhausted', kind: 'capacity', settled: true },
    },
    {
      name: 'no capacity, found out later',
      fault: { kind: 'failOperation', match: vmPut, code: 'ZonalAllocationFailed' },
      is: {
        code: 'ResourceExhausted',
        kind: 'capacity',
        settled: true,
        message: 'Azure: create virtual machine m: ZonalAllocationFailed: on purpose',
      },
    },
    {
      name: 'an operation that failed for reasons that nobody knows',
      fault: { kind: 'failOperation', match: vmPut, code: 'SomethingNew' },
      is: { code: 'Unknown', settled: true },
    },
    {
      name: 'no permission',
      fault: { kind: 'refuse', match: vmPut, status: 403, code: 'AuthorizationFailed' },
      is: { code: 'PermissionDenied', kind: 'credentials', settled: true },
    },
    {
      name: 'trouble of Azure',
      fault: { kind: 'refuse', match: vmPut, status: 503, code: 'ServiceUnavailable' },
      is: { code: 'Unavailable', settled: false },
    },
    {
      name: 'something else at work',
      fault: { kind: 'refuse', match: vmPut, status: 409, code: 'AnotherOperationInProgress' },
      is: { code: 'Aborted', settled: false },
    },
    {
      name: 'a look that is refused',
      fault: { kind: 'refuse', status: 403, code: 'AuthorizationFailed' },
      is: { code: 'PermissionDenied', settled: false },
    },
    {
      name: 'a subscription that is not there is not an instance that is not there',
      fault: { kind: 'refuse', status: 404, code: 'SubscriptionNotFound' },
      is: { code: 'PermissionDenied', kind: 'credentials', settled: false },
    },
    {
      name: 'an answer that never comes',
      fault: { kind: 'hang', match: vmPut },
      is: {
        code: 'DeadlineExceeded',
        settled: false,
        message: 'Azure: create virtual machine m: no answer within 1 s',
      },
    },
    {
      name: 'a broken connection',
      fault: { kind: 'cut' },
      is: { code: 'Unavailable', settled: false },
    },
  ])('$name', async ({ fault, is }) => {
    double.faults.add(fault);
    const hasty = aDriver(double, { callSeconds: 1 });
    const failure = await failureOf(hasty.createInstance(aMachine('m')));
    expect(failure).toMatchObject(is);
    expect(JSON.stringify(failure)).not.toContain(secret.clientSecret);
    if (failure.settled) expect(living(double, 'm')).toEqual([]);
  });

  test('one call is one request: nothing is sent twice', async () => {
    double.faults.add({ kind: 'refuse', status: 503, code: 'ServerTimeout' });
    await failureOf(driver.describeInstance(aMachine('m')));
    double.faults.add({ kind: 'throttle', seconds: 0 });
    await failureOf(driver.describeInstance(aMachine('m')));
    expect(double.calls).toHaveLength(2);
  });

  test('a call that is cancelled ends at once, with an uncertain outcome', async () => {
    double.faults.add({ kind: 'hang', match: vmPut });
    const signal = AbortSignal.timeout(700);
    expect(await failureOf(driver.createInstance(aMachine('m', { signal })))).toMatchObject({
      code: 'Canceled',
      settled: false,
    });
  });

  test('what cannot be cleaned up is not settled', async () => {
    double.faults.add({ kind: 'failOperation', match: vmPut, code: 'AllocationFailed' });
    double.faults.add({
      kind: 'refuse',
      match: 'delete ',
      status: 500,
      code: 'InternalServerError',
    });
    expect(await failureOf(driver.createInstance(aMachine('m')))).toMatchObject({
      code: 'ResourceExhausted',
      settled: false,
      message: expect.stringContaining('and what was made is not all deleted yet'),
    });
    expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });

  test.each([
    { name: 'a wrong secret', more: { clientSecret: 'wrong' } },
    { name: 'another application', more: { clientID: '99999999-9999-9999-9999-999999999999' } },
  ])('$name is said to be wrong', async ({ more }) => {
    const request = aMachine('m', { secret: { ...secret, ...more } });
    expect(await failureOf(driver.createInstance(request))).toMatchObject({
      code: 'Unauthenticated',
      kind: 'credentials',
      settled: false,
      message: expect.stringContaining('AADSTS7000215'),
    });
  });

  test('credentials that were revoked are not tried from memory for ever', async () => {
    await driver.describeInstance(aMachine('m'));
    double.authority.revoke();
    expect(await failureOf(driver.describeInstance(aMachine('m')))).toMatchObject({
      code: 'Unauthenticated',
      kind: 'credentials',
    });
    double.authority.restore();
    expect(await driver.describeInstance(aMachine('m'))).toBeUndefined();
  });

  test('a Secret without credentials is told which keys are missing', async () => {
    expect(await failureOf(driver.createInstance(aMachine('m', { secret: {} })))).toMatchObject({
      code: 'Unauthenticated',
      kind: 'credentials',
      message: expect.stringContaining('clientID, tenantID, subscriptionID, clientSecret'),
    });
  });
});

describe('delete', () => {
  test('deletes all, and the second time there is nothing', async () => {
    await driver.createInstance(aMachine('m'));
    await driver.createInstance(aMachine('m-2'));
    expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm-2')).toEqual(partsOf('m-2'));
    expect(vm('m')).toBeUndefined();
    expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: false });
  });

  test('what MCM made goes with its interface and disks, and volumes of the cluster stay', async () => {
    await madeByMcm('m');
    const disks = Object(vm('m')?.sent['properties']).storageProfile.dataDisks;
    disks.push({ lun: 9, name: 'pvc-1', createOption: 'Attach', deleteOption: 'Detach' });
    const { resources } = double;
    const osDisk = resources.get(resources.idOf('rg-1', 'Microsoft.Compute/disks', 'm-os-disk'));
    const id = resources.idOf('rg-1', 'Microsoft.Compute/disks', 'pvc-1');
    if (osDisk) resources.put({ ...osDisk, id, name: 'pvc-1' });
    expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
    expect(living(double, 'pvc-1')).toEqual(['Microsoft.Compute/disks pvc-1']);
  });

  test('an interface that Azure keeps for a while is asked for again', async () => {
    await madeByMcm('m');
    const code = 'NicReservedForAnotherVm';
    const match = `delete ${vmPut.slice('put '.length).replace(/microsoft.*/, '')}microsoft.network`;
    double.faults.add({ kind: 'refuse', match, times: 2, code });
    expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });

  test('a resource group that is gone has nothing in it', async () => {
    const request = aMachine('m', { providerSpec: aSpec({ resourceGroup: 'gone' }) });
    expect(await driver.deleteInstance(request)).toEqual({ found: false });
  });

  test('needs no class that can be understood', async () => {
    await driver.createInstance(aMachine('m'));
    const request = aMachine('m', { providerSpec: aSpec({ properties: 3 }) });
    expect(await driver.deleteInstance(request)).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });

  test('by providerID, of whatever cluster', async () => {
    const { providerID } = await driver.createInstance(aMachine('old'));
    const request = aMachine('new', { providerID, cluster: 'cluster-2', token: 'other' });
    expect(await driver.deleteInstance(request)).toEqual({ found: true });
    expect(living(double, 'old')).toEqual([]);
  });

  test('while it is being made', async () => {
    double.faults.add({ kind: 'slow', match: vmPut, milliseconds: 1_200 });
    await aDriver(double, { waitSeconds: 0.7 })
      .createInstance(aMachine('m'))
      .catch(() => undefined);
    expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });
});

describe('list', () => {
  const request = () => ({ ...aMachine('any'), namespace: 'shoot' });

  test('shows the instances of one cluster and namespace, ordered, over many pages', async () => {
    const before = Date.now();
    await driver.createInstance(aMachine('b'));
    await driver.createInstance(aMachine('a'));
    await driver.createInstance(aMachine('x', { cluster: 'cluster-2' }));
    const machine = { namespace: 'elsewhere', name: 'y', uid: 'y' };
    await driver.createInstance(aMachine('y', { machine }));
    const listed = await driver.listInstances(request());
    expect(listed).toEqual([
      {
        providerID: 'azure:///westeurope/a',
        machineName: 'a',
        token: 'uid-of-a-0',
        createdAt: expect.any(Number),
      },
      {
        providerID: 'azure:///westeurope/b',
        machineName: 'b',
        token: 'uid-of-b-0',
        createdAt: expect.any(Number),
      },
    ]);
    expect(listed[0]?.createdAt).toBeGreaterThanOrEqual(before);
    expect(double.calls.filter(({ method }) => method === 'POST').length).toBeGreaterThan(3);
  });

  test('without permission for Resource Graph it reads the resource group', async () => {
    await driver.createInstance(aMachine('a'));
    await madeByMcm('b');
    const viaGraph = await driver.listInstances(request());
    const code = 'AccessDenied';
    double.faults.add({ kind: 'refuse', match: 'resourcegraph', status: 403, code });
    expect(await driver.listInstances(request())).toEqual(viaGraph);
    expect(viaGraph.map(({ machineName }) => machineName)).toEqual(['a', 'b']);
  });

  test('whoever sees only a part fails', async () => {
    await driver.createInstance(aMachine('a'));
    double.faults.add({ kind: 'cut', match: 'resourcegraph', skip: 1 });
    expect(await failureOf(driver.listInstances(request()))).toMatchObject({ code: 'Unavailable' });
  });

  test('an interface without a virtual machine stands under its name, and is deleted with the disks', async () => {
    await driver.createInstance(aMachine('m'));
    const gone = vm('m');
    double.resources.remove(gone?.id ?? '');
    for (const resource of double.resources.all()) delete resource.managedBy;
    const [orphan] = await driver.listInstances(request());
    expect(orphan).toMatchObject({ providerID: 'azure:///westeurope/m', machineName: 'm' });
    const other = { ...request(), providerID: 'azure:///westeurope/m' };
    // A class without these disks: their names come from the list.
    const { dataDisks: _, ...storageProfile } = someProperties.storageProfile;
    const providerSpec = aSpec({ properties: { ...someProperties, storageProfile } });
    expect(await driver.deleteListed({ ...other, providerSpec })).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
    expect(await driver.deleteListed({ ...other, providerSpec })).toEqual({ found: false });
  });

  test('what the index still shows is looked at directly before anything is deleted', async () => {
    await driver.createInstance(aMachine('m'));
    double.freezeGraph();
    await driver.deleteInstance(aMachine('m'));
    await driver.createInstance(aMachine('m', { cluster: 'cluster-2' }));
    const [stale] = await driver.listInstances(request());
    const deleting = { ...request(), providerID: stale?.providerID ?? '' };
    expect(await driver.deleteListed(deleting)).toEqual({ found: false });
    expect(living(double, 'm')).toEqual(partsOf('m'));
  });

  test('the scope is what the list depends on, beside the credentials', () => {
    const scope = driver.listScope(aSpec());
    expect(driver.listScope(aSpec({ subnetInfo: {} }))).toBe(scope);
    for (const other of [{ location: 'northeurope' }, { resourceGroup: 'rg-2' }, { tags: {} }]) {
      expect(driver.listScope(aSpec(other))).not.toBe(scope);
    }
    const cloudConfiguration = { name: 'AzureChina' };
    expect(driver.listScope(aSpec({ cloudConfiguration }))).not.toBe(scope);
  });
});

describe('the rest', () => {
  test('describe looks like create and makes nothing', async () => {
    expect(await driver.describeInstance(aMachine('m'))).toBeUndefined();
    const { providerID } = await driver.createInstance(aMachine('m'));
    expect(await driver.describeInstance(aMachine('m'))).toMatchObject({ providerID });
    expect(await driver.initializeInstance(aMachine('m'))).toMatchObject({ providerID });
    expect(await failureOf(driver.initializeInstance(aMachine('none')))).toMatchObject({
      code: 'NotFound',
    });
  });

  test('knows its volumes and passes over those of others', async () => {
    const csi = { driver: 'disk.csi.azure.com', volumeHandle: '/subscriptions/s/disks/pvc-1' };
    const other = { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-2' };
    const azureDisk = { diskName: 'pvc-3', diskURI: 'u' };
    const volumes = [{ csi }, { csi: other }, { azureDisk }, { hostPath: {} }];
    expect(await driver.volumeIds(volumes)).toEqual(['/subscriptions/s/disks/pvc-1', 'pvc-3']);
  });
});
