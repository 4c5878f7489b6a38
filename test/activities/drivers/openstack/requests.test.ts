/**
 * What is sent for classes as gardener-extension-provider-openstack 97400dd0 writes them, beside
 * what MCM's driver (machine-controller-manager-provider-openstack 07427c68) sends: read from its
 * source, as its build needs modules that are not to be had.
 */
import { macAddressOf } from '../../../../activities/drivers/openstack/port.ts';
import { createdBy } from '../following.ts';
import { startOpenStackDouble, type OpenStackDouble } from '../../../doubles/openstack/double.ts';
import { aDriverFor, aSpec, openStackRequest, tags } from './openstack-world.ts';

let double: OpenStackDouble;
beforeAll(async () => {
  double = await startOpenStackDouble();
});
afterAll(() => double[Symbol.asyncDispose]());

interface Sent {
  ports: Record<string, unknown>[];
  portTags: unknown[];
  volumes: Record<string, unknown>[];
  servers: Record<string, unknown>[];
}

/** Bodies, of a create for this class. */
async function sentFor(name: string, more: object): Promise<Sent> {
  double.asked.length = 0;
  await createdBy(
    aDriverFor(double.url),
    openStackRequest(name, { providerSpec: aSpec(more), userData: 'boot' }),
  );
  const of = (end: string): Record<string, unknown>[] =>
    double.asked.flatMap(({ path, body }) => (path.endsWith(end) ? [body] : []));
  return {
    ports: of('/ports').map(({ port }) => Object(port)),
    portTags: of('/tags').map((body) => body['tags']),
    volumes: of('/volumes').map(({ volume }) => Object(volume)),
    servers: of('/servers'),
  };
}

const ownTags = (name: string): string[] => [
  'millwright-cluster=cluster-1',
  'millwright-namespace=shoot',
  `millwright-machine=uid-of-${name}`,
  `millwright-token=uid-of-${name}-0`,
];

/** Which Gardener's driver does not send. */
const ownOfPort = (name: string): object => ({
  description: ownTags(name).join(' '),
  mac_address: macAddressOf(`uid-of-${name}-0`, 0),
});

const portId = expect.stringMatching(/^[0-9a-f-]{36}$/);

test('a single-stack class: what MCM sends, with tags, and with pod ranges in the create of the port', async () => {
  const { ports, portTags, servers, volumes } = await sentFor('one', {});
  expect(ports).toEqual([
    {
      // POST of MCM.
      name: 'one',
      network_id: 'net-1',
      fixed_ips: [{ subnet_id: 'subnet-1' }],
      security_groups: ['group-1'],
      // Its PUT, once the server runs.
      allowed_address_pairs: [{ ip_address: '100.64.0.0/12' }],
      ...ownOfPort('one'),
    },
  ]);
  expect(portTags).toEqual([[...Object.keys(tags), ...ownTags('one')]]);
  expect(servers).toEqual([
    {
      server: {
        name: 'one',
        flavorRef: '1',
        imageRef: '5d1b2b3c-0000-4000-8000-00000000000a',
        // MCM names the network beside the port, which Nova then ignores.
        networks: [{ port: portId }],
        security_groups: [{ name: 'workers' }],
        metadata: tags,
        user_data: Buffer.from('boot').toString('base64'),
        availability_zone: 'nova',
        key_name: 'ssh',
        tags: ownTags('one'),
      },
    },
  ]);
  expect(volumes).toEqual([]);
});

test('a dual-stack class: an address of each family, and all pod ranges on the port', async () => {
  const { ports } = await sentFor('dual', {
    subnetIDs: ['subnet-4', 'subnet-6'],
    podNetworkCIDRs: ['fd00:10::/64', '100.64.0.0/12'],
  });
  expect(ports).toEqual([
    {
      name: 'dual',
      network_id: 'net-1',
      fixed_ips: [{ subnet_id: 'subnet-4' }, { subnet_id: 'subnet-6' }],
      security_groups: ['group-1'],
      // MCM's second PUT takes the first range away again.
      allowed_address_pairs: [{ ip_address: '100.64.0.0/12' }, { ip_address: 'fd00:10::/64' }],
      ...ownOfPort('dual'),
    },
  ]);
});

