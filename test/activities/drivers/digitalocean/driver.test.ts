/** The driver over the wire, against the double. */
import { inspect } from 'node:util';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy, followed, pendingOf } from '../following.ts';
import { describeSmallCloud } from '../small-clouds.ts';
import { aDigitalOceanCloud, aSpec } from './digitalocean-cloud.ts';

const cloud = await aDigitalOceanCloud();
const { proxy, driver, aDriver, request } = cloud;
const { team, clock } = cloud.double;

const living = (name: string) => team.living(name);
const everMade = (name: string): number => team.madeByName.get(name) ?? 0;
const ids = (name: string): number[] => living(name).map(({ id }) => id);
const isPost = ({ method }: { method: string }): boolean => method === 'POST';

const refusalOf = (name: string, more = {}) =>
  failureOf(driver.createInstance(request(name, more)));

const associated = (id: string) => ({ id, name: id, cost: '0' });

afterEach(() => {
  clock.advance(600);
  Object.assign(team, { bootSeconds: 0, tagSeconds: 0, destroySeconds: 0, listSeconds: 0 });
  Object.assign(team, { boots: true, dropletMax: 1_000 });
  team.soldOut.clear();
});

describeSmallCloud(cloud, {
  countMade: everMade,
  countLiving: (name) => living(name).length,
  expectMade: ({ providerID, addresses }, name) => {
    const [droplet] = living(name);
    expect(providerID).toBe(`digitalocean://${droplet?.id}`);
    expect(addresses?.map(({ type }) => type)).toEqual(['InternalIP', 'ExternalIP', 'Hostname']);
  },
  providerIDForm: 'digitalocean://ID',
  absentProviderID: 'digitalocean://999',
  badSpec: {
    providerSpec: { ...aSpec, tags: ['a b'] },
    message:
      'Invalid value: providerSpec.tags[0]: "a b" is not a tag: up to 255 letters, digits, colons, dashes and underscores',
  },
  brokenSpec: {},
  volumes: {
    specs: [{ csi: { driver: 'dobs.csi.digitalocean.com', volumeHandle: '506f78a4-e098' } }],
    ids: ['506f78a4-e098'],
  },
  // See "two creates at once" below: both may send, and one of them gives way.
  createsAtOnce: 0,
  requestId: /^[0-9a-f-]{36}$/,
  provider: 'digitalocean',
  isSearch: ({ method, path }) => method === 'GET' && path.includes('/droplets?'),
  isCreate: isPost,
  isRemoval: ({ method }) => method === 'DELETE',
  canaries: /dop_v1|hush/,
  absent: [[{ image: 'plan9' }, 'image']],
  refused: [
    [{}, 'token is missing'],
    [{ token: 'a b' }, 'characters that no token has'],
    [{ token: 'wrong' }, 'Error 401 unauthorized'],
  ],
});

describe('one instance, although nothing refuses a second create', () => {
  test.each([0, 30])('two creates at once leave one, with tags after %s s', async (seconds) => {
    const name = `pair-${seconds}`;
    team.tagSeconds = seconds;
    const hasty = aDriver({ waitSeconds: 0 });
    const ends = await Promise.allSettled([
      hasty.createInstance(request(name)),
      hasty.createInstance(request(name)),
    ]);
    team.goOn();
    expect(ids(name)).toHaveLength(1);
    // Nothing of this is settled: both tries come back with the token.
    const isSettled = ends.map((end) => end.status === 'rejected' && end.reason.settled === true);
    expect(isSettled).toEqual([false, false]);
    clock.advance(31);
    const [providerID] = ids(name).map((id) => `digitalocean://${id}`);
    expect(await createdBy(hasty, request(name))).toMatchObject({ providerID });
    expect(await createdBy(hasty, request(name))).toMatchObject({ providerID });
  });

  test('a create whose answer is lost is found, although its tags come late', async () => {
    team.tagSeconds = 30;
    proxy.add({ matches: isPost, nth: 1, fault: { kind: 'loseAnswer' } });
    expect(await failureOf(driver.createInstance(request('lost')))).toMatchObject({
      code: 'Unavailable',
      settled: false,
    });
    const { message } = await pendingOf(driver.createInstance(request('lost')));
    expect(message).toBe('DigitalOcean: droplet lost has no tags yet');
    clock.advance(31);
    expect(await driver.createInstance(request('lost'))).toMatchObject({ found: true });
    expect(everMade('lost')).toBe(1);
  });

  test('a namesake without tags is waited for while it is young, and then left alone', async () => {
    const stranger = team.add({ name: 'namesake', size: aSpec.size, tags: [] });
    expect((await pendingOf(driver.createInstance(request('namesake')))).message).toContain(
      'has no tags yet',
    );
    stranger.createdAt = '2026-01-01T00:00:00Z';
    expect(await driver.createInstance(request('namesake'))).toMatchObject({ found: false });
    expect(await deletedBy(driver, request('namesake'))).toEqual({ found: true });
    expect(ids('namesake')).toEqual([stranger.id]);
  });

  test('what no promise covers: a lost answer, and a list that does not show it yet', async () => {
    team.listSeconds = 30;
    proxy.add({ matches: isPost, nth: 1, fault: { kind: 'loseAnswer' } });
    expect(await failureOf(createdBy(driver, request('unseen')))).toMatchObject({ settled: false });
    await createdBy(driver, request('unseen'));
    expect(ids('unseen')).toHaveLength(2);
    // The deletion takes both, and the search for orphans sees the second one.
    clock.advance(31);
    const list = { ...request('any'), namespace: 'shoot' };
    const seen = (await driver.listInstances(list)).filter(
      ({ machineName }) => machineName === 'unseen',
    );
    expect(seen).toHaveLength(2);
    expect(await deletedBy(driver, request('unseen'))).toEqual({ found: true });
    expect(ids('unseen')).toEqual([]);
  });
});

