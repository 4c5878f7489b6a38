import { credentialsOf, signed } from '../../../../activities/drivers/metal/credentials.ts';
import { createMetalDriver } from '../../../../activities/drivers/metal/driver.ts';
import { validateProviderSpec } from '../../../../activities/drivers/metal/validate.ts';
import {
  startMetalDouble,
  type MetalDouble,
  type MetalRules,
} from '../../../doubles/metal/double.ts';
import { failureOf } from '../failure-of.ts';
import { aSmallCloud, describeSmallCloud, type SmallCloud } from '../small-clouds.ts';

const aSpec = {
  partition: 'fra-equ01',
  size: 'c1-xlarge-x86',
  image: 'ubuntu-24.04',
  project: 'b5f26a3b-9a4d-48db-a6b3-d1dd4ac4abec',
  network: '9c1d2f35-0f3a-4d4f-8f7d-2b6c2a6a7c11',
  tags: [
    'kubernetes.io/role=node',
    'cluster.metal-stack.io/id=5f9a4c1e-6f0e-4a1c-9d53-2c9e1ab0b9d4',
    'plain',
  ],
  sshKeys: ['ssh-ed25519 AAAA a@b'],
};

const { partition, size, image, project, network } = aSpec;

async function aMetalCloud(more: Partial<MetalRules> = {}): Promise<SmallCloud<MetalDouble>> {
  const rules = { token: 'canary-token', partition, size, image, project, network, ...more };
  const key =
    rules.hmac === undefined ? { metalAPIKey: rules.token } : { metalAPIHMac: rules.hmac };
  return await aSmallCloud({
    double: await startMetalDouble(rules),
    createDriver: createMetalDriver,
    given: (url) => ({
      providerSpec: aSpec,
      secret: { metalAPIURL: `${url}/metal`, ...key },
      userData: ' canary-user-data\n',
    }),
  });
}

const cloud = await aMetalCloud();
const { double, proxy, driver, aDriver, request } = cloud;
const countLiving = (name: string): number => double.allocatedTo(name).length;
const idOf = (name: string): string => double.allocatedTo(name)[0]?.id ?? 'none';
const isAllocation = ({ path }: { path: string }): boolean => path.endsWith('/allocate');
const tagsOf = (name: string): string[] => double.allocatedTo(name)[0]?.tags ?? [];

describeSmallCloud(cloud, {
  countMade: (name) => double.allocations.get(name) ?? 0,
  countLiving,
  left: (name) => double.allocatedTo(name).map(({ id }) => id),
  expectMade: ({ providerID, nodeName }, name) => {
    expect(providerID).toBe(`metal:///fra-equ01/${idOf(name)}`);
    expect(nodeName).toBe(name);
  },
  providerIDForm: 'metal:///PARTITION/UUID or metal://PARTITION/UUID',
  absentProviderID: 'metal:///fra-equ01/00000000-0000-0000-0000-000000000000',
  badSpec: {
    providerSpec: { ...aSpec, size: '' },
    message: 'Invalid value: providerSpec.size: "" is not a non-empty string',
  },
  brokenSpec: { project: aSpec.project, size: 3 },
  volumes: {
    specs: [
      {
        csi: {
          driver: 'csi.lightbitslabs.com',
          volumeHandle: 'mgmt:10.0.0.1:443|nguid:1f5a|proj:p|scheme:grpcs',
        },
      },
      { csi: { driver: 'csi.lightbitslabs.com', volumeHandle: 'odd' } },
    ],
    ids: ['1f5a', 'odd'],
  },
  // metal-stack knows no token and takes any name, so two at once make two.
  createsAtOnce: 0,
  isSearch: ({ path }) => path.endsWith('/find'),
  isCreate: isAllocation,
  isRemoval: ({ method }) => method === 'DELETE',
  canaries: /canary-token|canary-user-data/,
  absent: [
    [{ image: 'none' }, 'no image for id:none found'],
    [{ network: 'none' }, 'unable to gather networks'],
    [{ project: 'none' }, 'project not found'],
  ],
  refused: [
    [
      { ...request('x').secret, metalAPIKey: 'wrong' },
      'metal-stack: find machines: Error 401: no auth found',
    ],
  ],
});

