/** The driver over the wire, against the double. */
import { inspect } from 'node:util';
import { DriverError } from '../../../../activities/drivers/driver.ts';
import { describeDriverContract } from '../contract.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy, followed, pendingOf } from '../following.ts';
import { readOnlyToken, startHetznerDouble, token } from '../../../doubles/hetzner/double.ts';
import { aHetznerWorld, aSecret, aSpec, hetznerRequest } from './hetzner-world.ts';

const world = await aHetznerWorld();
const { project, clock } = world.double;

const living = (name: string) => project.living(name);
const everMade = (name: string): number => project.madeByName.get(name) ?? 0;
const addressesOf = (name: string): string[] =>
  [...project.floatingIps.values()].map((ip) => ip.name).filter((one) => one.includes(name));

const bodyOf = (name: string) => living(name)[0]?.body;
const ours = (name: string) => ({
  'millwright.dev/cluster': 'cluster-1',
  'millwright.dev/namespace': 'shoot',
  'millwright.dev/machine-uid': `uid-of-${name}`,
  'millwright.dev/token': `uid-of-${name}-0`,
});

const refusalOf = (name: string, more = {}) =>
  failureOf(
    world.driver.createInstance(hetznerRequest(name, { providerSpec: { ...aSpec, ...more } })),
  );

afterEach(() => {
  project.actionSeconds = 0;
  project.startsServers = true;
  project.serverMax = 1_000;
  project.soldOut.clear();
  project.limit.useUp(3_600);
});

describeDriverContract({
  driver: () => world.driver,
  request: hetznerRequest,
  countMade: everMade,
  countLiving: (name) => living(name).length,
  expectMade: ({ providerID, addresses }, name) => {
    const [server] = living(name);
    expect(providerID).toBe(`hcloud:///hel1/${server?.id}`);
    expect(addresses?.at(-1)).toEqual({ type: 'Hostname', address: name });
  },
  absentProviderID: 'hcloud:///hel1/999999',
  badSpec: {
    providerSpec: { ...aSpec, location: 'hel1-dc2' },
    message:
      'Invalid value: providerSpec.location: "hel1-dc2" is not the name of a location, such as "hel1"',
  },
  brokenSpec: {},
  volumes: {
    specs: [{ csi: { driver: 'csi.hetzner.cloud', volumeHandle: '4711' } }],
    ids: ['4711'],
  },
  remembersTokens: false,
  hasConsole: false,
  requestId: /^[0-9a-f-]{36}$/,
});

