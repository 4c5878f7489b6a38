/** The driver over the wire, against the double. */
import { inspect } from 'node:util';
import { DriverError } from '../../../../activities/drivers/driver.ts';
import { describeDriverContract } from '../contract.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy, followed, pendingOf } from '../following.ts';
import { aDigitalOceanWorld, aSpec, digitalOceanRequest } from './digitalocean-world.ts';

const world = await aDigitalOceanWorld();
const { team, clock } = world.double;

const living = (name: string) => team.living(name);
const everMade = (name: string): number => team.madeByName.get(name) ?? 0;
const ids = (name: string): number[] => living(name).map(({ id }) => id);
const isPost = ({ method }: { method: string }): boolean => method === 'POST';

const refusalOf = (name: string, more = {}) =>
  failureOf(world.driver.createInstance(digitalOceanRequest(name, more)));

const associated = (id: string) => ({ id, name: id, cost: '0' });

afterEach(() => {
  clock.advance(600);
  Object.assign(team, { bootSeconds: 0, tagSeconds: 0, destroySeconds: 0, listSeconds: 0 });
  Object.assign(team, { boots: true, dropletMax: 1_000 });
  team.soldOut.clear();
});

describeDriverContract({
  driver: () => world.driver,
  request: digitalOceanRequest,
  countMade: everMade,
  countLiving: (name) => living(name).length,
  expectMade: ({ providerID, addresses }, name) => {
    const [droplet] = living(name);
    expect(providerID).toBe(`digitalocean://${droplet?.id}`);
    expect(addresses?.map(({ type }) => type)).toEqual(['InternalIP', 'ExternalIP', 'Hostname']);
  },
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
  remembersTokens: false,
  // See "two creates at once" below: both may send, and one of them gives way.
  createsAtOnce: 0,
  hasConsole: false,
  requestId: /^[0-9a-f-]{36}$/,
});

