/** The driver over the wire, against a virtual cloud without a cluster. */
import { createHash } from 'node:crypto';
import type { CreateRequest } from '../../../activities/drivers/driver.ts';
import { createDrivers } from '../../../activities/drivers/index.ts';
import { createVirtualDriver } from '../../../activities/drivers/virtual/driver.ts';
import { machineErrorCodes } from '../../../workflows/api/failures.ts';
import { aCloud, type TestCloud } from '../../deploy/virtual-cloud/a-cloud.ts';
import { eventually } from '../../support/eventually.ts';
import { aRequest } from './a-request.ts';
import { describeDriverContract } from './contract.ts';
import { failureOf } from './failure-of.ts';

let cloud: TestCloud;
let driver: ReturnType<typeof createVirtualDriver>;
beforeAll(async () => {
  cloud = await aCloud();
  driver = createVirtualDriver({ url: cloud.url });
});
afterAll(() => cloud.close());

async function addFault(fault: object): Promise<void> {
  expect((await cloud.call('POST', '/faults', fault)).status).toBe(200);
}

async function machinesEver(name: string): Promise<number> {
  const { body } = await cloud.call('GET', `/calls?match=${name}`);
  return Object(body['createsPerName'])[name] ?? 0;
}

describeDriverContract({
  driver: () => driver,
  request: aRequest,
  countMade: machinesEver,
  countLiving: async (name) => (await cloud.instances(`name=${name}`)).length,
  expectMade({ providerID, nodeName }, name) {
    expect(nodeName).toBe(name);
    expect(providerID).toMatch(/^local:\/\/\/a\/i-[0-9a-f]{16}$/);
  },
  requestId: /^[\da-f-]{36}$/,
  absentProviderID: 'local:///a/i-none',
  badSpec: {
    providerSpec: { size: 'huge' },
    message: 'Invalid value: providerSpec.size: "huge" is not one of small, medium, large',
  },
  brokenSpec: { size: 'huge' },
  volumes: {
    specs: [{ csi: { driver: 'virtual-cloud.millwright.dev', volumeHandle: 'vol-1' } }],
    ids: ['vol-1'],
  },
});

test.each([
  ['#cloud-config\nruncmd: [[systemctl, enable, millwright-setup.service]]', true],
  ['#!/bin/true', undefined],
])('of user data only those that Millwright made are sent whole: %j', async (userData, isWhole) => {
  const name = `whole-${isWhole ?? false}`;
  const { providerID } = await driver.createInstance({ ...aRequest(name), userData });
  const { body } = await cloud.call('GET', `/instances/${providerID.split('/').at(-1)}`);
  const { hasUserData, userDataDigest } = Object(body['instance']);
  expect(hasUserData).toBe(isWhole);
  expect(userDataDigest).toBe(createHash('sha256').update(userData).digest('hex'));
});

describe('the console', () => {
  test('has the lines of the boot, and what a fault lets the machine print', async () => {
    const text = 'x509: certificate signed by unknown authority';
    await addFault({ kind: 'neverJoin', match: 'prints', console: text });
    const { providerID } = await driver.createInstance(aRequest('prints'));
    const printed = await driver.getConsoleOutput?.(aRequest('prints', { providerID }));
    expect(printed).toMatch(/^\[ +0\.0{6}\] virtual cloud: machine i-\w+, size small, zone a\n/);
    expect(printed).toContain(`Node prints is not registered\n${text}\n`);
  });

  test('is empty while the machine boots', async () => {
    await cloud.call('PUT', '/settings', { bootSeconds: 3_600 });
    const { providerID } = await driver.createInstance(aRequest('boots'));
    expect(await driver.getConsoleOutput?.(aRequest('boots', { providerID }))).toBe('');
    await cloud.call('PUT', '/settings', { bootSeconds: 0 });
  });
});