describe('a create', () => {
  test('sends what a class of today says', async () => {
    const providerSpec = {
      ...aSpec,
      sshKeys: ['operators'],
      networkName: 'shoot',
      networks: [4712],
      firewalls: [38],
      placementGroupID: '897',
      assignPublicIPv6: false,
      labels: { team: 'blue' },
    };
    await world.driver.createInstance(hetznerRequest('whole', { providerSpec }));
    expect(bodyOf('whole')).toEqual({
      name: 'whole',
      server_type: 'cx32',
      image: 'ubuntu-24.04',
      location: 'hel1',
      labels: {
        team: 'blue',
        'mcm.gardener.cloud/cluster': 'shoot--garden--example',
        'mcm.gardener.cloud/role': 'node',
        'topology.kubernetes.io/region': 'hel1',
        'topology.kubernetes.io/zone': 'hel1',
        ...ours('whole'),
      },
      ssh_keys: ['operators', 21],
      networks: [4712],
      firewalls: [{ firewall: 38 }],
      placement_group: 897,
      public_net: { enable_ipv4: true, enable_ipv6: false },
      user_data: '#!/bin/sh\n',
    });
  });

  test('of a class with a datacenter is made in its location, and keeps the datacenter', async () => {
    const { location: _, ...rest } = aSpec;
    const providerSpec = { ...rest, zone: 'hel1-dc2', imageName: '4711' };
    const made = await world.driver.createInstance(hetznerRequest('old', { providerSpec }));
    const [server] = living('old');
    expect(made.providerID).toBe(`hcloud:///hel1-dc2/${server?.id}`);
    expect(server?.body).toMatchObject({
      location: 'hel1',
      image: 4711,
      labels: {
        'topology.kubernetes.io/region': 'hel1',
        'topology.kubernetes.io/zone': 'hel1-dc2',
      },
    });
  });

  test('sends user data that are no text as base64, which cloud-init decodes', async () => {
    const userDataBytes = Buffer.from([0x1f, 0x8b, 0xff]);
    await world.driver.createInstance(hetznerRequest('bytes', { userData: '', userDataBytes }));
    expect(bodyOf('bytes')).toMatchObject({ user_data: 'H4v/' });
  });

  test('refuses user data that Hetzner would not take, and makes nothing', async () => {
    const request = hetznerRequest('large', { userData: 'x'.repeat(32_769) });
    expect(await failureOf(world.driver.createInstance(request))).toEqual({
      code: 'InvalidArgument',
      kind: 'input',
      settled: true,
      message:
        "Invalid value: the Secret's userData: 32769 bytes are more than the 32768 that Hetzner takes",
    });
    expect(everMade('large')).toBe(0);
  });

  test.each([
    ['sshFingerprint', 'none', /ssh_keys: none with fingerprint "none" exists/],
    ['networkName', 'nowhere', /networks: none with name "nowhere" exists/],
    ['imageName', 'plan9', /422 invalid_input: .*image: does not exist/],
    ['placementGroupID', '1', /placement_group: does not exist/],
  ])('with %s %s is refused, and settled', async (field, value, message) => {
    const request = hetznerRequest(`wrong-${field.toLowerCase()}`, {
      providerSpec: { ...aSpec, [field]: value },
    });
    expect(await failureOf(world.driver.createInstance(request))).toMatchObject({
      code: 'InvalidArgument',
      kind: 'input',
      settled: true,
      message: expect.stringMatching(message),
    });
  });

  test('without room says what is missing, so that the autoscaler turns elsewhere', async () => {
    const exhausted = { code: 'ResourceExhausted', settled: true };
    project.serverMax = 0;
    expect(await refusalOf('over')).toMatchObject({ ...exhausted, kind: 'quota' });
    project.serverMax = 1_000;
    project.soldOut.add('cx32');
    expect(await refusalOf('sold-out')).toMatchObject({ ...exhausted, kind: 'capacity' });
    const elsewhere = await refusalOf('elsewhere', { serverType: 'cpx41' });
    expect(elsewhere).toMatchObject({ ...exhausted, kind: 'capacity' });
  });

  test('waits for its action over several calls, and says the same for as long', async () => {
    project.actionSeconds = 60;
    const driver = world.aDriver({ waitSeconds: 0 });
    const { answer, pendings } = await followed(
      (more) => driver.createInstance(hetznerRequest('slow', more)),
      () => clock.advance(25),
    );
    expect(answer.found).toBe(false);
    expect(new Set(pendings.map(({ message }) => message))).toEqual(
      new Set(['Hetzner Cloud: server slow is being made (operation running, 0 %)']),
    );
    expect(pendings).toHaveLength(3);
  });

  test('goes on without its checkpoint', async () => {
    project.actionSeconds = 60;
    const driver = world.aDriver({ waitSeconds: 0 });
    await pendingOf(driver.createInstance(hetznerRequest('forgot')));
    const again = await pendingOf(driver.createInstance(hetznerRequest('forgot')));
    expect(again.message).toBe('Hetzner Cloud: server forgot is being made (initializing)');
    clock.advance(61);
    expect(await createdBy(driver, hetznerRequest('forgot'))).toMatchObject({ found: true });
    expect(everMade('forgot')).toBe(1);
  });

  test('whose action fails is refused with its reason, and settled, as nothing is left', async () => {
    const providerSpec = { ...aSpec, placementGroupID: '897' };
    for (let n = living('whole').length; n < 10; n += 1) {
      await world.driver.createInstance(hetznerRequest(`mate-${n}`, { providerSpec }));
    }
    const request = hetznerRequest('eleventh', { providerSpec });
    expect(await failureOf(world.driver.createInstance(request))).toEqual({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: true,
      message:
        'Hetzner Cloud: action create_server of eleventh: placement_error: no host is left for this placement group',
    });
    expect(living('eleventh')).toEqual([]);
  });

  test('of a server that does not start deletes it, so that the next token makes another', async () => {
    project.startsServers = false;
    const call = createdBy(world.driver, hetznerRequest('dud'));
    expect(await failureOf(call)).toMatchObject({
      code: 'Aborted',
      settled: true,
      message: 'server dud is off before it was of use',
    });
    expect(living('dud')).toEqual([]);
  });

  test('leaves a server alone that has the name and is not ours', async () => {
    await world.driver.createInstance(hetznerRequest('shared', { cluster: 'cluster-9' }));
    const [server] = living('shared');
    if (server) server.labels = {};
    expect(await failureOf(world.driver.createInstance(hetznerRequest('shared')))).toMatchObject({
      code: 'AlreadyExists',
      settled: true,
    });
    expect(await world.driver.deleteInstance(hetznerRequest('shared'))).toEqual({ found: false });
    expect(living('shared')).toHaveLength(1);
  });
});

