/** The driver over the wire, with the real SDK, against a moto server. */
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import type {
  CreatedInstance,
  CreateRequest,
  Driver,
} from '../../../../activities/drivers/driver.ts';
import { startMoto, type Moto } from '../../../support/moto.ts';
import { aMotoAccount, motoSecret, type MotoAccount } from '../../../support/moto-account.ts';
import { aRequest } from '../a-request.ts';
import { aSpec } from './a-class.ts';
import { describeDriverContract } from '../contract.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy } from '../following.ts';

let moto: Moto;
let account: MotoAccount;
let driver: Driver;

beforeAll(async () => {
  moto = await startMoto();
  account = await aMotoAccount(moto.url);
  driver = createAwsDriver({
    env: { AWS_ENDPOINT_URL_EC2: moto.url },
    allowsAmbientCredentials: false,
  });
});
afterAll(async () => {
  account.close();
  await moto.stop();
});
function theRequest(name: string, more: Partial<CreateRequest> = {}): CreateRequest {
  return aRequest(name, { providerSpec: theSpec(), secret: { ...motoSecret }, ...more });
}

function theSpec(more: Record<string, unknown> = {}): object {
  return aSpec(more, account);
}

async function statesOf(name: string): Promise<(string | undefined)[]> {
  return (await account.instancesOf(name)).map(({ State }) => State?.Name);
}

const mcmTags = [
  { Key: 'kubernetes.io/cluster/shoot', Value: '1' },
  { Key: 'kubernetes.io/role/node', Value: '1' },
];

/** As MCM's driver makes it. Returns its providerID. */
async function anInstanceOfMcm(name: string): Promise<string> {
  const { Instances = [] } = await account.ec2.runInstances({
    MinCount: 1,
    MaxCount: 1,
    ImageId: account.ami,
    TagSpecifications: [
      { ResourceType: 'instance', Tags: [...mcmTags, { Key: 'Name', Value: name }] },
    ],
  });
  return `aws:///eu-west-1/${Instances[0]?.InstanceId}`;
}