describe('create', () => {
  test('asks for what class and Machine say; the Machine has the last word on labels', async () => {
    await driver.createInstance(
      aRequest('asked', {
        providerSpec: { zone: 'b', size: 'large', labels: { a: '1', b: '1' }, tags: { t: 'x' } },
        nodeLabels: { b: '2' },
        nodeTaints: [{ key: 'k', effect: 'NoSchedule' }],
        userData: 'secret',
      }),
    );
    const { body } = await cloud.call('GET', '/instances?name=asked');
    expect(body['instances']).toEqual([
      expect.objectContaining({
        zone: 'b',
        size: 'large',
        labels: { a: '1', b: '2' },
        taints: [{ key: 'k', effect: 'NoSchedule' }],
        tags: {
          t: 'x',
          'millwright.dev/cluster': 'cluster-1',
          'millwright.dev/namespace': 'shoot',
          'millwright.dev/machine-uid': 'uid-of-asked',
        },
      }),
    ]);
    expect(JSON.stringify(body)).not.toContain('secret"');
  });

  test('the same token with another request, sent before the cloud listed the first: an instance may exist', async () => {
    const races = await Promise.allSettled([
      driver.createInstance(aRequest('raced')),
      driver.createInstance(aRequest('raced', { providerSpec: { size: 'large' } })),
    ]);
    const refused = races.find((race) => race.status === 'rejected');
    expect(refused?.reason).toMatchObject({ code: 'AlreadyExists', settled: false });
    expect(await machinesEver('raced')).toBe(1);
  });

  test.each([
    { name: 'claimed', more: { isClaimed: async () => true } },
    { name: 'foreign-cluster', more: { cluster: 'cluster-2' } },
    {
      name: 'foreign-namespace',
      more: { machine: { namespace: 'elsewhere', name: 'foreign-namespace', uid: 'other' } },
    },
  ])('an instance of the name that is $name is left alone', async ({ name, more }) => {
    await driver.createInstance(aRequest(name, { token: `old-${name}` }));
    expect(await driver.createInstance(aRequest(name, more))).toMatchObject({ found: false });
    expect(await machinesEver(name)).toBe(2);
  });

  test('several instances of the name are an OutOfRange error', async () => {
    await driver.createInstance(aRequest('many', { token: 'one' }));
    await driver.createInstance(aRequest('many', { token: 'two', isClaimed: () => true }));
    expect(await failureOf(driver.createInstance(aRequest('many')))).toMatchObject({
      code: 'OutOfRange',
      settled: false,
    });
  });
});

async function madeByMcm(name: string, tags: Record<string, string>): Promise<void> {
  const { status } = await cloud.call('POST', '/instances', { name, token: `mcm-${name}`, tags });
  expect(status).toBe(201);
}

describe('what MCM made, with the tags of the class and none of ours', () => {
  const providerSpec = { tags: { pool: 'of-mcm' } };
  test('is found by name before another one is made', async () => {
    await madeByMcm('of-mcm', providerSpec.tags);
    const request = aRequest('of-mcm', { providerSpec });
    expect(await driver.createInstance(request)).toMatchObject({ found: true });
    expect(await machinesEver('of-mcm')).toBe(1);
  });

  test('goes with its Machine, also where the Machine does not name it', async () => {
    await madeByMcm('unnamed-of-mcm', providerSpec.tags);
    const request = aRequest('unnamed-of-mcm', { providerSpec });
    expect(await driver.deleteInstance(request)).toEqual({ found: true });
    expect(await cloud.instances('name=unnamed-of-mcm')).toEqual([]);
  });

  test('is taken and deleted by the Machine that names it, though its class has no tags', async () => {
    await madeByMcm('named-of-mcm', {});
    const [made] = await cloud.instances('name=named-of-mcm');
    const providerID = made?.providerID ?? '';
    const request = aRequest('named-of-mcm', { providerSpec: {}, providerID });
    expect(await driver.createInstance(request)).toMatchObject({ providerID, found: true });
    expect(await driver.deleteInstance(request)).toEqual({ found: true });
  });

  test.each([
    { name: 'with-other-tags', tags: { pool: 'other' }, spec: providerSpec },
    { name: 'of-a-class-without-tags', tags: {}, spec: {} },
  ])('is left alone $name', async ({ name, tags, spec }) => {
    await madeByMcm(name, tags);
    const request = aRequest(name, { providerSpec: spec });
    expect(await driver.createInstance(request)).toMatchObject({ found: false });
    expect(await driver.deleteInstance(request)).toEqual({ found: true });
    expect(await cloud.instances(`name=${name}`)).toMatchObject([{ token: `mcm-${name}` }]);
  });
});