describe('one instance, although nothing refuses a second create', () => {
  test.each([0, 30])('two creates at once leave one, with tags after %s s', async (seconds) => {
    const name = `pair-${seconds}`;
    team.tagSeconds = seconds;
    const driver = world.aDriver({ waitSeconds: 0 });
    const ends = await Promise.allSettled([
      driver.createInstance(digitalOceanRequest(name)),
      driver.createInstance(digitalOceanRequest(name)),
    ]);
    team.goOn();
    expect(ids(name)).toHaveLength(1);
    // Nothing of this is settled: both tries come back with the token.
    const isSettled = ends.map((end) => end.status === 'rejected' && end.reason.settled === true);
    expect(isSettled).toEqual([false, false]);
    clock.advance(31);
    const [providerID] = ids(name).map((id) => `digitalocean://${id}`);
    expect(await createdBy(driver, digitalOceanRequest(name))).toMatchObject({ providerID });
    expect(await createdBy(driver, digitalOceanRequest(name))).toMatchObject({ providerID });
  });

  test('a create whose answer is lost is found, although its tags come late', async () => {
    team.tagSeconds = 30;
    world.proxy.add({ matches: isPost, nth: 1, fault: { kind: 'loseAnswer' } });
    const create = () => world.driver.createInstance(digitalOceanRequest('lost'));
    expect(await failureOf(create())).toMatchObject({ code: 'Unavailable', settled: false });
    const { message } = await pendingOf(create());
    expect(message).toBe('DigitalOcean: droplet lost has no tags yet');
    clock.advance(31);
    expect(await create()).toMatchObject({ found: true });
    expect(everMade('lost')).toBe(1);
  });

  test('a namesake without tags is waited for while it is young, and then left alone', async () => {
    const stranger = team.add({ name: 'namesake', size: aSpec.size, tags: [] });
    const create = () => world.driver.createInstance(digitalOceanRequest('namesake'));
    expect((await pendingOf(create())).message).toContain('has no tags yet');
    stranger.createdAt = '2026-01-01T00:00:00Z';
    expect(await create()).toMatchObject({ found: false });
    expect(await deletedBy(world.driver, digitalOceanRequest('namesake'))).toEqual({ found: true });
    expect(ids('namesake')).toEqual([stranger.id]);
  });

  test('what no promise covers: a lost answer, and a list that does not show it yet', async () => {
    team.listSeconds = 30;
    world.proxy.add({ matches: isPost, nth: 1, fault: { kind: 'loseAnswer' } });
    const create = () => createdBy(world.driver, digitalOceanRequest('unseen'));
    expect(await failureOf(create())).toMatchObject({ settled: false });
    await create();
    expect(ids('unseen')).toHaveLength(2);
    // The deletion takes both, and the search for orphans sees the second one.
    clock.advance(31);
    const list = { ...digitalOceanRequest('any'), namespace: 'shoot' };
    const seen = (await world.driver.listInstances(list)).filter(
      ({ machineName }) => machineName === 'unseen',
    );
    expect(seen).toHaveLength(2);
    expect(await deletedBy(world.driver, digitalOceanRequest('unseen'))).toEqual({ found: true });
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
    await world.driver.createInstance(digitalOceanRequest('whole', { providerSpec }));
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
      user_data: '#!/bin/sh\n',
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
    const providerSpec = { ...aSpec, image: 'plan9' };
    expect(await refusalOf('refused', { providerSpec })).toMatchObject({ code: 'InvalidArgument' });
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
      (more) => world.aDriver({ waitSeconds: 0 }).createInstance(digitalOceanRequest('slow', more)),
      () => clock.advance(25),
    );
    expect(answer.found).toBe(false);
    const said = [...new Set(pendings.map(({ message }) => message))];
    expect(said).toEqual(['DigitalOcean: droplet slow is being made (new)']);
    expect(everMade('slow')).toBe(1);
  });

  test('of a droplet that never runs stays pending, and a deletion takes it', async () => {
    team.boots = false;
    const driver = world.aDriver({ waitSeconds: 0 });
    for (let n = 0; n < 5; n += 1) {
      const { message } = await pendingOf(driver.createInstance(digitalOceanRequest('dud')));
      expect(message).toBe('DigitalOcean: droplet dud is being made (new)');
      clock.advance(300);
    }
    expect(await deletedBy(driver, digitalOceanRequest('dud'))).toEqual({ found: true });
    expect(living('dud')).toEqual([]);
  });

  test('of a droplet that is off deletes it, so that the next token makes another', async () => {
    team.boots = false;
    const driver = world.aDriver({ waitSeconds: 0 });
    await pendingOf(driver.createInstance(digitalOceanRequest('off')));
    for (const droplet of living('off')) {
      Object.assign(droplet, { status: 'off', isLocked: false });
    }
    expect(await failureOf(createdBy(driver, digitalOceanRequest('off')))).toMatchObject({
      code: 'Aborted',
      settled: true,
    });
    expect(living('off')).toEqual([]);
  });

  test('of a GPU size looks among GPU droplets', async () => {
    const providerSpec = { ...aSpec, size: 'gpu-h100x1-80gb' };
    const request = digitalOceanRequest('gpu', { providerSpec });
    const { providerID } = await world.driver.createInstance(request);
    expect(await world.driver.createInstance(request)).toMatchObject({ providerID, found: true });
    const list = { ...request, namespace: 'shoot' };
    expect(await world.driver.listInstances(list)).toMatchObject([{ providerID }]);
  });
});