describe('what MCM has made', () => {
  const { location: _, ...rest } = aSpec;
  const providerSpec = { ...rest, zone: 'hel1-dc2', floatingPoolName: 'pool' };

  /** As the driver of 23technologies labels it. */
  async function aServerOfMcm(name: string): Promise<string> {
    const request = hetznerRequest(name, { providerSpec });
    const { providerID } = await world.driver.createInstance(request);
    await world.driver.initializeInstance(request);
    const all = [...living(name), ...project.floatingIps.values()];
    for (const thing of all.filter((one) => one.name.includes(name))) {
      thing.labels = Object.fromEntries(
        Object.entries(thing.labels).filter(([key]) => !key.startsWith('millwright.dev/')),
      );
    }
    return providerID;
  }

  test('is taken over by its providerID or name, listed, and deleted with its address', async () => {
    const providerID = await aServerOfMcm('taken');
    expect(
      await world.driver.createInstance(hetznerRequest('taken', { providerSpec, providerID })),
    ).toMatchObject({ found: true, providerID });
    expect(
      await world.driver.createInstance(hetznerRequest('taken', { providerSpec })),
    ).toMatchObject({ found: true, providerID });
    const listed = await world.driver.listInstances({
      ...hetznerRequest('any', { providerSpec }),
      namespace: 'shoot',
    });
    expect(listed.map((one) => one.providerID)).toContain(providerID);
    expect(
      await deletedBy(world.driver, hetznerRequest('taken', { providerSpec, providerID })),
    ).toEqual({ found: true });
    expect([living('taken'), addressesOf('taken')]).toEqual([[], []]);
  });

  test('may be named as Nodes have it', async () => {
    const providerID = await aServerOfMcm('by-node');
    const id = providerID.split('/').at(-1);
    const request = hetznerRequest('by-node', { providerSpec, providerID: `hcloud://${id}` });
    expect(await world.driver.describeInstance(request)).toMatchObject({ providerID });
  });
});