describe('failures', () => {
  const definite = new Set([
    'InvalidArgument',
    'NotFound',
    'PermissionDenied',
    'ResourceExhausted',
    'FailedPrecondition',
    'OutOfRange',
    'Unimplemented',
    'Unauthenticated',
  ]);

  test.each(machineErrorCodes.map((code) => ({ code, settled: definite.has(code) })))(
    '$code comes through; settled: $settled',
    async ({ code, settled }) => {
      const match = `fails-${code}`;
      await addFault({ kind: 'error', operation: 'create', match, code, message: 'on purpose' });
      expect(await failureOf(driver.createInstance(aRequest(match)))).toMatchObject({
        code,
        settled,
        message: 'on purpose',
      });
    },
  );

  test.each([
    [
      'throttle',
      { kind: 'throttle', seconds: 7 },
      { code: 'Unavailable', kind: 'throttling', settled: true, retryAfterSeconds: 7 },
    ],
    ['quota', { kind: 'quota' }, { code: 'ResourceExhausted', kind: 'quota', settled: true }],
    [
      'zoneFull',
      { kind: 'zoneFull' },
      { code: 'ResourceExhausted', kind: 'capacity', settled: true },
    ],
    ['PermissionDenied', { kind: 'error', code: 'PermissionDenied' }, { kind: 'credentials' }],
    ['Unauthenticated', { kind: 'error', code: 'Unauthenticated' }, { kind: 'credentials' }],
  ])('%s is told apart', async (name, fault, is) => {
    await addFault({ operation: 'create', match: `kind-${name}`, ...fault });
    expect(await failureOf(driver.createInstance(aRequest(`kind-${name}`)))).toMatchObject(is);
  });

  test('a search that fails settles nothing: an earlier try may have made the instance', async () => {
    await addFault({ kind: 'error', operation: 'list', match: 'blind', code: 'PermissionDenied' });
    expect(await failureOf(driver.createInstance(aRequest('blind')))).toMatchObject({
      code: 'PermissionDenied',
      settled: false,
    });
  });

  test('a call that hangs ends by the time limit, with an uncertain outcome', async () => {
    await addFault({ kind: 'hang', operation: 'create', match: 'hangs' });
    const hasty = createVirtualDriver({ url: cloud.url, callTimeoutSeconds: 0.1 });
    expect(await failureOf(hasty.createInstance(aRequest('hangs')))).toEqual({
      code: 'DeadlineExceeded',
      settled: false,
      message: `virtual cloud at ${cloud.url}: POST /instances: no answer within 0.1 s`,
    });
  });

  test('a call that is cancelled ends at once, with an uncertain outcome', async () => {
    await addFault({ kind: 'hang', operation: 'create', match: 'stopped' });
    const caller = new AbortController();
    const call = failureOf(driver.createInstance(aRequest('stopped', { signal: caller.signal })));
    await eventually('it hangs', async () => {
      const { body } = await cloud.call('GET', '/calls?match=stopped');
      return Object(body['operations']).create?.hang === 1;
    });
    caller.abort();
    expect(await call).toMatchObject({
      code: 'Canceled',
      settled: false,
    });
  });

  test('a cloud that is not there is Unavailable', async () => {
    const nowhere = createVirtualDriver({ url: 'http://127.0.0.1:1' });
    expect(await failureOf(nowhere.createInstance(aRequest('m')))).toMatchObject({
      code: 'Unavailable',
      settled: false,
      message: expect.stringContaining('http://127.0.0.1:1'),
    });
  });

  test('a URL that is none is refused by the name of its variable', () => {
    const env = { MILLWRIGHT_VIRTUAL_CLOUD: 'cloud:80' };
    expect(() => createDrivers({ env, allowsAmbientCredentials: false }, ['virtual'])).toThrow(
      'MILLWRIGHT_VIRTUAL_CLOUD: "cloud:80" is not a URL',
    );
  });
});