describe('an allocation', () => {
  test("asks for what metal-stack's own driver asks for, and for our tags", async () => {
    await driver.createInstance(
      request('asks', {
        providerSpec: {
          ...aSpec,
          dnsServers: [{ ip: '10.0.0.53' }],
          ntpServers: [{ address: 'time.example.com' }],
        },
      }),
    );
    const sent = double.requests.findLast(({ path }) => path.endsWith('/allocate'));
    expect(sent?.body).toEqual({
      name: 'asks',
      hostname: 'asks',
      description: 'asks created by Millwright.',
      partitionid: 'fra-equ01',
      sizeid: 'c1-xlarge-x86',
      imageid: 'ubuntu-24.04',
      projectid: aSpec.project,
      networks: [{ networkid: aSpec.network, autoacquire: true }],
      tags: [
        ...aSpec.tags,
        'millwright.dev/cluster=cluster-1',
        'millwright.dev/namespace=shoot',
        'millwright.dev/token=uid-of-asks-0',
        'millwright.dev/machine-uid=uid-of-asks',
      ],
      placement_tags: ['cluster.metal-stack.io/id=5f9a4c1e-6f0e-4a1c-9d53-2c9e1ab0b9d4'],
      ssh_pub_keys: ['ssh-ed25519 AAAA a@b'],
      user_data: 'canary-user-data',
      dns_servers: [{ ip: '10.0.0.53' }],
      ntp_servers: [{ address: 'time.example.com' }],
    });
  });

  test('is found by a providerID as the cloud controller manager writes it', async () => {
    await driver.createInstance(request('by-node'));
    const providerID = `metal://fra-equ01/${idOf('by-node')}`;
    expect(await driver.createInstance(request('by-node', { providerID }))).toMatchObject({
      found: true,
      addresses: [
        { type: 'InternalIP', address: expect.stringMatching(/^10\.0\.0\./) },
        { type: 'Hostname', address: 'by-node' },
      ],
    });
  });

  test('that somebody locked is not freed', async () => {
    await driver.createInstance(request('locked'));
    const [machine] = double.allocatedTo('locked');
    if (machine) machine.isLocked = true;
    expect(await failureOf(driver.deleteInstance(request('locked')))).toMatchObject({
      code: 'FailedPrecondition',
      message: expect.stringContaining('machine locked is locked (kept for a look): unlock it'),
    });
    expect(countLiving('locked')).toBe(1);
  });

  test('of hardware that is of somebody else by now is left alone', async () => {
    const { providerID } = await driver.createInstance(request('before'));
    const [machine] = double.allocatedTo('before');
    await driver.deleteInstance(request('before', { providerID }));
    const id = machine?.id ?? '';
    double.hardware.sort((a, b) => Number(b.id === id) - Number(a.id === id));
    expect((await driver.createInstance(request('after'))).providerID).toBe(providerID);
    await failureOf(driver.deleteInstance(request('before', { providerID })));
    expect(countLiving('after')).toBe(1);
  });

  test("of metal-stack's driver for MCM is adopted by the tag of the cluster", async () => {
    await driver.createInstance(request('of-mcm'));
    const [machine] = double.allocatedTo('of-mcm');
    if (machine) machine.tags = [...aSpec.tags];
    expect(await driver.createInstance(request('of-mcm'))).toMatchObject({ found: true });
    const listed = await driver.listInstances({ ...request('any'), namespace: 'shoot' });
    expect(listed.map(({ machineName }) => machineName)).toContain('of-mcm');
    const foreign = { ...aSpec, tags: ['cluster.metal-stack.io/id=another'] };
    const others = request('any', { providerSpec: foreign, cluster: 'cluster-9' });
    expect(await driver.listInstances({ ...others, namespace: 'shoot' })).toEqual([]);
  });
});