describe('a create', () => {
  test('sends what the class says', async () => {
    const providerSpec = {
      ...aSpec,
      image: '155133621',
      sshKeys: ['289794', '3b:16:e4:bf:8b:00:8b:b8:59:8c:a9:d3:f0:19:fa:45'],
      vpcUUID: '760e09ef-dc84-11e8-981e-3cfdfeaae000',
      ipv6: true,
      publicNetworking: true,
      backups: false,
      monitoring: true,
      dropletAgent: false,
      tags: ['env:prod', 'web'],
    };
    await driver.createInstance(request('whole', { providerSpec }));
    expect(living('whole')[0]?.body).toEqual({
      name: 'whole',
      region: 'fra1',
      size: 's-2vcpu-4gb',
      image: 155_133_621,
      ssh_keys: [289_794, '3b:16:e4:bf:8b:00:8b:b8:59:8c:a9:d3:f0:19:fa:45'],
      tags: [
        'env:prod',
        'web',
        'millwright-cluster:cluster-1',
        'millwright-namespace:shoot',
        'millwright-token:uid-of-whole-0',
        'millwright-machine-uid:uid-of-whole',
      ],
      user_data: '#!/bin/sh # hush\n',
      vpc_uuid: '760e09ef-dc84-11e8-981e-3cfdfeaae000',
      ipv6: true,
      public_networking: true,
      backups: false,
      monitoring: true,
      with_droplet_agent: false,
    });
  });

  test('refuses user data that are too long or no text, and makes nothing', async () => {
    const input = { code: 'InvalidArgument', kind: 'input', settled: true };
    expect(await refusalOf('data', { userData: 'ä'.repeat(32_769) })).toMatchObject({
      ...input,
      message: expect.stringContaining('65538 bytes are more than the 65536'),
    });
    expect(
      await refusalOf('data', { userData: '', userDataBytes: Buffer.from([255]) }),
    ).toMatchObject({
      ...input,
      message: expect.stringContaining('this cloud takes text only'),
    });
    expect(everMade('data')).toBe(0);
  });

  test('is told apart by the words of a refusal', async () => {
    team.soldOut.add(aSpec.size);
    expect(await refusalOf('refused')).toMatchObject({
      code: 'ResourceExhausted',
      kind: 'capacity',
    });
    team.soldOut.clear();
    team.dropletMax = 0;
    expect(await refusalOf('refused')).toMatchObject({
      code: 'ResourceExhausted',
      kind: 'quota',
      settled: true,
    });
  });

  test('waits over several calls, and says the same for as long', async () => {
    Object.assign(team, { bootSeconds: 90, tagSeconds: 10 });
    const { answer, pendings } = await followed(
      (more) => aDriver({ waitSeconds: 0 }).createInstance(request('slow', more)),
      () => clock.advance(25),
    );
    expect(answer.found).toBe(false);
    const said = [...new Set(pendings.map(({ message }) => message))];
    expect(said).toEqual(['DigitalOcean: droplet slow is being made (new)']);
    expect(everMade('slow')).toBe(1);
  });

  test('of a droplet that never runs stays pending, and a deletion takes it', async () => {
    team.boots = false;
    const hasty = aDriver({ waitSeconds: 0 });
    for (let n = 0; n < 5; n += 1) {
      const { message } = await pendingOf(hasty.createInstance(request('dud')));
      expect(message).toBe('DigitalOcean: droplet dud is being made (new)');
      clock.advance(300);
    }
    expect(await deletedBy(hasty, request('dud'))).toEqual({ found: true });
    expect(living('dud')).toEqual([]);
  });

  test('of a droplet that is off deletes it, so that the next token makes another', async () => {
    team.boots = false;
    const hasty = aDriver({ waitSeconds: 0 });
    await pendingOf(hasty.createInstance(request('off')));
    for (const droplet of living('off')) {
      Object.assign(droplet, { status: 'off', isLocked: false });
    }
    expect(await failureOf(createdBy(hasty, request('off')))).toMatchObject({
      code: 'Aborted',
      settled: true,
    });
    expect(living('off')).toEqual([]);
  });

  test('of a GPU size looks among GPU droplets', async () => {
    const providerSpec = { ...aSpec, size: 'gpu-h100x1-80gb' };
    const asked = request('gpu', { providerSpec });
    const { providerID } = await driver.createInstance(asked);
    expect(await driver.createInstance(asked)).toMatchObject({ providerID, found: true });
    const list = { ...asked, namespace: 'shoot' };
    expect(await driver.listInstances(list)).toMatchObject([{ providerID }]);
  });
});