test('a pool with all options of the worker: groups, volume type, server group, labels', async () => {
  const { ports, servers, volumes } = await sentFor('all', {
    imageName: undefined,
    imageID: 'image-1',
    securityGroups: ['workers'],
    additionalSecurityGroups: ['more'],
    rootDiskSize: 50,
    rootDiskType: 'fast',
    serverGroupID: 'server-group-1',
    useConfigDrive: true,
    tags: { ...tags, 'node.example.com/role': 'db' },
  });
  expect(ports).toMatchObject([{ security_groups: ['group-1', 'group-2'] }]);
  const metadata = { ...tags, 'node.example.com-role': 'db' };
  expect(volumes).toEqual([
    {
      name: 'all',
      size: 50,
      volume_type: 'fast',
      imageRef: 'image-1',
      availability_zone: 'nova',
      metadata: {
        ...metadata,
        'millwright-cluster': 'cluster-1',
        'millwright-namespace': 'shoot',
        'millwright-machine': 'uid-of-all',
        'millwright-token': 'uid-of-all-0',
      },
    },
  ]);
  expect(servers).toMatchObject([
    {
      server: {
        imageRef: 'image-1',
        metadata,
        config_drive: true,
        security_groups: [{ name: 'workers' }, { name: 'more' }],
        block_device_mapping_v2: [
          {
            uuid: portId,
            volume_size: 50,
            boot_index: 0,
            delete_on_termination: false,
            source_type: 'volume',
            destination_type: 'volume',
          },
        ],
      },
      'os:scheduler_hints': { group: 'server-group-1' },
    },
  ]);
});

test('a disk without a type is made by Nova, and goes with the server', async () => {
  const { servers, volumes } = await sentFor('disk', { rootDiskSize: 50 });
  expect(volumes).toEqual([]);
  expect(servers).toMatchObject([
    {
      server: {
        block_device_mapping_v2: [
          {
            uuid: '5d1b2b3c-0000-4000-8000-00000000000a',
            volume_size: 50,
            boot_index: 0,
            delete_on_termination: true,
            source_type: 'image',
            destination_type: 'volume',
          },
        ],
      },
    },
  ]);
});

test('a type without a size makes no volume, as with MCM', async () => {
  const { servers, volumes } = await sentFor('typed', { rootDiskType: 'fast' });
  expect(volumes).toEqual([]);
  expect(Object(servers[0]?.['server'])).not.toHaveProperty('block_device_mapping_v2');
});

test('an old class: one subnet, one pod range', async () => {
  const { ports } = await sentFor('old', {
    subnetIDs: undefined,
    subnetID: 'subnet-1',
    podNetworkCIDRs: undefined,
    podNetworkCidr: '100.96.0.0/11',
  });
  expect(ports).toMatchObject([
    {
      fixed_ips: [{ subnet_id: 'subnet-1' }],
      allowed_address_pairs: [{ ip_address: '100.96.0.0/11' }],
    },
  ]);
});

test('a class with networks: a port in each, and pod ranges where they belong', async () => {
  const { ports, servers } = await sentFor('nets', {
    networkID: undefined,
    subnetIDs: undefined,
    networks: [{ name: 'workers', podNetwork: true }, { id: 'net-2' }],
  });
  expect(ports).toMatchObject([
    { name: 'nets', network_id: 'net-1', allowed_address_pairs: [{ ip_address: '100.64.0.0/12' }] },
    { name: 'nets_1', network_id: 'net-2' },
  ]);
  expect(ports[1]).not.toHaveProperty('allowed_address_pairs');
  expect(servers).toMatchObject([{ server: { networks: [{ port: portId }, { port: portId }] } }]);
});

test('MAC addresses are local, differ for each network and token, and stay the same', () => {
  const some = ['a-0', 'a-1', 'b-0'].flatMap((token) =>
    [0, 1].map((index) => macAddressOf(token, index)),
  );
  expect(new Set(some).size).toBe(6);
  for (const mac of some) expect(mac).toMatch(/^fa(:[0-9a-f]{2}){5}$/);
  expect(macAddressOf('a-0', 0)).toBe(some[0]);
});
