/** The driver over the wire, signed by the SDK, with the double on the other side. */
import { startFaultProxy } from '../frame/fault-proxy.ts';
import { describeKills } from '../frame/kills.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy, followed, pendingOf } from '../following.ts';
import { describeSmallCloud } from '../small-clouds.ts';
import { Refusal } from '../../../doubles/rest/refusal.ts';
import {
  aliRequest,
  anAlicloudWorld,
  aSharedAlicloudWorld,
  aSpec,
  region,
} from './alicloud-world.ts';

const world = await aSharedAlicloudWorld();
const { cloud } = world.double;
const proxy = await startFaultProxy(world.double.url);
afterAll(() => proxy[Symbol.asyncDispose]());
const isPost = ({ method }: { method: string }): boolean => method === 'POST';

const livingIn = ({ instances }: typeof cloud, name: string): number =>
  instances.filter((instance) => instance.name === name).length;

const behindProxy = {
  double: world.double,
  proxy,
  driver: world.driver,
  aDriver: (limits = {}) => world.aDriver(limits, proxy.url),
  request: aliRequest,
};

describeSmallCloud(behindProxy, {
  countMade: (name) => cloud.madeByName.get(name) ?? 0,
  countLiving: (name) => livingIn(cloud, name),
  expectMade: ({ providerID, nodeName, addresses }) => {
    expect(providerID).toMatch(/^eu-central-1\.i-gw8\d{17}$/);
    expect(nodeName).toBe(`izgw8${providerID.slice(-17)}z`);
    expect(addresses).toEqual([{ type: 'InternalIP', address: expect.stringMatching(/^10\./) }]);
  },
  providerIDForm: 'REGION.INSTANCEID',
  absentProviderID: `${region}.i-gw8absent`,
  badSpec: {
    providerSpec: { ...aSpec, vSwitchID: '' },
    message: 'Invalid value: providerSpec.vSwitchID: "" is not a non-empty string',
  },
  brokenSpec: { region, imageID: 7 },
  volumes: {
    specs: [
      { csi: { driver: 'diskplugin.csi.alibabacloud.com', volumeHandle: 'd-1' } },
      { flexVolume: { driver: 'alicloud/disk', options: { volumeId: 'd-2' } } },
    ],
    ids: ['d-1', 'd-2'],
  },
  spentMessage: /of this attempt does not exist any more: it was deleted/,
  requestId: /^R-\d{8}$/,
  remembersTokens: true,
  hasConsole: true,
  isSearch: ({ method }) => method === 'GET',
  isCreate: isPost,
  isRemoval: isPost,
  canaries: /canary-of|Y2FuYXJ5LW9m|UserData/,
  refused: [
    [
      { accessKeyID: 'LTAI' },
      'Secret of the MachineClass: it has no alicloudAccessKeySecret or accessKeySecret of ASCII characters',
    ],
    [
      { accessKeyID: 'LTAI-none', accessKeySecret: 'canary-of-another' },
      'InvalidAccessKeyId.NotFound',
    ],
  ],
});

describe('kills', () => {
  describe('of a process, at every call', () => {
    let slow: Awaited<ReturnType<typeof anAlicloudWorld>>;
    let slowProxy: Awaited<ReturnType<typeof startFaultProxy>>;
    beforeAll(async () => {
      slow = await anAlicloudWorld({ times: { pending: 1_000, starting: 1_000, stopping: 1_000 } });
      slowProxy = await startFaultProxy(slow.double.url);
    });
    afterAll(async () => {
      await slowProxy[Symbol.asyncDispose]();
      await slow.double[Symbol.asyncDispose]();
    });
    describeKills({
      proxy: () => slowProxy,
      aDriver: () => slow.aDriver({ waitSeconds: 0 }, slowProxy.url),
      request: aliRequest,
      countLiving: (name) => livingIn(slow.double.cloud, name),
      left: (name) => [
        ...slow.double.cloud.instances.flatMap((one) => (one.name === name ? [one.id] : [])),
        ...slow.double.cloud.disks.flatMap((disk) =>
          disk.name.startsWith(`${name}-`) ? [disk.name] : [],
        ),
      ],
      pass: () => slow.double.pass(700),
    });
  });
});

