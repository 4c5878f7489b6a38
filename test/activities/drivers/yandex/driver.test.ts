/** The driver over the wire, with a double whose rules come from the protobuf descriptions. */
import { generateKeyPairSync } from 'node:crypto';
import type { Driver } from '../../../../activities/drivers/driver.ts';
import { createYandexDriver } from '../../../../activities/drivers/yandex/driver.ts';
import { validateProviderSpec } from '../../../../activities/drivers/yandex/validate.ts';
import { startYandexDouble, type YandexDouble } from '../../../doubles/yandex/double.ts';
import { failureOf } from '../failure-of.ts';
import { followed } from '../following.ts';
import { startFaultProxy } from '../frame/fault-proxy.ts';
import { describeKills } from '../frame/kills.ts';
import { aSmallCloud, describeSmallCloud } from '../small-clouds.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const account = { folder: 'b1gfolder', keyId: 'ajekey', serviceAccountId: 'ajeaccount', publicKey };

const aSpec = {
  labels: { 'kubernetes-io-cluster-a': '1', 'kubernetes-io-role-worker': '1' },
  metadata: { 'serial-port-enable': '1' },
  regionID: 'ru-central1',
  zoneID: 'ru-central1-a',
  platformID: 'standard-v3',
  resourcesSpec: { cores: 4, coreFraction: 100, memory: 8_589_934_592 },
  bootDiskSpec: {
    autoDelete: true,
    typeID: 'network-ssd',
    size: 53_687_091_200,
    imageID: 'fd8image',
  },
  networkInterfaceSpecs: [{ subnetID: 'e9bsubnet', assignPublicIPAddress: true }],
};

const aSecret = {
  folderID: account.folder,
  serviceAccountJSON: JSON.stringify({
    id: account.keyId,
    service_account_id: account.serviceAccountId,
    private_key: `PLEASE DO NOT REMOVE THIS LINE! Yandex.Cloud SA Key ID <ajekey>\n${pem}`,
  }),
};

const double = await startYandexDouble(account);
const cloud = await aSmallCloud({
  double,
  createDriver: createYandexDriver,
  endpoint: 'MILLWRIGHT_YANDEX_ENDPOINT',
  given: () => ({
    providerSpec: aSpec,
    secret: aSecret,
    userData: '#cloud-config canary-of-the-user-data',
  }),
});
const { driver, aDriver, request } = cloud;
const slow = await startYandexDouble({ ...account, operationMilliseconds: 1_000 });
const proxy = await startFaultProxy(slow.url);
afterAll(async () => {
  for (const one of [proxy, slow]) await one[Symbol.asyncDispose]();
});
const aSlowDriver = (): Driver =>
  aDriver({ waitSeconds: 0 }, { env: { MILLWRIGHT_YANDEX_ENDPOINT: proxy.url } });

const living = ({ instances }: YandexDouble, name: string) =>
  instances.filter((instance) => instance.name === name);
const idOf = (name: string): string => `yandex://ru-central1-a/${name}`;
const isOfCompute = ({ path }: { path: string }): boolean => path.startsWith('/compute');

describeSmallCloud(cloud, {
  countMade: (name) => double.madeByName.get(name) ?? 0,
  countLiving: (name) => living(double, name).length,
  expectMade: ({ providerID, nodeName, addresses }, name) => {
    expect({ providerID, nodeName }).toEqual({ providerID: idOf(name), nodeName: name });
    expect(addresses).toEqual([{ type: 'InternalIP', address: '10.0.0.7' }]);
  },
  providerIDForm: 'yandex://ZONE/NAME',
  absentProviderID: idOf('absent'),
  badSpec: {
    providerSpec: { ...aSpec, platformID: 3 },
    message: 'Invalid value: providerSpec.platformID: 3 is not a string: put it in quotes',
  },
  brokenSpec: {},
  volumes: {
    specs: [{ csi: { driver: 'yandex.csi.flant.com', volumeHandle: 'fhmdisk' } }],
    ids: ['fhmdisk'],
  },
  uniqueness: 'name',
  hasConsole: true,
  requestId: /^fhmr\d+$/,
  isSearch: (call) => call.method === 'GET' && isOfCompute(call),
  // A list of nothing has no field.
  emptyAnswers: [],
  isCreate: (call) => call.method === 'POST' && isOfCompute(call),
  isRemoval: ({ method }) => method === 'DELETE',
  canaries: /canary-of|PRIVATE KEY/,
  refused: [
    [{ ...aSecret, folderID: 'a/b' }, 'folderID'],
    [{ ...aSecret, serviceAccountJSON: '{' }, 'no JSON'],
    [{ ...aSecret, serviceAccountJSON: '{"id":"a"}' }, 'has not all of'],
    [
      {
        ...aSecret,
        serviceAccountJSON: '{"id":"a","service_account_id":"b","private_key":"canary-of-c"}',
      },
      'is no key',
    ],
  ],
});

describe('kills', () => {
  describeKills({
    proxy: () => proxy,
    aDriver: aSlowDriver,
    request,
    countLiving: (name) => living(slow, name).length,
    left: (name) => living(slow, name).map(({ id }) => id),
    pass: () => slow.pass(700),
  });
});