describe('a deletion', () => {
  test('waits until the droplet is gone', async () => {
    await world.driver.createInstance(digitalOceanRequest('leaves'));
    team.destroySeconds = 30;
    const driver = world.aDriver({ waitSeconds: 0 });
    const { pendings } = await followed(
      (more) => driver.deleteInstance(digitalOceanRequest('leaves', more)),
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
      const request = digitalOceanRequest(name, { providerSpec: spec });
      await world.driver.createInstance(request);
      for (const droplet of living(name)) {
        droplet.volumes.push(associated(`${name}-volume`));
        droplet.others.push(associated(`${name}-snapshot`));
      }
      expect(await deletedBy(world.driver, request)).toEqual({ found: true });
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
  const request = { ...digitalOceanRequest('any', of), namespace: 'shoot' };
  expect(await world.driver.listInstances(request)).toHaveLength(205);
  expect(await world.driver.listInstances({ ...request, namespace: 'other' })).toEqual([]);
});

describe('credentials', () => {
  test.each([
    [{}, /token is missing/],
    [{ token: 'a b' }, /characters that no token has/],
    [{ token: 'wrong' }, /Error 401 unauthorized/],
  ])('%j are refused', async (secret, message) => {
    const call = world.driver.createInstance(digitalOceanRequest('stranger', { secret }));
    expect(await failureOf(call)).toMatchObject({
      code: 'Unauthenticated',
      kind: 'credentials',
      message: expect.stringMatching(message),
    });
  });
});

describe('limits of calls', () => {
  test('are waited out until the next call is free', async () => {
    team.useUp();
    const failure = await failureOf(world.driver.createInstance(digitalOceanRequest('busy')));
    expect(failure).toMatchObject({ code: 'Unavailable', kind: 'throttling', settled: false });
    expect(failure.retryAfterSeconds).toBeGreaterThan(30);
    clock.advance(61);
    expect(await createdBy(world.driver, digitalOceanRequest('busy'))).toMatchObject({
      found: false,
    });
  });

  test.each([
    [{ 'retry-after': '7' }, { retryAfterSeconds: 7 }],
    [{}, {}],
  ])('of a create are settled, with %j', async (headers, more) => {
    const text = '{"id":"too_many_requests","message":"API rate limit exceeded."}';
    world.proxy.add({ matches: isPost, fault: { kind: 'answer', status: 429, headers, text } });
    expect(await failureOf(world.driver.createInstance(digitalOceanRequest('burst')))).toEqual({
      code: 'Unavailable',
      kind: 'throttling',
      settled: true,
      message:
        'DigitalOcean: create droplet burst: Error 429 too_many_requests: API rate limit exceeded.',
      ...more,
    });
  });
});

describe('answers of strangers', () => {
  const pages = [
    { status: 404, text: '<html>404 page not found</html>' },
    { status: 200, text: '<html>welcome</html>' },
    { status: 200, text: '{}' },
    { status: 503, text: 'down' },
  ];

  test.each(pages)('$status $text says nothing about a droplet', async ({ status, text }) => {
    const name = `page-of-${status}-${text.length}`;
    const made = await world.driver.createInstance(digitalOceanRequest(name));
    world.proxy.add({ fault: { kind: 'answer', status, text } });
    const known = digitalOceanRequest(name, { providerID: made.providerID });
    const calls = [
      () => world.driver.describeInstance(known),
      () => world.driver.createInstance(known),
      () => world.driver.createInstance(digitalOceanRequest(name)),
      () => world.driver.deleteInstance(known),
      () => world.driver.deleteInstance(digitalOceanRequest(name)),
      () => world.driver.listInstances({ ...known, namespace: 'shoot' }),
    ];
    for (const call of calls) expect(await failureOf(call())).toMatchObject({ settled: false });
    expect(living(name)).toHaveLength(1);
  });

  test('no answer at all ends by the time limit, and settles nothing', async () => {
    world.proxy.add({ matches: isPost, fault: { kind: 'silence' } });
    const hasty = world.aDriver({ callTimeoutSeconds: 2 });
    expect(await failureOf(hasty.createInstance(digitalOceanRequest('silent')))).toMatchObject({
      code: 'DeadlineExceeded',
      settled: false,
    });
    world.proxy.clear();
    expect(await createdBy(world.driver, digitalOceanRequest('silent'))).toMatchObject({
      found: true,
    });
    expect(everMade('silent')).toBe(1);
  });
});

describe('secrets', () => {
  test.each([
    ['a refusal', { kind: 'answer', status: 403, text: '{"id":"forbidden","message":"no"}' }],
    ['a broken connection', { kind: 'loseAnswer' }],
  ] as const)('stand in no failure, such as %s', async (_what, fault) => {
    world.proxy.add({ matches: isPost, fault });
    const request = digitalOceanRequest('quiet', { userData: '#cloud-config hush' });
    const error: unknown = await world.driver.createInstance(request).catch((reason) => reason);
    expect(error).toBeInstanceOf(DriverError);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/dop_v1|hush/);
  });

  test('stand in nothing that is pending', async () => {
    team.bootSeconds = 60;
    const request = digitalOceanRequest('mute', { userData: 'hush' });
    const pending = await pendingOf(world.aDriver({ waitSeconds: 0 }).createInstance(request));
    expect(inspect(pending, { depth: 10 })).not.toMatch(/dop_v1|hush/);
  });
});