describeDriverContract({
  driver: () => driver,
  request: (name, more) => theRequest(name, more),
  create: (request) => createdBy(driver, request),
  remove: (request) => deletedBy(driver, request),
  countMade: async (name) => (await statesOf(name)).length,
  countLiving: async (name) =>
    (await statesOf(name)).filter((state) => state !== 'terminated').length,
  async expectMade({ providerID, nodeName, addresses }, name) {
    expect(providerID).toMatch(/^aws:\/\/\/eu-west-1\/i-[0-9a-f]{17}$/);
    expect(nodeName).toMatch(/^ip-10-0-\d+-\d+\.eu-west-1\.compute\.internal$/);
    expect(addresses).toContainEqual({ type: 'InternalDNS', address: nodeName });
    expect(await statesOf(name)).toEqual(['running']);
  },
  requestId: /^[\w-]{36,}$/,
  absentProviderID: 'aws:///eu-west-1/i-0123456789abcdef0',
  badSpec: {
    providerSpec: aSpec({ ami: '', machineType: 5 }),
    message:
      'Invalid value: providerSpec.ami: "" is not a non-empty string; providerSpec.machineType: 5 is not a string: put it in quotes',
  },
  brokenSpec: { region: 'eu-west-1' },
  volumes: {
    specs: [{ csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' } }],
    ids: ['vol-1'],
  },
  // moto ignores the token of a create; double.test.ts tries creates at once.
  createsAtOnce: 0,
  spentMessage: /^instance i-\w+ of this attempt is terminated/,
});

describe('create', () => {
  test('an instance of MCM is adopted by its name and tags', async () => {
    const providerID = await anInstanceOfMcm('from-mcm');
    expect(await createdBy(driver, theRequest('from-mcm'))).toMatchObject({
      providerID,
      found: true,
    });
  });

  test.each([
    { name: 'claimed', more: { isClaimed: async () => true } },
    { name: 'of another cluster', more: { cluster: 'cluster-2' } },
    {
      name: 'of another namespace',
      more: { machine: { namespace: 'elsewhere', name: 'of another namespace', uid: 'other' } },
    },
  ])('an instance of the name that is $name is left alone', async ({ name, more }) => {
    await createdBy(driver, theRequest(name, { token: `old-${name}` }));
    expect(await createdBy(driver, theRequest(name, more))).toMatchObject({ found: false });
    expect(await statesOf(name)).toEqual(['running', 'running']);
  });

  test('several instances of the name are an OutOfRange error', async () => {
    await createdBy(driver, theRequest('many', { token: 'one' }));
    await createdBy(driver, theRequest('many', { token: 'two', isClaimed: () => true }));
    expect(await failureOf(createdBy(driver, theRequest('many')))).toMatchObject({
      code: 'OutOfRange',
      settled: false,
      message: expect.stringMatching(/^several instances are called many: i-\w+, i-\w+\. Delete/),
    });
  });

  test.each([
    { what: 'image', spec: { ami: 'ami-12345678' }, code: 'InvalidAMIID.NotFound' },
    { what: 'profile', spec: { iam: { name: 'nobody' } }, code: 'NoSuchEntity' },
    {
      what: 'subnet',
      spec: { networkInterfaces: [{ subnetID: 'subnet-0', securityGroupIDs: ['sg-0'] }] },
      code: 'InvalidSubnetID.NotFound',
    },
  ])('an unknown $what is a fault of the class, and nothing was made', async ({ spec, code }) => {
    const request = theRequest('unknown', { providerSpec: theSpec(spec) });
    expect(await failureOf(createdBy(driver, request))).toMatchObject({
      code: 'InvalidArgument',
      kind: 'input',
      settled: true,
      message: expect.stringContaining(code),
    });
    expect(await statesOf('unknown')).toEqual([]);
  });
});

describe('initialize', () => {
  test('switches source/destination checks off, once or more', async () => {
    const request = theRequest('router', {
      providerSpec: theSpec({ srcAndDstChecksEnabled: false }),
    });
    const { providerID, isInitialized } = await createdBy(driver, request);
    expect(isInitialized).toBe(false);
    const known = { ...request, providerID };
    expect(await driver.initializeInstance(known)).toMatchObject({ isInitialized: true });
    expect(await driver.initializeInstance(known)).toMatchObject({ isInitialized: true });
    expect(await driver.describeInstance(known)).toMatchObject({ isInitialized: true });
    const [instance] = await account.instancesOf('router');
    expect(instance?.NetworkInterfaces?.map(({ SourceDestCheck }) => SourceDestCheck)).toEqual([
      false,
    ]);
  });
});

describe('delete', () => {
  test('a delete takes what has its token, its providerID or its name and tags, and leaves the rest', async () => {
    const claimed = await createdBy(driver, theRequest('mixed', { token: 'claimed' }));
    const isClaimed = (providerID: string): boolean => providerID === claimed.providerID;
    const foreign = await createdBy(
      driver,
      theRequest('mixed', { token: 'foreign', cluster: 'cluster-2' }),
    );
    const byToken = await createdBy(
      driver,
      theRequest('mixed', { cluster: 'cluster-3', isClaimed: () => true }),
    );
    const byTags = await createdBy(
      driver,
      theRequest('mixed', { token: 'earlier', isClaimed: () => true }),
    );
    const { machine } = theRequest('mixed');
    const renamed = { ...theRequest('renamed'), machine: { ...machine, name: 'renamed' } };
    const byId = await createdBy(driver, renamed);
    const request = theRequest('mixed', { providerID: byId.providerID, isClaimed });
    expect(await deletedBy(driver, request)).toEqual({ found: true });
    const left = await liveIds();
    expect(left).toEqual(expect.arrayContaining([claimed.providerID, foreign.providerID]));
    for (const gone of [byToken, byTags, byId]) expect(left).not.toContain(gone.providerID);
  });

  test('looks where the providerID says, whatever region the class has now', async () => {
    const { providerID } = await createdBy(driver, theRequest('abroad'));
    const providerSpec = theSpec({ region: 'us-east-1' });
    const request = theRequest('abroad', { providerID, providerSpec });
    expect(await deletedBy(driver, request)).toEqual({ found: true });
    expect(await statesOf('abroad')).toEqual(['terminated']);
  });
});

async function liveIds(): Promise<string[]> {
  const Filters = [{ Name: 'instance-state-name', Values: ['running'] }];
  const { Reservations = [] } = await account.ec2.describeInstances({ Filters });
  return Reservations.flatMap(({ Instances = [] }) =>
    Instances.map(({ InstanceId }) => `aws:///eu-west-1/${InstanceId}`),
  );
}

const inNamespace = (
  namespace: string,
  name: string,
  more: Partial<CreateRequest> = {},
): CreateRequest => theRequest(name, { machine: { namespace, name, uid: name }, ...more });

async function aTwin(more: Partial<CreateRequest>): Promise<CreatedInstance> {
  return await createdBy(
    driver,
    inNamespace('deleted', 'twin', { ...more, isClaimed: () => true }),
  );
}

describe('listInstances and deleteListed', () => {
  test('lists the instances of one cluster and namespace, ordered, and those of MCM', async () => {
    const tags = { 'kubernetes.io/cluster/listed': '1', 'kubernetes.io/role/node': '1' };
    const providerSpec = theSpec({ tags });
    const before = Date.now() - 2_000;
    for (const name of ['l-1', 'l-2', 'l-3']) {
      await createdBy(driver, inNamespace('listed', name, { providerSpec }));
    }
    await createdBy(driver, inNamespace('listed', 'l-4', { providerSpec, cluster: 'other' }));
    await createdBy(driver, inNamespace('elsewhere', 'l-5', { providerSpec }));
    await deletedBy(driver, inNamespace('listed', 'l-3', { providerSpec }));
    const request = { ...theRequest('any', { providerSpec }), namespace: 'listed' };
    const listed = await driver.listInstances(request);
    expect(listed.map(({ machineName }) => machineName).toSorted()).toEqual(['l-1', 'l-2']);
    const ids = listed.map(({ providerID }) => providerID);
    expect(ids).toEqual(ids.toSorted());
    const first = listed.find(({ machineName }) => machineName === 'l-1');
    expect(first).toMatchObject({ token: 'uid-of-l-1-0' });
    expect(first?.createdAt).toBeGreaterThanOrEqual(before);
  });

  test('an instance of MCM is listed without a token, one without a name is not listed', async () => {
    const providerID = await anInstanceOfMcm('legacy');
    await anInstanceOfMcm('');
    const listed = await driver.listInstances({ ...theRequest('any'), namespace: 'any' });
    const legacy = listed.filter(({ machineName }) => ['legacy', ''].includes(machineName));
    expect(legacy).toEqual([{ providerID, machineName: 'legacy', createdAt: expect.any(Number) }]);
  });

  test('a class without the tags lists nothing by mistake', async () => {
    const providerSpec = theSpec({ tags: {} });
    const request = { ...theRequest('any', { providerSpec }), namespace: 'shoot' };
    expect(await failureOf(driver.listInstances(request))).toMatchObject({
      code: 'InvalidArgument',
    });
  });

  test('deletes one of several of the same name, and only of this cluster and namespace', async () => {
    const { providerID: kept } = await aTwin({ token: 'namesake-1' });
    const { providerID: surplus } = await aTwin({ token: 'namesake-2' });
    const { providerID: foreign } = await aTwin({ token: 'namesake-3', cluster: 'cluster-2' });
    const request = { ...theRequest('any'), namespace: 'deleted' };
    const remove = (providerID: string) => driver.deleteListed({ ...request, providerID });
    expect(await remove(foreign)).toEqual({ found: false });
    expect(await remove(surplus)).toEqual({ found: true });
    expect(await remove(surplus)).toEqual({ found: false });
    expect(await remove('aws:///eu-west-1/i-0123456789abcdef0')).toEqual({ found: false });
    expect(await liveIds()).toEqual(expect.arrayContaining([kept, foreign]));
  });
});