test('retagging gives an adopted machine the tags of this cluster and keeps all others', async () => {
  const { providerID } = await driver.createInstance(request('moved', { cluster: 'old' }));
  const retagging = aDriver({}, { allowsRetagging: true });
  await retagging.createInstance(request('moved', { providerID, cluster: 'new' }));
  expect(tagsOf('moved')).toEqual(
    expect.arrayContaining([...aSpec.tags, 'millwright.dev/cluster=new']),
  );
  expect(tagsOf('moved')).not.toContain('millwright.dev/cluster=old');
});

describe('refusals of the API', () => {
  test('no machine is free: capacity', async () => {
    const full = await aMetalCloud({ machines: 0 });
    expect(await failureOf(full.driver.createInstance(full.request('none')))).toEqual({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: true,
      message: 'metal-stack: allocate machine none: Error 422: no machine available',
    });
  });

  test('the quota of the project is used up: quota', async () => {
    const full = await aMetalCloud({ quota: 0 });
    expect(await failureOf(full.driver.createInstance(full.request('none')))).toMatchObject({
      code: 'ResourceExhausted',
      kind: 'quota',
    });
  });

  test('any other 422, as trouble of the database, settles nothing', async () => {
    const text = JSON.stringify({ statuscode: 422, message: 'rethinkdb: connection was closed' });
    proxy.add({ matches: isAllocation, fault: { kind: 'answer', status: 422, text } });
    const failure = await failureOf(driver.createInstance(request('unsure')));
    proxy.clear();
    expect(failure).toMatchObject({ code: 'Unknown', settled: false });
  });
});

describe('credentials', () => {
  test('of the HMAC are taken by the API, whose check is that of its own library', async () => {
    const other = await aMetalCloud({ hmac: 'canary-hmac' });
    expect(await other.driver.createInstance(other.request('signed'))).toMatchObject({
      found: false,
    });
  });

  test('are signed as the test vectors of the scheme say', () => {
    const url = new URL('https://a.example');
    const headers = signed({ url, key: { kind: 'hmac', value: 'k' } }, 'GET');
    expect(headers).toEqual({
      'x-date': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      'x-data-salt': expect.stringMatching(/^[A-Za-z]{24}$/),
      authorization: expect.stringMatching(/^Metal-Admin [0-9a-f]{64}$/),
    });
  });

  test.each([
    [{}, 'metalAPIURL'],
    [{ metalAPIURL: 'file:///etc/passwd', metalAPIKey: 'k' }, 'metalAPIURL'],
    [{ metalAPIURL: 'https://a.example' }, 'exactly one of metalAPIHMac and metalAPIKey'],
    [
      { metalAPIURL: 'https://a.example', metalAPIKey: 'k', metalAPIHMac: 'h' },
      'exactly one of metalAPIHMac and metalAPIKey',
    ],
  ])('a Secret with %j is refused', (secret, words) => {
    expect(() => credentialsOf(secret)).toThrow(words);
  });
});

describe('the provider spec', () => {
  test('of a class as Gardener writes it is right', () => {
    expect(validateProviderSpec(aSpec)).toEqual([]);
  });

  test.each([
    [
      { ...aSpec, tags: ['a=b'] },
      'a list with a tag of the form cluster.metal-stack.io/id=CLUSTER',
    ],
    [{ ...aSpec, tags: [...aSpec.tags, 'millwright.dev/token=x'] }, 'are set by Millwright'],
    [{ ...aSpec, network: undefined }, 'providerSpec.network is missing'],
    [{ ...aSpec, dnsServers: [{}] }, 'providerSpec.dnsServers[0].ip is missing'],
  ])('is refused in one sentence', (spec, words) => {
    expect(validateProviderSpec(JSON.parse(JSON.stringify(spec)))).toEqual([
      expect.stringContaining(words),
    ]);
  });
});
