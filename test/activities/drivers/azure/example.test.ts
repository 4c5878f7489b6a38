/**
 * The example in deploy/examples/clouds: it is valid, has every field of the schema, and each
 * stands in its place in what is sent.
 */
import { readFileSync } from 'node:fs';
import { ComputeManagementClient } from '@azure/arm-compute';
import { parseAllDocuments } from 'yaml';
import { planCredentials } from '../../../../activities/drivers/azure/credentials.ts';
import { imageDiskOf, nicOf, vmOf } from '../../../../activities/drivers/azure/resources.ts';
import { readSpec, validateProviderSpec } from '../../../../activities/drivers/azure/validate.ts';
import * as shapes from '../../../doubles/azure/shapes.ts';

const file = new URL('../../../../deploy/examples/clouds/azure.yaml', import.meta.url);
const text = readFileSync(file, 'utf8');
const documents = parseAllDocuments(text).map((document) => document.toJS());
const [secret, machineClass] = documents;
const { providerSpec } = machineClass;
const request = {
  cluster: 'c',
  machine: { namespace: 'shoot', name: 'm', uid: 'u' },
  token: 't',
  userData: '#cloud-config',
};
const blueprint = { spec: readSpec(providerSpec), request };
const ours = {
  'millwright.dev_cluster': 'c',
  'millwright.dev_namespace': 'shoot',
  'millwright.dev_machine': 'm',
  'millwright.dev_machine-uid': 'u',
  'millwright.dev_token': 't',
};
const nicId =
  '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/networkInterfaces/m-nic';
const diskId =
  '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/m-tools-1-data-disk';

test('the example class for Azure is valid, and so is its Secret', () => {
  expect(validateProviderSpec(providerSpec)).toEqual([]);
  const settings = { env: {}, allowsAmbientCredentials: false };
  expect(planCredentials(secret.stringData, settings)).toMatchObject({ kind: 'secret' });
});

test('the example class for Azure shows every field of the schema, if only in a comment', () => {
  const schemaFile = new URL(
    '../../../../activities/drivers/azure/provider-spec.schema.json',
    import.meta.url,
  );
  const fields = fieldsOf(JSON.parse(readFileSync(schemaFile, 'utf8')));
  const missing = fields.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  // Gardener has deprecated it, and nobody reads it.
  expect(missing).toEqual(['networkInterfaces']);
});

function fieldsOf(schema: { properties?: object; items?: object }): string[] {
  const own = Object.entries(schema.properties ?? {});
  const inner = [...own.map(([, value]) => value), ...(schema.items ? [schema.items] : [])];
  return [...new Set([...own.map(([name]) => name), ...inner.flatMap(fieldsOf)])];
}

test('the network interface of the example class for Azure has every field in its place', () => {
  expect(nicOf(blueprint, '/subnet')).toEqual({
    location: 'westeurope',
    tags: { ...providerSpec.tags, ...ours },
    enableIPForwarding: true,
    enableAcceleratedNetworking: true,
    ipConfigurations: [
      { name: 'm-nic', privateIPAllocationMethod: 'Dynamic', subnet: { id: '/subnet' } },
    ],
  });
});

test('the virtual machine of the example class for Azure has every field in its place', () => {
  const plan = { name: 'greatest', publisher: 'sap', product: 'gardenlinux' };
  expect(vmOf(blueprint, { nicId, diskIds: new Map([[1, diskId]]), plan })).toEqual({
    location: 'westeurope',
    tags: { ...providerSpec.tags, ...ours },
    plan,
    zones: ['2'],
    priority: 'Spot',
    evictionPolicy: 'Delete',
    billingProfile: { maxPrice: -1 },
    identity: {
      type: 'UserAssigned',
      userAssignedIdentities: { [providerSpec.properties.identityID]: {} },
    },
    securityProfile: {
      securityType: 'ConfidentialVM',
      uefiSettings: { vTpmEnabled: true, secureBootEnabled: true },
    },
    capacityReservation: {
      capacityReservationGroup: {
        id: providerSpec.properties.capacityReservation.capacityReservationGroupID,
      },
    },
    diagnosticsProfile: {
      bootDiagnostics: {
        enabled: true,
        storageUri: 'https://diagnostics.blob.core.windows.net/',
      },
    },
    hardwareProfile: { vmSize: 'Standard_D4s_v5' },
    osProfile: {
      computerName: 'm',
      adminUsername: 'core',
      customData: Buffer.from('#cloud-config').toString('base64'),
      linuxConfiguration: {
        disablePasswordAuthentication: true,
        ssh: {
          publicKeys: [
            {
              path: '/home/core/.ssh/authorized_keys',
              keyData: 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 admin',
            },
          ],
        },
      },
    },
    storageProfile: {
      imageReference: {
        publisher: 'sap',
        offer: 'gardenlinux',
        sku: 'greatest',
        version: '1.2.3',
      },
      osDisk: {
        name: 'm-os-disk',
        createOption: 'FromImage',
        diskSizeGB: 50,
        caching: 'ReadWrite',
        managedDisk: {
          storageAccountType: 'Premium_LRS',
          securityProfile: { securityEncryptionType: 'VMGuestStateOnly' },
        },
        deleteOption: 'Delete',
      },
      dataDisks: [
        {
          lun: 0,
          name: 'm-scratch-0-data-disk',
          createOption: 'Empty',
          diskSizeGB: 100,
          caching: 'None',
          managedDisk: { storageAccountType: 'StandardSSD_LRS' },
          deleteOption: 'Delete',
        },
        {
          lun: 1,
          name: 'm-tools-1-data-disk',
          createOption: 'Attach',
          caching: 'None',
          managedDisk: { id: diskId },
          deleteOption: 'Delete',
        },
      ],
      diskControllerType: 'SCSI',
    },
    networkProfile: { networkInterfaces: [{ id: nicId, primary: true, deleteOption: 'Delete' }] },
  });
});

test('the data disk of the example class for Azure has every field in its place', () => {
  const [, disk] = providerSpec.properties.storageProfile.dataDisks;
  expect(imageDiskOf(blueprint, disk, undefined)).toEqual({
    location: 'westeurope',
    tags: { ...providerSpec.tags, ...ours },
    sku: { name: 'Standard_LRS' },
    diskSizeGB: 20,
    zones: ['2'],
    creationData: {
      createOption: 'FromImage',
      galleryImageReference: {
        communityGalleryImageId: '/CommunityGalleries/GALLERY/Images/IMAGE/Versions/1.0.0',
      },
    },
  });
});

describe('on the wire', () => {
  test('the double knows every field that the SDK sends for it', async () => {
    const sent: unknown[] = [];
    const credential = { getToken: async () => ({ token: 't', expiresOnTimestamp: Infinity }) };
    const client = new ComputeManagementClient(credential, 's', {
      httpClient: {
        sendRequest: async (asked) => {
          sent.push(typeof asked.body === 'string' && JSON.parse(asked.body));
          return { request: asked, status: 200, headers: asked.headers, bodyAsText: '{}' };
        },
      },
    });
    const vm = vmOf(blueprint, { nicId, diskIds: new Map([[1, diskId]]) });
    await client.virtualMachines.createOrUpdate('g', 'm', vm).submitted();
    expect(sent.map((body) => shapes.virtualMachine(body, 'body'))).toEqual([undefined]);
  });
});