describe('a floating IP', () => {
  const providerSpec = { ...aSpec, floatingPoolName: 'pool' };
  const request = (name: string, more = {}) => hetznerRequest(name, { providerSpec, ...more });

  test('is made for the server when that is initialised, and goes with it', async () => {
    const made = await world.driver.createInstance(request('floats'));
    expect([made.isInitialized, addressesOf('floats')]).toEqual([false, []]);
    expect(await world.driver.initializeInstance(request('floats'))).toMatchObject({
      isInitialized: true,
    });
    expect(addressesOf('floats')).toEqual(['pool-floats-ipv4']);
    expect([...project.floatingIps.values()].at(-1)?.server).toBe(living('floats')[0]?.id);
    expect(await deletedBy(world.driver, request('floats'))).toEqual({ found: true });
    expect([living('floats'), addressesOf('floats')]).toEqual([[], []]);
  });

  test('is one, although the answer to its make was lost', async () => {
    await world.driver.createInstance(request('once'));
    world.proxy.add({ matches: ({ method }) => method === 'POST', fault: { kind: 'loseAnswer' } });
    const initialize = () => world.driver.initializeInstance(request('once'));
    expect(await failureOf(initialize())).toMatchObject({ code: 'Unavailable' });
    world.proxy.clear();
    expect(await initialize()).toMatchObject({ isInitialized: true });
    expect(addressesOf('once')).toHaveLength(1);
  });

  test('without its server stands in listings under its Machine, and can be deleted', async () => {
    await world.driver.createInstance(request('alone'));
    await world.driver.initializeInstance(request('alone'));
    for (const { id } of living('alone')) project.servers.delete(id);
    const list = { ...request('any'), namespace: 'shoot' };
    const listed = await world.driver.listInstances(list);
    const [left] = listed.filter(({ machineName }) => machineName === 'alone');
    expect(left?.providerID).toMatch(/^hcloud:\/\/\/floating-ips\/\d+$/);
    const providerID = left?.providerID ?? '';
    expect(await world.driver.deleteListed({ ...list, providerID })).toEqual({ found: true });
    expect(addressesOf('alone')).toEqual([]);
  });

  test('goes with its Machine although the class has no pool any more', async () => {
    await world.driver.createInstance(request('moved'));
    await world.driver.initializeInstance(request('moved'));
    expect(addressesOf('moved')).toHaveLength(1);
    expect(await deletedBy(world.driver, hetznerRequest('moved'))).toEqual({ found: true });
    expect(addressesOf('moved')).toEqual([]);
  });

  test('of two that are initialised at once is one', async () => {
    await world.driver.createInstance(request('pair'));
    const both = await Promise.all([
      world.driver.initializeInstance(request('pair')),
      world.driver.initializeInstance(request('pair')),
    ]);
    expect(both.map(({ isInitialized }) => isInitialized)).toEqual([true, true]);
    expect(addressesOf('pair')).toHaveLength(1);
  });
});

describe('a deletion', () => {
  test('waits for its action', async () => {
    await world.driver.createInstance(hetznerRequest('leaves'));
    project.actionSeconds = 30;
    const driver = world.aDriver({ waitSeconds: 0 });
    const { answer, pendings } = await followed(
      (more) => driver.deleteInstance(hetznerRequest('leaves', more)),
      () => clock.advance(20),
    );
    expect(answer).toEqual({ found: true });
    expect(pendings[0]?.message).toBe(
      'Hetzner Cloud: server leaves is being deleted (operation running, 0 %)',
    );
  });

  test('of a server that is locked by another action is asked for again', async () => {
    project.actionSeconds = 30;
    const driver = world.aDriver({ waitSeconds: 0 });
    await pendingOf(driver.createInstance(hetznerRequest('locked')));
    expect(await failureOf(driver.deleteInstance(hetznerRequest('locked')))).toMatchObject({
      code: 'Aborted',
      settled: false,
      message: expect.stringContaining('Error 423 locked'),
    });
    clock.advance(31);
    project.actionSeconds = 0;
    expect(await deletedBy(world.driver, hetznerRequest('locked'))).toEqual({ found: true });
  });

  test('of a protected server says what to do', async () => {
    await world.driver.createInstance(hetznerRequest('kept'));
    const [server] = living('kept');
    if (server) server.isProtected = true;
    expect(await failureOf(world.driver.deleteInstance(hetznerRequest('kept')))).toMatchObject({
      code: 'FailedPrecondition',
      message: expect.stringContaining('Error 423 protected: server is delete protected'),
    });
  });
});

