/** Making instances over the wire, with Google's SDK on our side and the double on the other. */
import { DriverError } from '../../../../activities/drivers/driver.ts';
import { aSharedGcpWorld, aSpec, gcpRequest, idOf, project, zone } from './gcp-world.ts';
import { pendingOf } from '../following.ts';
import { describeDriverContract } from '../contract.ts';
import { failureOf } from '../failure-of.ts';

const world = await aSharedGcpWorld();

const everMade = (name: string): number => world.double.cloud.insertsByName.get(name) ?? 0;
const bodyOf = (name: string) =>
  world.double.cloud.instances.find((instance) => instance.name === name)?.body;

/** As Gardener's driver would have made it. */
function madeByMcm(name: string, more: object = {}): void {
  const { cloud } = world.double;
  const body = {
    name,
    machineType: `zones/${zone}/machineTypes/n2-standard-4`,
    disks: [{ boot: true, autoDelete: true, initializeParams: {} }],
    networkInterfaces: [{}],
    tags: { items: aSpec.tags },
    ...more,
  };
  const begin = { requestId: undefined, now: Date.now() - 60_000, faults: [] };
  cloud.insert({ project, zone }, body, begin);
  cloud.advance(Date.now());
}

/**
 * Google shows an instance a moment after its name is taken: until then another attempt is put off.
 */
async function insist(name: string, token: string): Promise<{ found: boolean }> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      return await world.driver.createInstance(gcpRequest(name, { token }));
    } catch (error) {
      const isPutOff = error instanceof DriverError && error.code === 'Aborted' && !error.settled;
      if (!isPutOff) throw error;
    }
  }
  throw new Error('it was put off for ever');
}

describeDriverContract({
  driver: () => world.driver,
  request: gcpRequest,
  countMade: everMade,
  countLiving: (name) =>
    world.double.cloud.instances.filter((instance) => instance.name === name).length,
  expectMade(instance, name) {
    expect(instance).toEqual({
      providerID: idOf(name),
      nodeName: name,
      found: false,
      isInitialized: true,
      addresses: [
        { type: 'InternalIP', address: expect.stringMatching(/^10\.0\.0\.\d+$/) },
        { type: 'Hostname', address: name },
      ],
    });
  },
  uniqueness: 'name',
  remembersTokens: true,
  requestId: /^operation-/,
  absentProviderID: idOf('c-known'),
  badSpec: {
    providerSpec: { ...aSpec, disks: [] },
    message: 'Invalid value: providerSpec.disks: [] is not a list with at least 1 of them',
  },
  brokenSpec: { zone, disks: 3 },
  volumes: {
    specs: [
      { gcePersistentDisk: { pdName: 'pd' } },
      { csi: { driver: 'pd.csi.storage.gke.io', volumeHandle: 'projects/p/zones/z/disks/d' } },
    ],
    ids: ['pd', 'projects/p/zones/z/disks/d'],
  },
});