describe('delete', () => {
  test('deletes all of this Machine, however they are found, and nothing else', async () => {
    const claimed = await driver.createInstance(aRequest('mixed', { token: 'claimed' }));
    const isClaimed = (providerID: string): boolean => providerID === claimed.providerID;
    const foreign = await driver.createInstance(
      aRequest('mixed', { cluster: 'cluster-2', token: 'foreign' }),
    );
    const byToken = await driver.createInstance(aRequest('mixed', { cluster: 'cluster-3' }));
    const byTags = await driver.createInstance(
      aRequest('mixed', { token: 'earlier', isClaimed: () => true }),
    );
    const { machine } = aRequest('mixed');
    const byId = await driver.createInstance({
      ...aRequest('renamed', { token: 'renamed' }),
      machine: { ...machine, name: 'renamed' },
    });
    const request = aRequest('mixed', { providerID: byId.providerID, isClaimed });
    expect(await driver.deleteInstance(request)).toEqual({ found: true });
    const left = (await cloud.instances('')).map(({ providerID }) => providerID);
    expect(left).toEqual(expect.arrayContaining([claimed.providerID, foreign.providerID]));
    for (const gone of [byToken, byTags, byId]) expect(left).not.toContain(gone.providerID);
  });
});

const inNamespace = (
  namespace: string,
  name: string,
  more: Partial<CreateRequest> = {},
): CreateRequest => aRequest(name, { machine: { namespace, name, uid: name }, ...more });

describe('the rest', () => {
  test('an instance that needs it is initialized, once or more', async () => {
    const request = aRequest('init', { providerSpec: { needsInitialization: true } });
    expect(await driver.createInstance(request)).toMatchObject({ isInitialized: false });
    expect(await driver.initializeInstance(request)).toMatchObject({ isInitialized: true });
    expect(await driver.initializeInstance(request)).toMatchObject({ isInitialized: true });
    expect(await failureOf(driver.initializeInstance(aRequest('nothing')))).toMatchObject({
      code: 'NotFound',
    });
  });

  test('lists the instances of one cluster and namespace', async () => {
    const namespace = 'listed';
    const before = Date.now();
    await driver.createInstance(inNamespace(namespace, 'l-1'));
    await driver.createInstance(inNamespace(namespace, 'l-2'));
    await driver.createInstance(inNamespace(namespace, 'l-3', { cluster: 'cluster-2' }));
    const listed = await driver.listInstances({ ...aRequest('any'), namespace });
    expect(listed.map(({ machineName }) => machineName).toSorted()).toEqual(['l-1', 'l-2']);
    const [first] = listed.toSorted((a, b) => a.machineName.localeCompare(b.machineName));
    expect(first).toMatchObject({ token: 'uid-of-l-1-0' });
    expect(first?.createdAt).toBeGreaterThanOrEqual(before);
  });

  test('deletes one of several of the same name, and only with our tags', async () => {
    const namespace = 'deleted';
    const create = async (more: Partial<CreateRequest>) =>
      await driver.createInstance(
        inNamespace(namespace, 'twin', { ...more, isClaimed: () => true }),
      );
    const { providerID: kept } = await create({ token: 'namesake-1' });
    const { providerID: surplus } = await create({ token: 'namesake-2' });
    const { providerID: foreign } = await create({ token: 'namesake-3', cluster: 'cluster-2' });
    const request = { ...aRequest('any'), namespace };
    const remove = (providerID: string) => driver.deleteListed({ ...request, providerID });
    expect(await remove(foreign)).toEqual({ found: false });
    expect(await remove(surplus)).toEqual({ found: true });
    expect(await remove(surplus)).toEqual({ found: false });
    const left = await driver.listInstances(request);
    expect(left.map(({ providerID }) => providerID)).toEqual([kept]);
  });
});
