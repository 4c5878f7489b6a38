/**
 * A class with every field of Gardener's driver, and the request that it becomes: built, and on the
 * wire.
 */
import { instanceResource } from '../../../../activities/drivers/gcp/instance-resource.ts';
import type { GcpProviderSpec } from '../../../../activities/drivers/gcp/provider-spec.ts';
import { specOf, validateProviderSpec } from '../../../../activities/drivers/gcp/validate.ts';
import { aSharedGcpWorld, gcpRequest } from './gcp-world.ts';

const zone = 'europe-west1-b';
const tags = ['shoot--a--b', 'kubernetes-io-cluster-shoot--a--b', 'kubernetes-io-role-node'];

const full: GcpProviderSpec = {
  canIpForward: true,
  deletionProtection: false,
  description: 'Machine of shoot a/b',
  disks: [
    {
      autoDelete: true,
      boot: true,
      sizeGb: 50,
      type: 'hyperdisk-balanced',
      image: 'projects/images/global/images/gardenlinux-1',
      labels: { name: 'shoot--a--b' },
      encryption: { kmsKeyName: ' projects/k ', kmsKeyServiceAccount: ' kms@a.iam ' },
      provisionedIops: 3_000,
      provisionedThroughput: 140,
      storagePool: 'projects/a/zones/z/storagePools/pool',
    },
    { type: 'SCRATCH', interface: 'NVME', sizeGb: 375, autoDelete: false },
    { type: 'pd-ssd', sizeGb: 100, autoDelete: false, encryption: { kmsKeyName: 'k' } },
  ],
  gpu: { acceleratorType: 'nvidia-tesla-t4', count: 2 },
  labels: { name: 'shoot--a--b', team: 'x' },
  machineType: 'n1-standard-4',
  metadata: [{ key: 'serial-port-enable', value: 'true' }, { key: 'empty' }],
  minCpuPlatform: 'Intel Skylake',
  networkInterfaces: [
    {
      network: 'shoot--a--b',
      subnetwork: 'nodes',
      disableExternalIP: true,
      stackType: 'IPV4_IPV6',
      ipv6accessType: 'EXTERNAL',
      ipCidrRange: '/24',
      subnetworkRangeName: 'pods',
    },
    { subnetwork: 'other', useAliasIPs: true, ipCidrRange: '/28' },
    { network: 'third', ipCidrRange: '/24', ipv6accessType: 'INTERNAL' },
  ],
  region: 'europe-west1',
  scheduling: { automaticRestart: false, onHostMaintenance: 'TERMINATE', preemptible: true },
  serviceAccounts: [
    { email: 'nodes@a.iam', scopes: ['https://www.googleapis.com/auth/compute'] },
    { email: 'default' },
  ],
  shieldedInstanceConfiguration: { secureBoot: true, vtpm: false, integrityMonitoring: false },
  advancedMachineFeatures: { enableNestedVirtualization: false },
  tags,
  zone,
};

const expected = {
  name: 'm-1',
  canIpForward: true,
  deletionProtection: false,
  description: 'Machine of shoot a/b',
  machineType: `zones/${zone}/machineTypes/n1-standard-4`,
  minCpuPlatform: 'Intel Skylake',
  tags: { items: tags },
  labels: {
    name: 'shoot--a--b',
    team: 'x',
    'millwright-cluster': 'cluster-1',
    'millwright-namespace': 'shoot',
    'millwright-machine-uid': 'uid-of-m-1',
    'millwright-token': 'uid-of-m-1-0',
  },
  metadata: {
    items: [
      { key: 'user-data', value: '#cloud-config\n' },
      { key: 'serial-port-enable', value: 'true' },
      { key: 'empty', value: '' },
    ],
  },
  disks: [
    {
      type: 'PERSISTENT',
      boot: true,
      autoDelete: true,
      diskEncryptionKey: { kmsKeyName: 'projects/k', kmsKeyServiceAccount: 'kms@a.iam' },
      initializeParams: {
        diskSizeGb: 50,
        diskType: `zones/${zone}/diskTypes/hyperdisk-balanced`,
        sourceImage: 'projects/images/global/images/gardenlinux-1',
        labels: { name: 'shoot--a--b' },
        provisionedIops: 3_000,
        provisionedThroughput: 140,
        storagePool: 'projects/a/zones/z/storagePools/pool',
      },
    },
    {
      type: 'SCRATCH',
      boot: false,
      autoDelete: false,
      interface: 'NVME',
      initializeParams: { diskType: `zones/${zone}/diskTypes/local-ssd` },
    },
    {
      type: 'PERSISTENT',
      boot: false,
      autoDelete: false,
      diskEncryptionKey: { kmsKeyName: 'k' },
      initializeParams: { diskSizeGb: 100, diskType: `zones/${zone}/diskTypes/pd-ssd` },
    },
  ],
  networkInterfaces: [
    {
      network: 'projects/a-project/global/networks/shoot--a--b',
      subnetwork: 'regions/europe-west1/subnetworks/nodes',
      stackType: 'IPV4_IPV6',
      ipv6AccessType: 'EXTERNAL',
      aliasIpRanges: [{ ipCidrRange: '/24', subnetworkRangeName: 'pods' }],
    },
    {
      subnetwork: 'regions/europe-west1/subnetworks/other',
      accessConfigs: [{ type: 'ONE_TO_ONE_NAT' }],
      aliasIpRanges: [{ ipCidrRange: '/28' }],
    },
    {
      network: 'projects/a-project/global/networks/third',
      accessConfigs: [{ type: 'ONE_TO_ONE_NAT' }],
    },
  ],
  scheduling: { automaticRestart: false, onHostMaintenance: 'TERMINATE', preemptible: true },
  serviceAccounts: [
    { email: 'nodes@a.iam', scopes: ['https://www.googleapis.com/auth/compute'] },
    { email: 'default', scopes: [] },
  ],
  guestAccelerators: [
    {
      acceleratorType: `projects/a-project/zones/${zone}/acceleratorTypes/nvidia-tesla-t4`,
      acceleratorCount: 2,
    },
  ],
  shieldedInstanceConfig: {
    enableSecureBoot: true,
    enableVtpm: false,
    enableIntegrityMonitoring: false,
  },
  advancedMachineFeatures: { enableNestedVirtualization: false },
};

