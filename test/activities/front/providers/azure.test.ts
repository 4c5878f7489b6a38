import { validateProviderSpec } from '../../../../activities/drivers/azure/validate.ts';
import { azure } from '../../../../activities/front/providers/azure.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import { checkTable, defaultPool } from './golden.ts';

const account = { subscriptionID: 'sub', tenantID: 'tenant', clientID: 'client' };

const least = {
  ...account,
  clientSecret: 'a-client-secret',
  location: 'westeurope',
  resourceGroup: 'workers',
  vmSize: 'Standard_D4s_v5',
  vnetName: 'net',
  subnetName: 'nodes',
  zones: ['2'],
  osDiskSize: 50,
};
const inGroup = '/subscriptions/sub/resourceGroups/workers/providers/Microsoft.Compute';

checkTable('azure', azure, {
  validate: validateProviderSpec,
  fields: [
    'subscriptionID',
    'tenantID',
    'clientID',
    'clientSecret',
    'location',
    'resourceGroup',
    'vnetResourceGroup',
    'vmSize',
    'vnetName',
    'subnetName',
    'loadBalancerSku',
    'routeTableName',
    'availabilitySet',
    'assignAvailabilitySet',
    'securityGroupName',
    'zones',
    'imagePlan.name',
    'imagePlan.publisher',
    'imagePlan.product',
    'imageReference.publisher',
    'imageReference.offer',
    'imageReference.sku',
    'imageReference.version',
    'enableAcceleratedNetworking',
    'enableBootDiagnostics',
    'imageID',
    'osDiskSize',
    'osDiskSKU',
    'dataDiskSize',
    'dataDiskSKU',
    'assignPublicIP',
    'publicIPSKU',
    'tags',
    'securityProfile.securityType',
    'securityProfile.secureBootEnabled',
    'securityProfile.vTpmEnabled',
  ],
  said: {
    ...least,
    vnetResourceGroup: 'networks',
    loadBalancerSku: 'standard',
    routeTableName: 'routes',
    imagePlan: { name: 'a', publisher: 'b', product: 'c' },
    imageReference: { publisher: 'Canonical', offer: 'noble', sku: 'server', version: 'latest' },
    enableAcceleratedNetworking: true,
    enableBootDiagnostics: true,
    osDiskSKU: 'Premium_LRS',
    dataDiskSize: 100,
    dataDiskSKU: 'StandardSSD_LRS',
    publicIPSKU: 'standard',
    tags: { team: 'blue' },
    securityProfile: { securityType: 'TrustedLaunch', secureBootEnabled: true, vTpmEnabled: false },
  },
  refused: {
    ...account,
    clientSecret: 'a-client-secret',
    securityGroupName: 'workers',
    zones: ['1', '2'],
    availabilitySet: 'workers',
    dataDiskSize: 100,
    assignPublicIP: true,
  },
  providerIDs: [
    [`azure://${inGroup}/virtualMachines/x-1`, { value: 'azure:///westeurope/x-1' }],
    [
      'azure:///subscriptions/s/resourceGroups/b/providers/Microsoft.Compute/virtualMachines/x-1',
      {
        fault:
          '"azure:///subscriptions/s/resourceGroups/b/providers/Microsoft.Compute/virtualMachines/x-1" is not in resource group workers',
      },
    ],
    ['azure:///westeurope/x-1', { value: 'azure:///westeurope/x-1' }],
    ['azure:///x', { fault: '"azure:///x" is not the ID of a virtual machine' }],
  ],
});

const inSet = { ...least, zones: [], availabilitySet: 'as', imageID: '/images/1' };
const setId = `${inGroup}/availabilitySets/as`;

test.each([
  ['a set', inSet, setId],
  ['a set that is to be used', { ...inSet, assignAvailabilitySet: true }, setId],
  ['a set in an account of the process', { ...inSet, subscriptionID: '' }, setId],
  ['a zone', { ...inSet, zones: ['1'], assignAvailabilitySet: false }, undefined],
])('a place is given by %s', (_of, spec, id) => {
  const env = { AZURE_SUBSCRIPTION_ID: 'sub' };
  const { providerSpec, faults } = translate(azure, spec, { pool: defaultPool, env });
  expect([...faults, ...validateProviderSpec(providerSpec)]).toEqual([]);
  expect(Object(providerSpec['properties']).availabilitySet?.id).toBe(id);
});

test.each([
  ['flatcar', undefined, 'kinvolk:flatcar-container-linux-corevm-amd64:stable:4459.2.3'],
  ['rhel', '/images/1', undefined],
  ['ubuntu', undefined, undefined],
])('the image of %s where %s is given', (operatingSystem, imageID, urn) => {
  const pool = { ...defaultPool, operatingSystem };
  const made = translate(azure, { ...least, imageID }, { pool, env: {} });
  const { storageProfile } = Object(made.providerSpec['properties']);
  expect(storageProfile.imageReference?.urn).toBe(urn);
  expect(made.faults.length).toBe(urn === undefined && imageID === undefined ? 1 : 0);
});