describe('a deletion', () => {
  test('waits until the droplet is gone', async () => {
    await driver.createInstance(request('leaves'));
    team.destroySeconds = 30;
    const hasty = aDriver({ waitSeconds: 0 });
    const { pendings } = await followed(
      (more) => hasty.deleteInstance(request('leaves', more)),
      () => clock.advance(20),
    );
    expect(pendings[0]?.message).toBe('DigitalOcean: droplet leaves is being deleted (active)');
    expect(living('leaves')).toEqual([]);
  });

  test('takes along only what the class names', async () => {
    const providerSpec = { ...aSpec, deleteWith: ['volumes'] };
    for (const [name, spec] of [
      ['bare', aSpec],
      ['laden', providerSpec],
    ] as const) {
      const asked = request(name, { providerSpec: spec });
      await driver.createInstance(asked);
      for (const droplet of living(name)) {
        droplet.volumes.push(associated(`${name}-volume`));
        droplet.others.push(associated(`${name}-snapshot`));
      }
      expect(await deletedBy(driver, asked)).toEqual({ found: true });
    }
    expect(team.destroyedWith).toEqual(['volumes/laden-volume']);
  });
});

test('a listing has all pages, of this cluster and namespace', async () => {
  const of = { cluster: 'cluster-7' };
  for (let n = 0; n < 205; n += 1) {
    const tags = ['cluster:cluster-7', 'namespace:shoot'].map((word) => `millwright-${word}`);
    team.add({ name: `page-${n}`, size: aSpec.size, tags });
  }
  const asked = { ...request('any', of), namespace: 'shoot' };
  expect(await driver.listInstances(asked)).toHaveLength(205);
  expect(await driver.listInstances({ ...asked, namespace: 'other' })).toEqual([]);
});

describe('limits of calls', () => {
  test('are waited out until the next call is free', async () => {
    team.useUp();
    const failure = await failureOf(driver.createInstance(request('busy')));
    expect(failure).toMatchObject({ code: 'Unavailable', kind: 'throttling', settled: false });
    expect(failure.retryAfterSeconds).toBeGreaterThan(30);
    clock.advance(61);
    expect(await createdBy(driver, request('busy'))).toMatchObject({
      found: false,
    });
  });

  test.each([
    [{ 'retry-after': '7' }, { retryAfterSeconds: 7 }],
    [{}, {}],
  ])('of a create are settled, with %j', async (headers, more) => {
    const text = '{"id":"too_many_requests","message":"API rate limit exceeded."}';
    proxy.add({ matches: isPost, fault: { kind: 'answer', status: 429, headers, text } });
    expect(await failureOf(driver.createInstance(request('burst')))).toEqual({
      code: 'Unavailable',
      kind: 'throttling',
      settled: true,
      message:
        'DigitalOcean: create droplet burst: Error 429 too_many_requests: API rate limit exceeded.',
      ...more,
    });
  });
});

test('no answer at all ends by the time limit, and settles nothing', async () => {
  proxy.add({ matches: isPost, fault: { kind: 'silence' } });
  const hasty = aDriver({ callTimeoutSeconds: 2 });
  expect(await failureOf(hasty.createInstance(request('silent')))).toMatchObject({
    code: 'DeadlineExceeded',
    settled: false,
  });
  proxy.clear();
  expect(await createdBy(driver, request('silent'))).toMatchObject({
    found: true,
  });
  expect(everMade('silent')).toBe(1);
});

test('secrets stand in nothing that is pending', async () => {
  team.bootSeconds = 60;
  const asked = request('mute', { userData: 'hush' });
  const pending = await pendingOf(aDriver({ waitSeconds: 0 }).createInstance(asked));
  expect(inspect(pending, { depth: 10 })).not.toMatch(/dop_v1|hush/);
});