describe('a listing', () => {
  test('has all pages, of this cluster and namespace', async () => {
    const of = { cluster: 'cluster-7', providerSpec: { ...aSpec, cluster: 'pages' } };
    await Promise.all(
      Array.from({ length: 120 }, (_, n) =>
        world.driver.createInstance(hetznerRequest(`page-${n}`, of)),
      ),
    );
    await world.driver.createInstance(hetznerRequest('page-x', { ...of, cluster: 'cluster-8' }));
    const request = { ...hetznerRequest('any', of), namespace: 'shoot' };
    expect(await world.driver.listInstances(request)).toHaveLength(120);
    expect(await world.driver.listInstances({ ...request, namespace: 'other' })).toEqual([]);
  });

  test('shows an instance that was given the labels of this cluster', async () => {
    const driver = world.aDriver({}, { allowsRetagging: true });
    const { providerID } = await driver.createInstance(
      hetznerRequest('kin', { cluster: 'cluster-0' }),
    );
    await driver.createInstance(hetznerRequest('kin', { providerID }));
    const listed = await driver.listInstances({ ...hetznerRequest('any'), namespace: 'shoot' });
    expect(listed.map(({ machineName }) => machineName)).toContain('kin');
  });
});

describe('credentials', () => {
  test('may lie under the name of Gardener, with a line break at the end', async () => {
    const secret = { hcloudToken: `${token}\n` };
    expect(await world.driver.createInstance(hetznerRequest('named', { secret }))).toMatchObject({
      found: false,
    });
  });

  test.each([
    [{}, /token or hcloudToken is missing/],
    [{ token: 'a\nb' }, /characters that no token has/],
    [{ token: 'wrong' }, /Error 401 unauthorized/],
  ])('%j are refused', async (secret, message) => {
    const call = world.driver.createInstance(hetznerRequest('stranger', { secret }));
    expect(await failureOf(call)).toMatchObject({
      code: 'Unauthenticated',
      kind: 'credentials',
      message: expect.stringMatching(message),
    });
  });

  test('that may only read make nothing', async () => {
    const call = world.driver.createInstance(
      hetznerRequest('reader', { secret: { token: readOnlyToken } }),
    );
    expect(await failureOf(call)).toMatchObject({ code: 'PermissionDenied', settled: true });
  });
});

describe('limits of calls', () => {
  test('are waited out with back-off, and not until an hour is over', async () => {
    project.limit.useUp();
    expect(await failureOf(world.driver.createInstance(hetznerRequest('busy')))).toEqual({
      code: 'Unavailable',
      kind: 'throttling',
      settled: false,
      message:
        'Hetzner Cloud: list servers: Error 429 rate_limit_exceeded: limit of 3600 requests per hour reached',
    });
    clock.advance(10);
    expect(await createdBy(world.driver, hetznerRequest('busy'))).toMatchObject({ found: false });
  });

  test('of something in between are waited out as it says', async () => {
    world.proxy.add({
      matches: ({ method }) => method === 'POST',
      fault: { kind: 'answer', status: 429, headers: { 'retry-after': '7' }, text: 'slow down' },
    });
    expect(await failureOf(world.driver.createInstance(hetznerRequest('between')))).toMatchObject({
      code: 'Unavailable',
      retryAfterSeconds: 7,
      settled: false,
    });
    expect(everMade('between')).toBe(0);
  });
});