describe('a cloud that takes its time', () => {
  test('a create is pending in the same words as long as nothing changes, and then done', async () => {
    const slow = await anAlicloudWorld({ times: { unseen: 800, pending: 2_000, starting: 1_000 } });
    const driver = slow.aDriver({ waitSeconds: 0, listedWithinSeconds: 600 });
    const { answer, pendings } = await followed(
      (more) => driver.createInstance(aliRequest('slow', more)),
      () => slow.double.pass(500),
    );
    expect(answer).toMatchObject({ found: false });
    expect([...new Set(pendings.map(({ message }) => message))]).toEqual([
      'Alibaba Cloud: instance slow is being made (operation Pending)',
      'Alibaba Cloud: instance slow is being made (operation not listed yet)',
      'Alibaba Cloud: instance slow is being made (operation Starting)',
    ]);
    expect(slow.double.cloud.madeByName.get('slow')).toBe(1);
    await slow.double[Symbol.asyncDispose]();
  });

  test('a create without its checkpoint goes on by the name of the instance', async () => {
    const slow = await anAlicloudWorld({ times: { pending: 2_000, starting: 1_000 } });
    const driver = slow.aDriver({ waitSeconds: 0 });
    const { answer } = await followed(
      () => driver.createInstance(aliRequest('forgotten')),
      () => slow.double.pass(700),
    );
    expect(answer).toMatchObject({ found: true });
    expect(slow.double.cloud.madeByName.get('forgotten')).toBe(1);
    await slow.double[Symbol.asyncDispose]();
  });

  test('an instance that is on its way up is deleted once the cloud lets it', async () => {
    const slow = await anAlicloudWorld({
      times: { pending: 1_000, starting: 1_000, stopping: 1_000 },
    });
    const driver = slow.aDriver({ waitSeconds: 0 });
    await pendingOf(driver.createInstance(aliRequest('early')));
    const { pendings } = await followed(
      (more) => driver.deleteInstance(aliRequest('early', more)),
      () => slow.double.pass(400),
    );
    expect(slow.double.cloud.instances).toEqual([]);
    expect([...new Set(pendings.map(({ message }) => message))]).toEqual([
      'Alibaba Cloud: instance early is being deleted (Pending)',
      'Alibaba Cloud: instance early is being deleted (Starting)',
      'Alibaba Cloud: instance early is being deleted (Stopping)',
    ]);
    await slow.double[Symbol.asyncDispose]();
  });
});

describe('what ends right after it was made', () => {
  test.each([
    ['Stopped', 'NoSpot', { code: 'Aborted', settled: false }],
    ['Stopped', 'SpotAsPriceGo', { code: 'ResourceExhausted', kind: 'capacity', settled: false }],
    ['gone', 'NoSpot', { code: 'Aborted', settled: true }],
    ['gone', 'SpotAsPriceGo', { code: 'ResourceExhausted', kind: 'capacity', settled: true }],
  ] as const)('%s, %s: it is said as it is', async (is, spotStrategy, failure) => {
    const past = await anAlicloudWorld({ behind: 600_000, times: { pending: 1_000 } });
    const driver = past.aDriver({ waitSeconds: 0 });
    const request = aliRequest('dying', { providerSpec: { ...aSpec, spotStrategy } });
    const { checkpoint = '' } = await pendingOf(driver.createInstance(request));
    for (const instance of past.double.cloud.instances) instance.dies = { at: 0, is };
    past.double.pass(1_000);
    expect(await failureOf(driver.createInstance({ ...request, checkpoint }))).toMatchObject(
      failure,
    );
    await past.double[Symbol.asyncDispose]();
  });

  test('one that is stopped for a moment before its start is waited for', async () => {
    const young = await anAlicloudWorld({ behind: -600_000 });
    await createdBy(young.driver, aliRequest('resting'));
    for (const instance of young.double.cloud.instances) instance.dies = { at: 0, is: 'Stopped' };
    const hasty = young.aDriver({ waitSeconds: 0 });
    expect(await pendingOf(hasty.createInstance(aliRequest('resting')))).toMatchObject({
      message: 'Alibaba Cloud: instance resting is being made (Stopped)',
    });
    await young.double[Symbol.asyncDispose]();
  });

  test("one that a Machine has is the Machine's although it is stopped", async () => {
    const past = await anAlicloudWorld({ behind: 600_000 });
    const { providerID } = await past.driver.createInstance(aliRequest('stopped'));
    for (const instance of past.double.cloud.instances) instance.dies = { at: 0, is: 'Stopped' };
    const request = aliRequest('stopped', { providerID });
    expect(await past.driver.createInstance(request)).toMatchObject({ providerID, found: true });
    await past.double[Symbol.asyncDispose]();
  });
});

describe('a token', () => {
  test('that comes back with another class finds what it has made', async () => {
    const late = await anAlicloudWorld({ times: { unseen: 1_000 } });
    const driver = late.aDriver({ waitSeconds: 0, listedWithinSeconds: 600 });
    await pendingOf(driver.createInstance(aliRequest('changed')));
    const providerSpec = { ...aSpec, instanceType: 'ecs.g7.xlarge' };
    const changed = aliRequest('changed', { providerSpec });
    expect(await failureOf(driver.createInstance(changed))).toMatchObject({
      code: 'Aborted',
      settled: false,
      message: expect.stringContaining('IdempotentParameterMismatch'),
    });
    late.double.pass(1_000);
    expect(await driver.createInstance(changed)).toMatchObject({ found: true });
    expect(late.double.cloud.madeByName.get('changed')).toBe(1);
    await late.double[Symbol.asyncDispose]();
  });
});

