/** Deleting and listing, with Azure's SDKs against the double. */
import { claimsOf, verdictOn } from '../../../../workflows/plan/safety/orphan-claims.ts';
import {
  aDriver,
  aMachine,
  aSharedSetting,
  aSpec,
  living,
  madeByMcm,
  nicPut,
  partsOf,
  someProperties,
  vmOf,
  vmPut,
} from './a-machine.ts';
import { failureOf } from '../failure-of.ts';
import { pendingOf } from '../following.ts';

const { double, driver } = await aSharedSetting();

describe('delete', () => {
  test('an instance of MCM goes with its interface and disks, and volumes of the cluster stay', async () => {
    await madeByMcm({ double, driver }, 'm');
    const disks = Object(vmOf(double, 'm')?.sent['properties']).storageProfile.dataDisks;
    disks.push({ lun: 9, name: 'pvc-1', createOption: 'Attach', deleteOption: 'Detach' });
    const { resources } = double;
    const osDisk = resources.get(resources.idOf('rg-1', 'Microsoft.Compute/disks', 'm-os-disk'));
    const id = resources.idOf('rg-1', 'Microsoft.Compute/disks', 'pvc-1');
    if (osDisk) resources.put({ ...osDisk, id, name: 'pvc-1' });
    expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
    expect(living(double, 'pvc-1')).toEqual(['Microsoft.Compute/disks pvc-1']);
  });

  test('an interface that something else is changing is asked for again when Azure says', async () => {
    const impatient = aDriver(double, { waitSeconds: 10 });
    await madeByMcm({ double, driver: impatient }, 'm');
    const details = [
      { code: 'RetryableErrorDueToAnotherOperation', message: 'An operation is updating it.' },
    ];
    const match = nicPut.replace('put ', 'delete ');
    const fault = { kind: 'throttle', match, code: 'RetryableError', details } as const;
    double.faults.add({ ...fault, seconds: 0 });
    double.faults.add({ ...fault, seconds: 14 });
    expect(await pendingOf(impatient.deleteInstance(aMachine('m')))).toMatchObject({
      message:
        'Azure: network interface m-nic cannot be deleted yet (RetryableErrorDueToAnotherOperation); it is asked for again',
      pollAfterSeconds: 14,
    });
    expect(await impatient.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });

  test('a resource group that is gone has nothing in it', async () => {
    const request = aMachine('m', { providerSpec: aSpec({ resourceGroup: 'gone' }) });
    expect(await driver.deleteInstance(request)).toEqual({ found: false });
  });

  test('a delete by providerID works from any cluster', async () => {
    const { providerID } = await driver.createInstance(aMachine('m'));
    const request = aMachine('m', { providerID, cluster: 'cluster-2', token: 'other' });
    expect(await driver.deleteInstance(request)).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });

  test('a delete works while the virtual machine is being made', async () => {
    double.faults.add({ kind: 'slow', match: vmPut, milliseconds: 1_200 });
    await aDriver(double, { waitSeconds: 0.2 })
      .createInstance(aMachine('m'))
      .catch(() => undefined);
    expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });
});

const request = () => ({ ...aMachine('any'), namespace: 'shoot' });

describe('list', () => {
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
    await madeByMcm({ double, driver }, 'b');
    const viaGraph = await driver.listInstances(request());
    const code = 'AccessDenied';
    double.faults.add({ kind: 'refuse', match: 'resourcegraph', status: 403, code });
    expect(await driver.listInstances(request())).toEqual(viaGraph);
    expect(viaGraph.map(({ machineName }) => machineName)).toEqual(['a', 'b']);
  });

  test('without Resource Graph nothing is in a resource group that is gone', async () => {
    const code = 'AccessDenied';
    double.faults.add({ kind: 'refuse', match: 'resourcegraph', status: 403, code });
    const gone = { ...request(), providerSpec: aSpec({ resourceGroup: 'gone' }) };
    expect(await driver.listInstances(gone)).toEqual([]);
  });

  test('without Resource Graph a list that Azure refuses says why', async () => {
    const refusal = { kind: 'refuse', status: 403, message: 'no right to read' } as const;
    double.faults.add({ ...refusal, match: 'resourcegraph', code: 'AccessDenied' });
    double.faults.add({ ...refusal, match: 'virtualmachines', code: 'AuthorizationFailed' });
    expect(await failureOf(driver.listInstances(request()))).toMatchObject({
      code: 'PermissionDenied',
      message:
        'Azure: list Microsoft.Compute/virtualMachines of resource group rg-1: AuthorizationFailed: no right to read',
    });
  });

  test('a list that is only a part fails', async () => {
    await driver.createInstance(aMachine('a'));
    double.faults.add({ kind: 'cut', match: 'resourcegraph', skip: 1 });
    expect(await failureOf(driver.listInstances(request()))).toMatchObject({ code: 'Unavailable' });
  });

  test('an interface without a virtual machine stands under its name, and is deleted with the disks', async () => {
    await driver.createInstance(aMachine('m'));
    const gone = vmOf(double, 'm');
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

  test('an instance that the index still shows is looked at directly before anything is deleted', async () => {
    await driver.createInstance(aMachine('m'));
    double.freezeGraph();
    await driver.deleteInstance(aMachine('m'));
    await driver.createInstance(aMachine('m', { cluster: 'cluster-2' }));
    const [stale] = await driver.listInstances(request());
    const deleting = { ...request(), providerID: stale?.providerID ?? '' };
    expect(await driver.deleteListed(deleting)).toEqual({ found: false });
    expect(living(double, 'm')).toEqual(partsOf('m'));
  });

  test('classes that spell the location differently take no instance of each other for an orphan', async () => {
    const providerSpec = aSpec({ location: 'West Europe' });
    const { providerID: idOfA } = await driver.createInstance(aMachine('a', { providerSpec }));
    const { providerID: idOfB } = await driver.createInstance(aMachine('b'));
    const machines = [
      { name: 'a', uid: 'uid-of-a', isDeleting: false, providerID: idOfA },
      { name: 'b', uid: 'uid-of-b', isDeleting: false, providerID: idOfB },
    ];
    for (const spec of [providerSpec, aSpec()]) {
      const listed = await driver.listInstances({ ...request(), providerSpec: spec });
      expect(listed.map(({ machineName }) => machineName)).toEqual(['a', 'b']);
      const verdicts = listed.map((instance) => verdictOn(instance, claimsOf(machines)));
      expect(verdicts).toEqual([{ kept: 'claimed' }, { kept: 'claimed' }]);
    }
    expect(driver.listScope(providerSpec)).toBe(driver.listScope(aSpec()));
  });

  test('instances have the spelling of their class, as MCM looks for it after the way back', async () => {
    const providerSpec = aSpec({ location: 'West Europe' });
    const { providerID } = await driver.createInstance(aMachine('ours', { providerSpec }));
    expect(providerID).toBe('azure:///West Europe/ours');
    const found = await driver.describeInstance(aMachine('ours', { providerSpec }));
    expect(found?.providerID).toBe(providerID);
    await madeByMcm({ double, driver }, 'm');
    const listed = await driver.listInstances({ ...request(), providerSpec });
    const ids = ['azure:///West Europe/m', 'azure:///West Europe/ours'];
    expect(listed.map((one) => one.providerID)).toEqual(ids);
    const adopted = await driver.describeInstance(aMachine('m', { providerSpec, token: 'new' }));
    expect(adopted?.providerID).toBe('azure:///West Europe/m');
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