test('a create is the request of the driver of 2020, and our labels', async () => {
  const providerSpec = { ...aSpec, schedulingPolicy: { preemptible: true } };
  await driver.createInstance(request('as-data', { providerSpec }));
  const { body } =
    double.calls.findLast((call) => call.method === 'POST' && isOfCompute(call)) ?? {};
  expect(body).toEqual({
    folderId: 'b1gfolder',
    name: 'as-data',
    hostname: 'as-data',
    labels: {
      'kubernetes-io-cluster-a': '1',
      'kubernetes-io-role-worker': '1',
      'millwright.dev/cluster': 'cluster-1',
      'millwright.dev/namespace': 'shoot',
      'millwright.dev/machine-uid': 'uid-of-as-data',
      'millwright.dev/token': 'uid-of-as-data-0',
    },
    metadata: { 'serial-port-enable': '1', 'user-data': '#cloud-config canary-of-the-user-data' },
    zoneId: 'ru-central1-a',
    platformId: 'standard-v3',
    resourcesSpec: { cores: '4', coreFraction: '100', memory: '8589934592' },
    bootDiskSpec: {
      mode: 'READ_WRITE',
      autoDelete: true,
      diskSpec: { typeId: 'network-ssd', size: '53687091200', imageId: 'fd8image' },
    },
    networkInterfaceSpecs: [
      { subnetId: 'e9bsubnet', primaryV4AddressSpec: { oneToOneNatSpec: { ipVersion: 'IPV4' } } },
    ],
    schedulingPolicy: { preemptible: true },
  });
});

describe('operations', () => {
  test('are waited for from call to call, in the same words', async () => {
    const { pendings } = await followed(
      (more) => aSlowDriver().createInstance(request('slowly', more)),
      () => slow.pass(400),
    );
    expect([...new Set(pendings.map(({ message }) => message))]).toEqual([
      'Yandex Cloud: instance slowly is being made (operation)',
    ]);
  });

  test.each([
    [
      { code: 8, message: 'Quota limit compute.instances.count exceeded' },
      { code: 'ResourceExhausted', kind: 'quota' },
    ],
    [
      { code: 8, message: 'There are not enough resources in the zone' },
      { code: 'ResourceExhausted', kind: 'capacity' },
    ],
    [
      { code: 5, message: 'Image fd8image not found' },
      { code: 'InvalidArgument', kind: 'input' },
    ],
    [
      { code: 7, message: 'Permission denied' },
      { code: 'PermissionDenied', kind: 'credentials' },
    ],
  ])('that fail with %j say why, and leave nothing', async (error, failure) => {
    double.endNextCreate(error);
    const name = `fails-${error.message.length}`;
    expect(await failureOf(driver.createInstance(request(name)))).toMatchObject({
      ...failure,
      settled: true,
      message: expect.stringContaining(error.message),
    });
    expect(living(double, name)).toEqual([]);
  });
});

describe('an instance', () => {
  test('that is stopped before it was of use is no capacity where it is preemptible', async () => {
    const providerSpec = { ...aSpec, schedulingPolicy: { preemptible: true } };
    await driver.createInstance(request('stopped', { providerSpec }));
    const [instance] = living(double, 'stopped');
    if (instance) instance.status = 'STOPPED';
    expect(await failureOf(driver.createInstance(request('stopped')))).toMatchObject({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: false,
    });
  });

  test('gets the labels of this cluster where that is allowed, and prints', async () => {
    const { providerID } = await driver.createInstance(request('moved'));
    const more = { providerID, cluster: 'cluster-9', token: 't' };
    await aDriver({}, { allowsRetagging: true }).createInstance(request('moved', more));
    const [instance] = living(double, 'moved');
    expect(instance?.body.labels['millwright.dev/cluster']).toBe('cluster-9');
    if (instance) instance.console = 'kubelet: ünauthorized';
    expect(await driver.getConsoleOutput?.(request('moved', more))).toBe('kubelet: ünauthorized');
  });

  test('of MCM is listed by the labels of the class', async () => {
    await driver.createInstance(request('of-mcm'));
    const [instance] = living(double, 'of-mcm');
    if (instance) instance.body.labels = aSpec.labels;
    const { secret, signal } = request('x');
    const asked = { cluster: 'c', secret, signal, providerSpec: aSpec, namespace: 'n' };
    expect((await driver.listInstances(asked)).map(({ machineName }) => machineName)).toEqual([
      'of-mcm',
    ]);
  });
});

describe('the token', () => {
  test('is asked for once, and again after it was refused', async () => {
    const fresh = aDriver();
    const before = double.tokensGiven();
    await fresh.describeInstance(request('x'));
    await fresh.describeInstance(request('y'));
    expect(double.tokensGiven()).toBe(before + 1);
    double.forgetTokens();
    expect(await failureOf(fresh.describeInstance(request('x')))).toMatchObject({
      code: 'Unauthenticated',
    });
    await fresh.describeInstance(request('x'));
    expect(double.tokensGiven()).toBe(before + 2);
    await failureOf(driver.describeInstance(request('x')));
  });
});

test('a class with wrong labels, or with user data of its own, is refused', () => {
  expect(validateProviderSpec(aSpec)).toEqual([]);
  const [label] = validateProviderSpec({ ...aSpec, labels: { A: '1' } });
  expect(label).toContain('is not the key of a label');
  const [data] = validateProviderSpec({ ...aSpec, metadata: { 'user-data': 'x' } });
  expect(data).toContain('user-data');
});
