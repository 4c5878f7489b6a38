import { createAnexiaDriver } from '../../../../activities/drivers/anexia/driver.ts';
import { validateProviderSpec } from '../../../../activities/drivers/anexia/validate.ts';
import { startAnexiaDouble } from '../../../doubles/anexia/double.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy, pendingOf } from '../following.ts';
import { aSmallCloud, describeSmallCloud } from '../small-clouds.ts';

const aSpec = {
  locationID: 'a-location',
  templateID: 't-2',
  cpus: 2,
  memory: 4_096,
  disks: [{ size: 40 }],
  networks: [{ vlan: 'a-vlan', prefixes: ['a-prefix'] }],
  sshPublicKey: 'ssh-ed25519 AAAA a@b',
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const canaries = new RegExp(
  ['canary-token', 'canary-user-data', base64('canary-user-data').slice(0, 16)].join('|'),
);

const double = await startAnexiaDouble({
  token: 'canary-token',
  location: 'a-location',
  vlan: 'a-vlan',
  prefix: 'a-prefix',
  templates: [
    { id: 't-1', name: 'Ubuntu 24.04', build: 'b9', bit: '64' },
    { id: 't-2', name: 'Ubuntu 24.04', build: 'b74', bit: '64' },
  ],
  memoryMax: 65_536,
});
const cloud = await aSmallCloud({
  double,
  createDriver: createAnexiaDriver,
  endpoint: 'MILLWRIGHT_ANEXIA_ENDPOINT',
  given: () => ({
    providerSpec: aSpec,
    secret: { token: 'canary-token' },
    userData: 'canary-user-data',
  }),
});
const { driver, aDriver, request } = cloud;
const countLiving = (name: string): number => double.named(name).length;
const isProvisioning = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'POST' && path.includes('/provisioning/vm.json');
const lastOrder = (): unknown => double.requests.findLast(isProvisioning)?.body;

describeSmallCloud(cloud, {
  countMade: double.countMade,
  countLiving,
  left: (name) => double.named(name).map(({ id }) => id),
  expectMade: ({ providerID, nodeName, addresses }, name) => {
    expect(providerID).toBe(`anexia://${double.named(name)[0]?.id}`);
    expect(nodeName).toBe(name);
    expect(addresses).toContainEqual({ type: 'InternalIP', address: expect.any(String) });
  },
  providerIDForm: 'anexia://ID',
  absentProviderID: 'anexia://00000000000000000000000000000000',
  badSpec: {
    providerSpec: { ...aSpec, cpus: 0 },
    message: 'Invalid value: providerSpec.cpus: 0 is not 1 or more',
  },
  brokenSpec: { cpus: 'many' },
  volumes: { specs: [], ids: [] },
  // Anexia takes any name, so two at once make two.
  createsAtOnce: 0,
  isSearch: ({ path }) => path.includes('/by_name.json'),
  isCreate: isProvisioning,
  isRemoval: ({ method }) => method === 'DELETE',
  canaries,
  absent: [
    [{ locationID: 'none' }, 'location does not exist'],
    [{ templateID: 'none' }, 'Validation failed; template: does not exist'],
    [{ networks: [{ vlan: 'none', prefixes: ['a-prefix'] }] }, 'vlan_identifier: does not exist'],
  ],
  refused: [
    [{ token: 'canary-token-2' }, 'Anexia: search machines: Error 401: Unauthorized'],
    [{}, 'the Secret of the MachineClass has no key token'],
  ],
});

describe('a create', () => {
  test('asks for what the class says, under a name that says whose it is', async () => {
    const providerSpec = {
      ...aSpec,
      cpuPerformanceType: 'high',
      disks: [
        { size: 40, performanceType: 'STD4' },
        { size: 100, performanceType: 'ENT6' },
      ],
      dnsServers: ['10.0.0.53'],
    };
    await createdBy(driver, request('whole', { providerSpec }));
    expect(lastOrder()).toEqual({
      hostname: expect.stringMatching(/^whole-[0-9a-f]{20}$/),
      memory_mb: 4_096,
      cpus: 2,
      cpu_performance_type: 'high',
      disk_gb: 40,
      disk_type: 'STD4',
      additional_disks: [{ gb: 100, type: 'ENT6' }],
      network: [{ nic_type: 'vmxnet3', vlan: 'a-vlan', ips: [expect.stringMatching(/^10\.1\./)] }],
      ssh: 'ssh-ed25519 AAAA a@b',
      script: base64('canary-user-data'),
      dns1: '10.0.0.53',
    });
  });

  test('takes the older fields, and the highest build of a template by its name', async () => {
    const { disks: _disks, networks: _networks, templateID: _id, ...rest } = aSpec;
    const providerSpec = { ...rest, template: 'Ubuntu 24.04', diskSize: 20, vlanID: 'a-vlan' };
    expect(validateProviderSpec(providerSpec)).toEqual([]);
    await createdBy(driver, request('older', { providerSpec }));
    expect(double.requests.findLast(isProvisioning)?.path).toMatch(/\/templates\/t-2$/);
    expect(lastOrder()).toMatchObject({ disk_gb: 20, network: [{ vlan: 'a-vlan' }] });
    await createdBy(
      driver,
      request('build', { providerSpec: { ...providerSpec, templateBuild: 'b9' } }),
    );
    expect(double.requests.findLast(isProvisioning)?.path).toMatch(/\/templates\/t-1$/);
    const absent = { ...providerSpec, template: 'Debian' };
    expect(await failureOf(createdBy(driver, request('debian', { providerSpec: absent })))).toEqual(
      {
        code: 'InvalidArgument',
        kind: 'input',
        settled: true,
        message:
          'Invalid value: providerSpec.template: location a-location has no template "Debian" of build latest',
      },
    );
  });

  test('whose task fails is reported in the words of the Engine, and leaves nothing', async () => {
    const providerSpec = { ...aSpec, memory: 70_000 };
    expect(await failureOf(createdBy(driver, request('big', { providerSpec })))).toEqual({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: true,
      message: expect.stringMatching(/^Anexia: task .* of instance big: not enough memory/),
    });
    expect(countLiving('big')).toBe(0);
  });

  test('that takes long goes on by its task, and orders once', async () => {
    const hasty = aDriver({ waitSeconds: 0 });
    const { message, checkpoint = '' } = await pendingOf(hasty.createInstance(request('slow')));
    expect(message).toBe('Anexia: instance slow is being made (operation)');
    expect(checkpoint).not.toMatch(canaries);
    expect(await createdBy(driver, request('slow', { checkpoint }))).toMatchObject({
      found: false,
    });
    expect(double.countMade('slow')).toBe(1);
  });

  test('of a Machine whose name is too long says so', async () => {
    const name = 'a'.repeat(43);
    expect(await failureOf(createdBy(driver, request(name)))).toMatchObject({
      code: 'InvalidArgument',
      message: expect.stringContaining('up to 42 lower-case letters'),
    });
  });
});

test('a machine without our digests belongs to no Machine of ours', async () => {
  await createdBy(driver, request('plain'));
  const [vm] = double.named('plain');
  if (vm) double.vms.push({ ...vm, id: 'f'.repeat(32), name: 'ABC123-plain' });
  const stranger = request('plain', { providerID: `anexia://${'f'.repeat(32)}` });
  expect(await driver.describeInstance(stranger)).toBeUndefined();
  expect(await deletedBy(driver, request('plain'))).toEqual({ found: true });
  expect(double.vms.map(({ id }) => id)).toContain('f'.repeat(32));
});

test('addresses are reserved one after the other', async () => {
  const names = ['r-1', 'r-2', 'r-3'];
  await Promise.all(names.map((name) => createdBy(driver, request(name))));
  const ips = names.map((name) => double.named(name)[0]?.definition.network[0]?.ips[0]);
  expect(new Set(ips).size).toBe(3);
});

describe('what is refused', () => {
  test.each([
    [{ disks: undefined }, 'exactly one of disks and diskSize is needed'],
    [{ vlanID: 'x' }, 'exactly one of networks and vlanID is needed'],
    [{ templateID: undefined }, 'templateID or template is needed'],
    [{ networks: [{ vlan: 'x' }] }, 'none of them has prefixes'],
    [{ disks: [{ size: 1 }, { size: 1 }] }, 'disks[1].performanceType is missing'],
    [{ dnsServers: ['1', '2', '3', '4', '5'] }, 'a list of at most 4 of them'],
  ])('a class with %j', (more, words) => {
    const spec: unknown = JSON.parse(JSON.stringify({ ...aSpec, ...more }));
    expect(validateProviderSpec(spec)).toEqual([expect.stringContaining(words)]);
  });
});
