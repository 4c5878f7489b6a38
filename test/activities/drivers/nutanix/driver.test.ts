import { DriverPending } from '../../../../activities/drivers/driver.ts';
import { createNutanixDriver } from '../../../../activities/drivers/nutanix/driver.ts';
import { credentialsOf } from '../../../../activities/drivers/nutanix/credentials.ts';
import { validateProviderSpec } from '../../../../activities/drivers/nutanix/validate.ts';
import { startNutanixDouble } from '../../../doubles/nutanix/double.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy, pendingOf } from '../following.ts';
import { aSmallCloud, describeSmallCloud } from '../small-clouds.ts';

const aSpec = {
  clusterName: 'ncn-dev-sandbox',
  subnetName: 'vlan173',
  imageName: 'ubuntu-24.04',
  cpus: 2,
  memoryMB: 4_096,
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const canaries = new RegExp(
  [
    'canary-password',
    'canary-user-data',
    base64('someone:canary-password').slice(0, 24),
    base64('canary-user-data').slice(0, 16),
  ].join('|'),
);

const double = await startNutanixDouble({
  authorization: `Basic ${base64('someone:canary-password')}`,
  clusterName: aSpec.clusterName,
  subnetNames: ['vlan173', 'vlan174'],
  imageName: aSpec.imageName,
  projectName: 'a-project',
  memoryMib: 65_536,
  socketsMax: 16,
  pageMax: 3,
});
const secret = { username: 'someone', password: 'canary-password' };
const cloud = await aSmallCloud({
  double,
  createDriver: createNutanixDriver,
  endpoint: 'MILLWRIGHT_NUTANIX_ENDPOINT',
  given: () => ({ providerSpec: aSpec, secret, userData: 'canary-user-data' }),
});
const { driver, aDriver, request } = cloud;
const countLiving = (name: string): number => double.named(name).length;
const reference = (kind: string): object => {
  return { kind, uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) };
};
const removals = (): number => double.requests.filter(({ method }) => method === 'DELETE').length;
const lastCreate = (): unknown =>
  double.requests.findLast(({ method, path }) => method === 'POST' && path.endsWith('/vms'))?.body;

describeSmallCloud(cloud, {
  countMade: (name) => double.made.get(name) ?? 0,
  countLiving,
  left: (name) => double.named(name).map(({ uuid }) => uuid),
  expectMade: ({ providerID, nodeName }, name) => {
    expect(providerID).toBe(`nutanix://${double.named(name)[0]?.uuid}`);
    expect(nodeName).toBe(name);
  },
  providerIDForm: 'nutanix://UUID',
  absentProviderID: 'nutanix://00000000-0000-0000-0000-000000000000',
  badSpec: {
    providerSpec: { ...aSpec, cpus: 0 },
    message: 'Invalid value: providerSpec.cpus: 0 is not 1 or more',
  },
  brokenSpec: { cpus: 'many' },
  volumes: {
    specs: [{ csi: { driver: 'csi.nutanix.com', volumeHandle: 'NutanixVolumes-1' } }],
    ids: ['NutanixVolumes-1'],
  },
  // Nutanix takes any name, so two at once make two.
  createsAtOnce: 0,
  isSearch: ({ path }) => path.endsWith('/vms/list'),
  isCreate: ({ method, path }) => method === 'POST' && path.endsWith('/vms'),
  isRemoval: ({ method }) => method === 'DELETE',
  canaries,
  absent: [
    [{ clusterName: 'none' }, 'providerSpec.clusterName: there is no cluster "none"'],
    [{ subnetName: 'none' }, 'providerSpec.subnetName: there is no subnet "none"'],
    [{ imageName: 'none' }, 'providerSpec.imageName: there is no image "none"'],
    [{ projectName: 'none' }, 'providerSpec.projectName: there is no project "none"'],
  ],
  refused: [
    [
      { ...secret, password: 'canary-password-2' },
      'Nutanix: list vms: Error 401 AUTHENTICATION_REQUIRED: Authentication required.',
    ],
  ],
});