/** The SDK sends a map or leaves it out as it likes. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => JSON.stringify(item) !== '{}');
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutEmpty(item)]));
}

const request = gcpRequest('m-1', { providerSpec: full, userData: '#cloud-config\n' });

const world = await aSharedGcpWorld();

describe('every field', () => {
  test('every field is valid and in its place', () => {
    expect(validateProviderSpec(full)).toEqual([]);
    expect(instanceResource({ spec: specOf(full), project: 'a-project', request })).toEqual(
      expected,
    );
  });

  test('arrives: an explicit false too, and 64-bit numbers as texts', async () => {
    await world.driver.createInstance(request);
    const sent = world.double.cloud.instances[0]?.body;
    const { disks, ...rest } = expected;
    const [boot, scratch, data] = disks;
    expect(withoutEmpty(sent)).toEqual({
      ...rest,
      // Empty or absent is the same.
      serviceAccounts: [rest.serviceAccounts[0], { email: 'default' }],
      disks: [
        {
          ...boot,
          initializeParams: {
            ...boot?.initializeParams,
            diskSizeGb: '50',
            provisionedIops: '3000',
            provisionedThroughput: '140',
          },
        },
        scratch,
        { ...data, initializeParams: { ...data?.initializeParams, diskSizeGb: '100' } },
      ],
    });
  });
});

describe('fields that are left out', () => {
  const least: GcpProviderSpec = {
    machineType: 'e2-small',
    region: 'r',
    zone: 'z',
    disks: [{ boot: true, image: 'i', type: '', sizeGb: 0, provisionedIops: 0 }],
    networkInterfaces: [{ network: 'n', subnetwork: '', stackType: '' }],
    scheduling: { onHostMaintenance: 'MIGRATE' },
    tags,
    description: '',
    minCpuPlatform: '',
    shieldedInstanceConfiguration: { vtpm: false },
  };
  const resource = instanceResource({
    spec: least,
    project: 'p',
    request: { ...request, userData: '' },
  });

  test('omitted fields are not sent, or sent with the default of Gardener’s driver', () => {
    expect(resource).toMatchObject({
      canIpForward: false,
      deletionProtection: false,
      disks: [
        {
          type: 'PERSISTENT',
          boot: true,
          autoDelete: true,
          initializeParams: { sourceImage: 'i' },
        },
      ],
      metadata: { items: [] },
      scheduling: { automaticRestart: false, onHostMaintenance: 'MIGRATE' },
      shieldedInstanceConfig: { enableVtpm: false },
    });
    const absent = [
      'description',
      'minCpuPlatform',
      'guestAccelerators',
      'advancedMachineFeatures',
    ];
    for (const name of absent) expect(resource).not.toHaveProperty(name);
  });
});

test('a spot class gets a scheduling of Google for spot instances', () => {
  const spot = {
    onHostMaintenance: 'TERMINATE',
    provisioningModel: 'SPOT',
    instanceTerminationAction: 'DELETE',
  } as const;
  const spec = { ...full, scheduling: spot };
  expect(instanceResource({ spec, project: 'p', request }).scheduling).toEqual({
    ...spot,
    automaticRestart: false,
  });
});
