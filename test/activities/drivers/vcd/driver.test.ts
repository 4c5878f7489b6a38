import { createVcdDriver } from '../../../../activities/drivers/vcd/driver.ts';
import { credentialsOf } from '../../../../activities/drivers/vcd/credentials.ts';
import { validateProviderSpec } from '../../../../activities/drivers/vcd/validate.ts';
import { startVcdDouble } from '../../../doubles/vcd/double.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy, pendingOf } from '../following.ts';
import { aSmallCloud, describeSmallCloud } from '../small-clouds.ts';

const aSpec = {
  vdc: 'a-vdc',
  vapp: 'nodes',
  catalog: 'a-catalog',
  template: 'ubuntu-24.04',
  networks: ['a-network'],
  cpus: 2,
  cpuCores: 1,
  memoryMB: 4_096,
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const canaries = new RegExp(
  [
    'canary-password',
    'canary-user-data',
    base64('someone@an-org:canary-password').slice(0, 28),
    base64('canary-user-data').slice(0, 16),
  ].join('|'),
);

const double = await startVcdDouble({
  authorization: `Basic ${base64('someone@an-org:canary-password')}`,
  vdc: aSpec.vdc,
  vapps: ['nodes', 'others'],
  networks: ['a-network', 'b-network'],
  catalog: aSpec.catalog,
  template: aSpec.template,
  brokenTemplate: 'broken',
  storageProfile: 'gold',
  memoryMax: 65_536,
  coresMax: 16,
});
const secret = { username: 'someone', password: 'canary-password', organization: 'an-org' };
const cloud = await aSmallCloud({
  double,
  createDriver: createVcdDriver,
  endpoint: 'MILLWRIGHT_VCD_ENDPOINT',
  given: () => ({ providerSpec: aSpec, secret, userData: 'canary-user-data' }),
});
const { driver, aDriver, request } = cloud;
const countLiving = (name: string): number => double.named(name).length;
const lastBody = (end: string): unknown =>
  double.requests.findLast(({ path }) => path.endsWith(end))?.body;

describeSmallCloud(cloud, {
  countMade: (name) => double.made.get(name) ?? 0,
  countLiving,
  left: (name) => double.named(name).map(({ uuid }) => uuid),
  expectMade: ({ providerID, nodeName, addresses }, name) => {
    const [vm] = double.named(name);
    expect(providerID).toBe(`vmware-cloud-director://urn:vcloud:vm:${vm?.uuid}`);
    expect([nodeName, vm?.status]).toEqual([name, 4]);
    expect(addresses).toContainEqual({ type: 'InternalIP', address: '10.1.2.3' });
  },
  providerIDForm: 'vmware-cloud-director://urn:vcloud:vm:UUID',
  absentProviderID: 'vmware-cloud-director://urn:vcloud:vm:00000000-0000-0000-0000-000000000000',
  badSpec: {
    providerSpec: { ...aSpec, cpus: 0 },
    message: 'Invalid value: providerSpec.cpus: 0 is not 1 or more',
  },
  brokenSpec: { vdc: aSpec.vdc, vapp: aSpec.vapp, cpus: 'many' },
  volumes: {
    specs: [{ csi: { driver: 'named-disk.csi.cloud-director.vmware.com', volumeHandle: 'pvc-1' } }],
    ids: ['pvc-1'],
  },
  uniqueness: 'name',
  // The other one finds the vApp busy, and is asked again.
  createsAtOnce: 1,
  isSearch: ({ method, path }) => method === 'GET' && path.includes('/vApp/vapp-'),
  isCreate: ({ path }) => path.endsWith('recomposeVApp'),
  isRemoval: ({ method, path }) => method === 'DELETE' || path.endsWith('undeploy'),
  canaries,
  absent: [
    [{ vapp: 'none' }, 'providerSpec.vapp: "none" is not to be seen in a-vdc'],
    [{ template: 'none' }, 'providerSpec.template: "none" is not to be seen in catalog a-catalog'],
    [{ storageProfile: 'none' }, 'providerSpec.storageProfile: "none" is not to be seen in a-vdc'],
    [{ networks: ['none'] }, 'no network none in the vApp'],
  ],
  refused: [
    [
      { ...secret, password: 'canary-password-2' },
      'VMware Cloud Director: log in: Error 401 UNAUTHORIZED: Authentication failed',
    ],
  ],
});

describe('a create', () => {
  test('asks in steps for what the class says', async () => {
    const providerSpec = {
      ...aSpec,
      networks: ['a-network', 'b-network'],
      ipAllocationMode: 'POOL',
      diskSizeGB: 40,
      storageProfile: 'gold',
    };
    await createdBy(driver, request('whole', { providerSpec }));
    const card = {
      isConnected: true,
      ipAddressAllocationMode: 'POOL',
      networkAdapterType: 'VMXNET3',
    };
    const description =
      'millwright.dev/cluster=cluster-1 millwright.dev/namespace=shoot millwright.dev/token=uid-of-whole-0 millwright.dev/machine-uid=uid-of-whole';
    const networkConnection = [
      { ...card, network: 'a-network', networkConnectionIndex: 0 },
      { ...card, network: 'b-network', networkConnectionIndex: 1 },
    ];
    expect(lastBody('recomposeVApp')).toEqual({
      name: 'nodes',
      description: 'of somebody',
      deploy: false,
      powerOn: false,
      sourcedItem: [
        {
          source: { href: expect.stringMatching(/^\/api\/vAppTemplate\/vm-/) },
          vmGeneralParams: { name: 'whole', description },
          instantiationParams: {
            section: [{ _type: 'NetworkConnectionSectionType', networkConnection }],
          },
          storageProfile: { href: expect.stringMatching(/^\/api\/vdcStorageProfile\//) },
        },
      ],
      allEULAsAccepted: true,
    });
    const property = { _type: 'ProductSectionProperty' };
    expect(lastBody('productSections')).toEqual({
      productSection: [
        {
          categoryOrProperty: [
            { ...property, key: 'disk.enableUUID', value: '1' },
            { ...property, key: 'instance-id', value: 'uid-of-whole-0' },
            { ...property, key: 'user-data', value: base64('canary-user-data') },
          ],
        },
      ],
    });
    expect(lastBody('reconfigureVm')).toEqual({
      name: 'whole',
      description: `${description} millwright.dev/configured=true`,
      section: [
        {
          _type: 'VmSpecSectionType',
          osType: 'ubuntu64Guest',
          numCpus: 2,
          numCoresPerSocket: 1,
          memoryResourceMb: { configured: 4_096 },
          modified: true,
          diskSection: { diskSettings: [{ diskId: '2000', sizeMb: 40_960, adapterType: '5' }] },
        },
        { _type: 'GuestCustomizationSectionType', enabled: true, computerName: 'whole' },
      ],
    });
  });

  test('for which no host has room is capacity, and its machine is deleted with the Machine', async () => {
    const providerSpec = { ...aSpec, memoryMB: 131_072 };
    expect(await failureOf(createdBy(driver, request('big', { providerSpec })))).toEqual({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: false,
      message: expect.stringContaining('insufficient memory'),
    });
    expect(await deletedBy(driver, request('big'))).toEqual({ found: true });
    expect(countLiving('big')).toBe(0);
  });

  test('whose copy fails leaves nothing once it is asked again', async () => {
    const providerSpec = { ...aSpec, template: 'broken' };
    const call = (): Promise<unknown> => createdBy(driver, request('torn', { providerSpec }));
    expect(await failureOf(call())).toMatchObject({ code: 'ResourceExhausted', settled: false });
    expect(await failureOf(call())).toMatchObject({ code: 'Aborted', settled: true });
    expect(countLiving('torn')).toBe(0);
  });

  test('that takes long is pending, and goes on by its task', async () => {
    const hasty = aDriver({ waitSeconds: 0 });
    const { message } = await pendingOf(hasty.createInstance(request('slow')));
    expect(message).toBe(
      'VMware Cloud Director: instance slow is being made (operation running, 40 %)',
    );
    expect(await createdBy(hasty, request('slow'))).toMatchObject({ isInitialized: true });
    expect(double.made.get('slow')).toBe(1);
  });
});

test('a machine is deleted although the class names another vApp by now', async () => {
  const { providerID } = await createdBy(driver, request('moved'));
  const providerSpec = { ...aSpec, vapp: 'others' };
  const asked = request('moved', { providerSpec, providerID });
  expect(await deletedBy(driver, asked)).toEqual({ found: true });
  expect(countLiving('moved')).toBe(0);
});

describe('credentials', () => {
  test('whose login has ended are used once more', async () => {
    const kept = aDriver();
    await kept.describeInstance(request('again'));
    double.endLogins();
    expect(await kept.describeInstance(request('again'))).toBeUndefined();
  });

  test.each([
    [{}, 'organization'],
    [{ ...secret }, 'url'],
    [{ ...secret, url: 'http://vcd.example.com' }, 'url'],
    [{ ...secret, url: 'https://someone@evil.example' }, 'url'],
    [{ organization: 'an-org', url: 'https://vcd.example.com' }, 'username and password'],
  ])('of a Secret with the keys of %j are refused', (given, words) => {
    expect(() => credentialsOf(given, {})).toThrow(words);
  });
});

test('a class must not say where the password goes', () => {
  expect(validateProviderSpec(aSpec)).toEqual([]);
  expect(validateProviderSpec({ ...aSpec, cpus: 3, cpuCores: 2 })).toEqual([
    'providerSpec.cpus: 3 is not a multiple of cpuCores, 2',
  ]);
  const faults = validateProviderSpec({ ...aSpec, url: 'https://evil.example' });
  expect(faults).toEqual(['providerSpec.url: it is a key of the Secret, and of no class']);
});
