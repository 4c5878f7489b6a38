import { graphQuery } from '../../../../activities/drivers/azure/list.ts';
import { machineNameOf } from '../../../../activities/drivers/azure/names.ts';
import { isDiskOf } from '../../../../activities/drivers/azure/delete-parts.ts';
import { nameInProviderId } from '../../../../activities/drivers/azure/provider-id.ts';
import { isOurs } from '../../../../activities/drivers/azure/tags.ts';
import { tags } from './a-machine.ts';

describe('whose a resource is, by its name', () => {
  const disk = 'microsoft.compute/disks';
  const dataDisks = [{ name: 'tools', lun: 1 }, { lun: 0 }];
  test.each([
    { type: 'Microsoft.Compute/virtualMachines', name: 'M-1', is: 'm-1' },
    { type: 'Microsoft.Network/networkInterfaces', name: 'm-1-nic', is: 'm-1' },
    { type: 'Microsoft.Network/networkInterfaces', name: 'm-1', is: undefined },
    { type: 'Microsoft.Network/networkInterfaces', name: '-nic', is: undefined },
    { type: disk, name: 'm-1-os-disk', is: 'm-1' },
    { type: disk, name: 'm-1-tools-1-data-disk', is: 'm-1' },
    { type: disk, name: 'm-1-0-data-disk', is: 'm-1' },
    { type: disk, name: 'm-1-7-data-disk', is: 'm-1' },
    { type: disk, name: 'pvc-1', is: undefined },
    { type: 'microsoft.network/loadbalancers', name: 'm-1-nic', is: undefined },
  ])('$type $name', ({ type, name, is }) => {
    expect(machineNameOf({ type, name, tags: {} }, dataDisks)).toBe(is);
  });

  test('a data disk of another class: its tag says it, or what it is attached to', () => {
    const found = { type: disk, name: 'm-1-old-3-data-disk', tags: {} };
    expect(machineNameOf({ ...found, tags: { 'millwright.dev_machine': 'm-1' } })).toBe('m-1');
    const managedBy = '/subscriptions/s/providers/Microsoft.Compute/virtualMachines/M-1';
    expect(machineNameOf({ ...found, managedBy })).toBe('m-1');
  });
});

test('volumes of the cluster and disks of others are not disks of the machine', () => {
  expect(isDiskOf('m', 'M-os-disk')).toBe(true);
  expect(isDiskOf('m', 'm-tools-1-data-disk')).toBe(true);
  expect(isDiskOf('m', 'pvc-1')).toBe(false);
  expect(isDiskOf('m', 'm-pvc')).toBe(false);
});

describe('the name in a providerID', () => {
  const place = { subscriptionId: 'sub-1', resourceGroup: 'rg-1' };
  const vms = 'providers/Microsoft.Compute/virtualMachines';
  test.each([
    'azure:///westeurope/m-1',
    // Of the Node.
    `azure:///subscriptions/sub-1/resourceGroups/rg-1/${vms}/m-1`,
    `azure:///subscriptions/SUB-1/resourcegroups/RG-1/${vms.toLowerCase()}/m-1`,
  ])('%s', (providerID) => {
    expect(nameInProviderId(providerID, place)).toBe('m-1');
  });

  test.each([
    'azure:///subscriptions/s/m-1',
    'azure:///subscriptions/sub-1/resourceGroups/rg-1/providers/Microsoft.Compute/virtualMachineScaleSets/s/virtualMachines/0',
    'aws:///eu/i-1',
  ])('%s is of no form that it could have', (providerID) => {
    expect(() => nameInProviderId(providerID, place)).toThrow(
      `spec.providerID: "${providerID}" is not of the form azure:///LOCATION/NAME, or that of the Node`,
    );
  });

  test.each([
    `azure:///subscriptions/sub-2/resourceGroups/rg-1/${vms}/m-1`,
    `azure:///subscriptions/sub-1/resourceGroups/rg-2/${vms}/m-1`,
  ])('%s is elsewhere', (providerID) => {
    expect(() => nameInProviderId(providerID, place)).toThrow(
      'is not in subscription sub-1 and resource group rg-1, where the class makes its virtual machines',
    );
  });
});

describe('whose a resource is, by its tags', () => {
  const owner = { cluster: 'c', namespace: 'n', classTags: tags };
  const ours = { 'millwright.dev_cluster': 'c', 'millwright.dev_namespace': 'n' };
  test.each([
    { name: 'ours', of: ours, is: true },
    {
      name: 'ours, in the case of somebody else',
      of: { 'Millwright.Dev_Cluster': 'c', 'millwright.dev_Namespace': 'n' },
      is: true,
    },
    {
      name: 'of another cluster, with the tags of the class',
      of: { ...tags, ...ours, 'millwright.dev_cluster': 'd' },
      is: false,
    },
    { name: 'of another namespace', of: { ...ours, 'millwright.dev_namespace': 'x' }, is: false },
    { name: 'of MCM', of: tags, is: true },
    {
      name: 'of MCM for another cluster',
      of: { 'kubernetes.io-cluster-shoot--b': '1', 'kubernetes.io-role-node': '1' },
      is: false,
    },
    { name: 'nobody knows', of: undefined, is: false },
  ])('$name', ({ of, is }) => {
    expect(isOurs(of, owner)).toBe(is);
  });

  test('without tags in the class nothing of MCM is ours', () => {
    expect(isOurs(tags, { ...owner, classTags: {} })).toBe(false);
  });
});

test('a value in a query to Resource Graph cannot change the query', () => {
  const question = graphQuery({
    resourceGroup: String.raw`rg' or 1==1 or '\ `,
    classTags: { "kubernetes.io-cluster-a'b": '1', 'kubernetes.io-role-node': '1' },
  });
  expect(question).toContain(String.raw`| where resourceGroup =~ 'rg\' or 1==1 or \'\\ '`);
  expect(question).toContain(String.raw`tags['kubernetes.io-cluster-a\'b']`);
});