describe('answers of strangers', () => {
  const pages = [
    { status: 404, text: '<html>404 page not found</html>' },
    { status: 200, text: '<html>welcome</html>' },
    { status: 200, text: '{}' },
    { status: 503, text: 'down' },
  ];

  test.each(pages)('$status $text says nothing about a server', async ({ status, text }) => {
    const name = `page-of-${status}-${text.length}`;
    const made = await world.driver.createInstance(hetznerRequest(name));
    world.proxy.add({ fault: { kind: 'answer', status, text } });
    const known = hetznerRequest(name, { providerID: made.providerID });
    const calls = [
      () => world.driver.describeInstance(known),
      () => world.driver.createInstance(known),
      () => world.driver.createInstance(hetznerRequest(name)),
      () => world.driver.deleteInstance(known),
      () => world.driver.deleteInstance(hetznerRequest(name)),
      () => world.driver.listInstances({ ...known, namespace: 'shoot' }),
    ];
    for (const call of calls) expect(await failureOf(call())).toMatchObject({ settled: false });
    expect(living(name)).toHaveLength(1);
  });

  test('a refusal that is not of Hetzner settles no create', async () => {
    world.proxy.add({
      matches: ({ method }) => method === 'POST',
      fault: { kind: 'answer', status: 403, text: '<html>forbidden by a proxy</html>' },
    });
    expect(await failureOf(world.driver.createInstance(hetznerRequest('proxied')))).toMatchObject({
      code: 'Unknown',
      settled: false,
      message: expect.stringContaining('not an answer of this cloud'),
    });
  });

  test('no answer at all ends by the time limit, and settles nothing', async () => {
    world.proxy.add({ matches: ({ method }) => method === 'POST', fault: { kind: 'silence' } });
    const hasty = world.aDriver({ callTimeoutSeconds: 2 });
    expect(await failureOf(hasty.createInstance(hetznerRequest('silent')))).toMatchObject({
      code: 'DeadlineExceeded',
      settled: false,
    });
    world.proxy.clear();
    expect(await createdBy(world.driver, hetznerRequest('silent'))).toMatchObject({ found: true });
    expect(everMade('silent')).toBe(1);
  });
});

describe('secrets', () => {
  test.each([
    [
      'a refusal',
      { kind: 'answer', status: 403, text: '{"error":{"code":"forbidden","message":"no"}}' },
    ],
    ['a broken connection', { kind: 'loseAnswer' }],
  ] as const)('stand in no failure, such as %s', async (_what, fault) => {
    world.proxy.add({ matches: ({ method }) => method === 'POST', fault });
    const request = hetznerRequest('quiet', { userData: '#cloud-config hush' });
    const error: unknown = await world.driver.createInstance(request).catch((reason) => reason);
    expect(error).toBeInstanceOf(DriverError);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/a-token-of|hush/);
  });

  test('stand in no checkpoint, nor the password that Hetzner makes up', async () => {
    project.actionSeconds = 60;
    const { sshFingerprint: _, ...providerSpec } = aSpec;
    const request = hetznerRequest('mute', { providerSpec, userData: 'hush' });
    const pending = await pendingOf(world.aDriver({ waitSeconds: 0 }).createInstance(request));
    expect(inspect(pending, { depth: 10 })).not.toMatch(/a-token-of|hush|YItygq/);
    clock.advance(61);
  });
});

test('the double refuses what Hetzner does not know any more', async () => {
  await using double = await aDoubleAlone();
  const send = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${aSecret.token}` };
    const given = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    const answer = await fetch(`${double.url}${path}`, { headers, ...given });
    return { status: answer.status, body: await answer.json() };
  };
  expect(await send('/datacenters')).toMatchObject({
    status: 410,
    body: { error: { code: 'deprecated_api_endpoint' } },
  });
  const { cluster: _, location, ...spec } = aSpec;
  const server = { name: 'a', server_type: spec.serverType, image: spec.imageName, location };
  expect(await send('/servers', { ...server, datacenter: 'hel1-dc2' })).toMatchObject({
    status: 422,
    body: { error: { details: { fields: [{ name: 'datacenter' }] } } },
  });
});

async function aDoubleAlone() {
  const double = await startHetznerDouble();
  return { url: double.url, [Symbol.asyncDispose]: double.close };
}
