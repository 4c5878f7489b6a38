/** A class with each field of Gardener's driver, on the wire. What it becomes: upstream.test.ts. */
import { instanceResource } from '../../../../activities/drivers/gcp/instance-resource.ts';
import type { GcpProviderSpec } from '../../../../activities/drivers/gcp/provider-spec.ts';
import { specOf } from '../../../../activities/drivers/gcp/validate.ts';
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

const request = gcpRequest('m-1', { providerSpec: full, userData: '#cloud-config\n' });
const built = instanceResource({ spec: specOf(full), project: 'a-project', request });

const int64 = new Set(['diskSizeGb', 'provisionedIops', 'provisionedThroughput']);

/** The SDK sends what is empty or leaves it out as it likes, and 64-bit numbers as texts. */
function onTheWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(onTheWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => !['{}', '[]'].includes(JSON.stringify(item)))
      .map(([name, item]) => [name, int64.has(name) ? String(item) : onTheWire(item)]),
  );
}

const world = await aSharedGcpWorld();

test('every field arrives as it was built, an explicit false too', async () => {
  await world.driver.createInstance(request);
  expect(onTheWire(world.double.cloud.instances[0]?.body)).toEqual(onTheWire(built));
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

test('an interface has an external address unless the class says otherwise, and IPv6 where its network may', () => {
  const [dual, ...single] = built.networkInterfaces ?? [];
  const external = { accessConfigs: [{ type: 'ONE_TO_ONE_NAT' }] };
  expect(dual).toMatchObject({ stackType: 'IPV4_IPV6', ipv6AccessType: 'EXTERNAL' });
  expect(dual).not.toHaveProperty('accessConfigs');
  expect(single).toMatchObject([external, external]);
  for (const one of single) expect(one).not.toHaveProperty('ipv6AccessType');
});

test('what a class does not ask for is sent as false', () => {
  const { canIpForward: _ip, deletionProtection: _protection, ...spec } = full;
  expect(instanceResource({ spec, project: 'p', request })).toMatchObject({
    canIpForward: false,
    deletionProtection: false,
  });
});