describe('a create', () => {
  test('asks for what the class says, by ids in place of names', async () => {
    const providerSpec = {
      ...aSpec,
      projectName: 'a-project',
      additionalSubnetNames: ['vlan174'],
      cpuCores: 4,
      cpuPassthrough: true,
      diskSize: 40,
      categories: { Environment: 'Production' },
    };
    await createdBy(driver, request('whole', { providerSpec }));
    expect(lastCreate()).toEqual({
      metadata: {
        kind: 'vm',
        categories: { Environment: 'Production' },
        project_reference: reference('project'),
      },
      spec: {
        name: 'whole',
        description:
          'millwright.dev/cluster=cluster-1 millwright.dev/namespace=shoot millwright.dev/token=uid-of-whole-0 millwright.dev/machine-uid=uid-of-whole',
        cluster_reference: reference('cluster'),
        resources: {
          power_state: 'ON',
          num_sockets: 2,
          num_vcpus_per_socket: 4,
          enable_cpu_passthrough: true,
          memory_size_mib: 4_096,
          nic_list: [
            { subnet_reference: reference('subnet') },
            { subnet_reference: reference('subnet') },
          ],
          disk_list: [
            {
              device_properties: {
                device_type: 'DISK',
                disk_address: { device_index: 0, adapter_type: 'SCSI' },
              },
              data_source_reference: reference('image'),
              disk_size_mib: 40_960,
            },
          ],
          guest_customization: {
            cloud_init: { user_data: base64('canary-user-data') },
          },
        },
      },
    });
  });

  test('takes user data that is no text', async () => {
    await createdBy(
      driver,
      request('bytes', { userData: '', userDataBytes: Buffer.from([31, 139]) }),
    );
    expect(JSON.stringify(lastCreate())).toContain('"user_data":"H4s="');
  });

  test('beyond the quota is quota', async () => {
    const providerSpec = { ...aSpec, cpus: 17 };
    expect(await failureOf(createdBy(driver, request('much', { providerSpec })))).toEqual({
      code: 'ResourceExhausted',
      kind: 'quota',
      settled: true,
      message:
        'Nutanix: create VM much: Error 422 QUOTA_EXCEEDED: The vcpus quota of the project is exceeded',
    });
  });

  test('for which no host has room ends as capacity, and leaves nothing', async () => {
    const providerSpec = { ...aSpec, memoryMB: 70_000 };
    expect(await failureOf(createdBy(driver, request('big', { providerSpec })))).toEqual({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: true,
      message: expect.stringContaining('NoHostResources'),
    });
    expect(countLiving('big')).toBe(0);
  });

  test('that takes long is pending in words that stay the same', async () => {
    const hasty = aDriver({ waitSeconds: 0 });
    const call = (): Promise<unknown> => hasty.createInstance(request('slow'));
    const first = await pendingOf(call());
    expect(first.message).toBe('Nutanix: instance slow is being made (PENDING)');
    expect((await pendingOf(call())).message).toBe(first.message);
    expect(await createdBy(hasty, request('slow'))).toMatchObject({ found: false });
    expect(double.made.get('slow')).toBe(1);
  });
});

describe('a deletion', () => {
  test('that takes long goes on by its task', async () => {
    await createdBy(driver, request('leaves'));
    const hasty = aDriver({ waitSeconds: 0 });
    const pending = await pendingOf(hasty.deleteInstance(request('leaves')));
    expect(pending).toBeInstanceOf(DriverPending);
    expect(pending.message).toMatch(/^Nutanix: instance leaves is being deleted \(operation/);
    const before = removals();
    const { checkpoint = '' } = pending;
    expect(await deletedBy(driver, request('leaves', { checkpoint }))).toEqual({ found: true });
    expect(removals()).toBe(before);
    expect(countLiving('leaves')).toBe(0);
  });
});

describe('credentials', () => {
  test.each([
    [{}, 'username and password'],
    [{ ...secret }, 'endpoint'],
    [{ ...secret, endpoint: 'https://prism.example.com' }, 'endpoint'],
    [{ ...secret, endpoint: 'prism.example.com@evil.example' }, 'endpoint'],
    [{ ...secret, endpoint: 'prism.example.com', port: 'x' }, 'port'],
  ])('of a Secret with the keys of %j are refused', (given, words) => {
    expect(() => credentialsOf(given, {})).toThrow(words);
  });

  test('have the usual port', () => {
    const { url, allowsAnyCertificate } = credentialsOf(
      { ...secret, endpoint: 'prism.example.com' },
      {},
    );
    expect([url.href, allowsAnyCertificate]).toEqual(['https://prism.example.com:9440/', false]);
  });
});

test('a class must not say where the password goes', () => {
  expect(validateProviderSpec(aSpec)).toEqual([]);
  expect(
    validateProviderSpec({ ...aSpec, endpoint: 'evil.example', proxyURL: 'http://evil' }),
  ).toEqual([
    'providerSpec.endpoint: it is a key of the Secret, and of no class',
    'providerSpec.proxyURL: the proxy is that of the worker, HTTPS_PROXY in its environment',
  ]);
});