describe('create', () => {
  test('the labels say whose it is from the first moment on', async () => {
    await world.driver.createInstance(gcpRequest('labelled'));
    expect(bodyOf('labelled')?.labels).toEqual({
      'millwright-cluster': 'cluster-1',
      'millwright-namespace': 'shoot',
      'millwright-machine-uid': 'uid-of-labelled',
      'millwright-token': 'uid-of-labelled-0',
    });
  });

  test('user data goes where its first line says', async () => {
    await world.driver.createInstance(gcpRequest('cloud-config', { userData: '#cloud-config\n' }));
    await world.driver.createInstance(gcpRequest('script', { userData: '#!/bin/sh\n' }));
    const item = { key: 'user-data', value: '#cloud-config\n' };
    expect(bodyOf('cloud-config')?.['metadata']).toEqual({ items: [item] });
    const script = { key: 'startup-script', value: '#!/bin/sh\n' };
    expect(bodyOf('script')?.['metadata']).toEqual({ items: [script] });
  });

  test.each(['#cloud-config', '{"ignition":{}}', ''])(
    'user data %j do not take the startup-script of the class',
    async (userData) => {
      const providerSpec = { ...aSpec, metadata: [{ key: 'startup-script', value: 'x' }] };
      const request = gcpRequest(`beside-${userData.length}`, { providerSpec, userData });
      expect(await world.driver.createInstance(request)).toMatchObject({ found: false });
    },
  );

  test('user data that are a script are refused beside a startup-script of the class', async () => {
    const providerSpec = { ...aSpec, metadata: [{ key: 'startup-script', value: 'x' }] };
    const request = gcpRequest('two-scripts', { providerSpec, userData: '#!/bin/sh' });
    expect(await failureOf(world.driver.createInstance(request))).toEqual({
      code: 'InvalidArgument',
      kind: 'input',
      settled: true,
      message:
        'Invalid value: providerSpec.metadata[0].key: "startup-script" is where the Secret\'s userData go, as they do not begin with #cloud-config: take it out of the class, or make them one',
    });
    expect(everMade('two-scripts')).toBe(0);
  });

  test('two creates at once with two tokens make one instance: the second meets the first', async () => {
    const both = await Promise.all([insist('met', 'one'), insist('met', 'two')]);
    expect(both.filter(({ found }) => found)).toHaveLength(1);
    expect(everMade('met')).toBe(1);
  });

  test('an instance of MCM with the tags of the class is adopted if no other Machine claims it', async () => {
    madeByMcm('by-mcm');
    expect(await world.driver.createInstance(gcpRequest('by-mcm'))).toMatchObject({ found: true });
    const request = gcpRequest('by-mcm', { isClaimed: (id) => id === idOf('by-mcm') });
    expect(await failureOf(world.driver.createInstance(request))).toMatchObject({
      code: 'AlreadyExists',
      settled: true,
    });
  });

  test.each([
    ['another cluster', { labels: { 'millwright-cluster': 'x', 'millwright-namespace': 'shoot' } }],
    [
      'another namespace',
      { labels: { 'millwright-cluster': 'cluster-1', 'millwright-namespace': 'x' } },
    ],
    [
      'another cluster of MCM',
      { tags: { items: ['kubernetes-io-cluster-x', 'kubernetes-io-role-node'] } },
    ],
    ['nobody known', { tags: {} }],
  ])('a namesake of %s is not ours', async (whose, more) => {
    const name = `namesake-${whose.replaceAll(' ', '-').toLowerCase()}`;
    madeByMcm(name, more);
    expect(await failureOf(world.driver.createInstance(gcpRequest(name)))).toEqual({
      code: 'AlreadyExists',
      settled: true,
      message: `an instance called ${name} exists in ${zone} and is not of this Machine: its labels, tags or another Machine say so`,
    });
    expect(await world.driver.describeInstance(gcpRequest(name))).toBeUndefined();
    expect(await world.driver.deleteInstance(gcpRequest(name))).toEqual({ found: false });
    expect(bodyOf(name)).toBeDefined();
  });

  test('a disk that was left behind has the name: said, and settled', async () => {
    world.double.cloud.disks.push({
      project,
      zone,
      name: 'leftover',
      autoDelete: false,
      user: undefined,
    });
    expect(await failureOf(world.driver.createInstance(gcpRequest('leftover')))).toMatchObject({
      code: 'AlreadyExists',
      settled: true,
      message: expect.stringContaining(`disks/leftover' already exists`),
    });
  });

  test('a class without a zone cannot be looked for, so nothing is settled', async () => {
    const request = gcpRequest('nowhere', { providerSpec: {} });
    const is = { code: 'InvalidArgument', settled: false };
    expect(await failureOf(world.driver.createInstance(request))).toMatchObject(is);
    expect(await failureOf(world.driver.deleteInstance(request))).toMatchObject(is);
  });

  test('a name that Google does not allow is refused, and nothing of that name exists', async () => {
    expect(await failureOf(world.driver.createInstance(gcpRequest('a.b')))).toMatchObject({
      code: 'InvalidArgument',
      settled: true,
      message: expect.stringContaining('metadata.name: "a.b" cannot be the name of an instance'),
    });
    expect(await world.driver.deleteInstance(gcpRequest('a.b'))).toEqual({ found: false });
  });

  test('an instance that is still being made by an earlier try is awaited', async () => {
    world.double.faults.add({ kind: 'slow', operation: 'insert', name: 'starting', seconds: 60 });
    const hasty = world.aDriver({ waitSeconds: 0 });
    await pendingOf(hasty.createInstance(gcpRequest('starting')));
    // Until then nobody sees it.
    world.double.advance(1);
    // Whoever comes now knows nothing of the operation.
    const anew = await pendingOf(hasty.createInstance(gcpRequest('starting')));
    expect(anew.message).toBe('Google Cloud: instance starting is being made (PROVISIONING)');
    world.double.advance(61);
    expect(await world.driver.createInstance(gcpRequest('starting'))).toMatchObject({
      found: true,
    });
    expect(everMade('starting')).toBe(1);
  });

  test('an instance on its way down is not adopted', async () => {
    await world.driver.createInstance(gcpRequest('going'));
    world.double.faults.add({ kind: 'slow', operation: 'delete', name: 'going', seconds: 60 });
    const hasty = world.aDriver({ waitSeconds: 0 });
    await pendingOf(hasty.deleteInstance(gcpRequest('going')));
    expect(await failureOf(world.driver.createInstance(gcpRequest('going')))).toMatchObject({
      code: 'Aborted',
      settled: false,
      message: 'instance going is on its way down (STOPPING)',
    });
    await pendingOf(hasty.deleteInstance(gcpRequest('going')));
    world.double.advance(61);
    await world.driver.deleteInstance(gcpRequest('going'));
    expect(bodyOf('going')).toBeUndefined();
  });
});