describe('data disks', () => {
  const dataDisks = [
    { name: 'kept', category: 'cloud_essd', size: 20, deleteWithInstance: false },
    { name: 'gone', category: 'cloud_essd', size: 20, description: 'a disk' },
  ];

  test('go with their instance unless the class keeps them', async () => {
    const request = aliRequest('disks', { providerSpec: { ...aSpec, dataDisks } });
    await createdBy(world.driver, request);
    expect(cloud.disks.map(({ name }) => name)).toEqual([
      'disks-kept-data-disk',
      'disks-gone-data-disk',
    ]);
    await deletedBy(world.driver, request);
    expect(cloud.disks.map(({ name }) => name)).toEqual(['disks-kept-data-disk']);
  });
});

const of = (providerSpec: object) => {
  const { cluster, secret, signal } = aliRequest('x');
  return { cluster, secret, signal, providerSpec, namespace: 'shoot' };
};

describe('listing', () => {
  test('reads all pages, and knows what MCM has made by the tags of the class', async () => {
    const crowd = await anAlicloudWorld();
    const names = Array.from(
      { length: 230 },
      (_value, index) => `p-${String(index).padStart(3, '0')}`,
    );
    for (const name of names) await crowd.driver.createInstance(aliRequest(name));
    for (const { tags } of crowd.double.cloud.instances.slice(0, 5)) {
      for (const key of Object.keys(tags)) if (key.startsWith('millwright.dev/')) delete tags[key];
    }
    await crowd.driver.createInstance(aliRequest('foreign', { cluster: 'cluster-2' }));
    const listed = await crowd.driver.listInstances(of(aSpec));
    expect(listed.map(({ machineName }) => machineName).toSorted()).toEqual(names);
    expect(crowd.double.calls.slice(-3).map(({ query }) => query['MaxResults'])).toEqual([
      '100',
      '100',
      '100',
    ]);
    await crowd.double[Symbol.asyncDispose]();
  });

  test('needs region and tags', async () => {
    expect(await failureOf(world.driver.listInstances(of({ region })))).toMatchObject({
      code: 'InvalidArgument',
      message: expect.stringContaining('providerSpec.tags'),
    });
    expect(await failureOf(world.driver.listInstances(of({ tags: aSpec.tags })))).toMatchObject({
      code: 'InvalidArgument',
      message: expect.stringContaining('providerSpec.region'),
    });
  });

  test('serves all classes of a region with the same two tags at once', () => {
    const scope = world.driver.listScope(aSpec);
    expect(
      world.driver.listScope({ ...aSpec, imageID: 'm-2', tags: { ...aSpec.tags, a: 'b' } }),
    ).toBe(scope);
    expect(world.driver.listScope({ ...aSpec, region: 'cn-hangzhou' })).not.toBe(scope);
    expect(world.driver.limitScope?.(aSpec)).toBe(region);
  });
});

describe('the rest', () => {
  test('the console is text', async () => {
    await world.driver.createInstance(aliRequest('printing'));
    const [instance] = cloud.instances.filter(({ name }) => name === 'printing');
    if (instance) instance.console = 'kubelet: ünauthorized\n';
    expect(await world.driver.getConsoleOutput?.(aliRequest('printing'))).toBe(
      'kubelet: ünauthorized\n',
    );
  });

  test('an instance that is protected is reported, and stays', async () => {
    await world.driver.createInstance(aliRequest('protected'));
    const [instance] = cloud.instances.filter(({ name }) => name === 'protected');
    if (instance) instance.isProtected = true;
    expect(await failureOf(world.driver.deleteInstance(aliRequest('protected')))).toMatchObject({
      code: 'FailedPrecondition',
      message: expect.stringContaining('InvalidOperation.DeletionProtection'),
    });
    expect(livingIn(cloud, 'protected')).toBe(1);
  });

  test('an adopted instance gets the tags of this cluster where that is allowed', async () => {
    const { providerID } = await world.driver.createInstance(aliRequest('moved'));
    const retagging = world.aDriver({}, world.double.url, true);
    await retagging.createInstance(
      aliRequest('moved', { providerID, cluster: 'cluster-9', token: 't' }),
    );
    const [instance] = cloud.instances.filter(({ name }) => name === 'moved');
    expect(instance?.tags['millwright.dev/cluster']).toBe('cluster-9');
  });

  test('a refusal for lack of stock is settled, and the next token makes the instance', async () => {
    const words = 'The requested resource is sold out in the specified zone.';
    world.double.refuse('RunInstances', new Refusal(403, 'OperationDenied.NoStock', words));
    expect(await failureOf(world.driver.createInstance(aliRequest('sold-out')))).toEqual({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: true,
      message: `Alibaba Cloud: run instance sold-out: Error 403 OperationDenied.NoStock: ${words}`,
    });
    expect(
      await world.driver.createInstance(aliRequest('sold-out', { token: 'sold-out-1' })),
    ).toMatchObject({ found: false });
  });
});
