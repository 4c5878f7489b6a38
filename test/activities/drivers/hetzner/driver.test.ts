/** The driver over the wire, against the double. */
import { inspect } from 'node:util';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy, followed, pendingOf } from '../following.ts';
import { readOnlyToken, startHetznerDouble, token } from '../../../doubles/hetzner/double.ts';
import { describeSmallCloud } from '../small-clouds.ts';
import { aHetznerCloud, aSecret, aSpec } from './hetzner-cloud.ts';

const cloud = await aHetznerCloud();
const { proxy, driver, aDriver, request } = cloud;
const { project, clock } = cloud.double;

const isPost = ({ method }: { method: string }): boolean => method === 'POST';
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
  failureOf(driver.createInstance(request(name, { providerSpec: { ...aSpec, ...more } })));

afterEach(() => {
  project.actionSeconds = 0;
  project.startsServers = true;
  project.serverMax = 1_000;
  project.soldOut.clear();
  project.limit.useUp(3_600);
});

describeSmallCloud(cloud, {
  countMade: everMade,
  countLiving: (name) => living(name).length,
  expectMade: ({ providerID, addresses }, name) => {
    const [server] = living(name);
    expect(providerID).toBe(`hcloud:///hel1/${server?.id}`);
    expect(addresses?.at(-1)).toEqual({ type: 'Hostname', address: name });
  },
  providerIDForm: 'hcloud:///LOCATION/ID',
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
  requestId: /^[0-9a-f-]{36}$/,
  uniqueness: 'name',
  provider: 'hcloud',
  isSearch: ({ method, path }) => method === 'GET' && path.includes('/servers?'),
  isCreate: isPost,
  isRemoval: ({ method }) => method === 'DELETE',
  canaries: /a-token-of|hush/,
  absent: [
    [{ sshFingerprint: 'none' }, 'ssh_keys: none with fingerprint "none" exists'],
    [{ networkName: 'nowhere' }, 'networks: none with name "nowhere" exists'],
    [
      { imageName: 'plan9' },
      "422 invalid_input: invalid input in field 'image' (image: does not exist)",
    ],
    [{ placementGroupID: '1' }, 'placement_group: does not exist'],
  ],
  refused: [
    [{}, 'token or hcloudToken is missing'],
    [{ token: 'a\nb' }, 'characters that no token has'],
    [{ token: 'wrong' }, 'Error 401 unauthorized'],
  ],
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
    await driver.createInstance(request('whole', { providerSpec }));
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
      user_data: '#!/bin/sh # hush\n',
    });
  });

  test('of a class with a datacenter is made in its location, and keeps the datacenter', async () => {
    const { location: _, ...rest } = aSpec;
    const providerSpec = { ...rest, zone: 'hel1-dc2', imageName: '4711' };
    const made = await driver.createInstance(request('old', { providerSpec }));
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
    await driver.createInstance(request('bytes', { userData: '', userDataBytes }));
    expect(bodyOf('bytes')).toMatchObject({ user_data: 'H4v/' });
  });

  test('refuses user data that Hetzner would not take, and makes nothing', async () => {
    const asked = request('large', { userData: 'x'.repeat(32_769) });
    expect(await failureOf(driver.createInstance(asked))).toEqual({
      code: 'InvalidArgument',
      kind: 'input',
      settled: true,
      message:
        "Invalid value: the Secret's userData: 32769 bytes are more than the 32768 that Hetzner takes",
    });
    expect(everMade('large')).toBe(0);
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
    const hasty = aDriver({ waitSeconds: 0 });
    const { answer, pendings } = await followed(
      (more) => hasty.createInstance(request('slow', more)),
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
    const hasty = aDriver({ waitSeconds: 0 });
    await pendingOf(hasty.createInstance(request('forgot')));
    const again = await pendingOf(hasty.createInstance(request('forgot')));
    expect(again.message).toBe('Hetzner Cloud: server forgot is being made (initializing)');
    clock.advance(61);
    expect(await createdBy(hasty, request('forgot'))).toMatchObject({ found: true });
    expect(everMade('forgot')).toBe(1);
  });

  test('whose action fails is refused with its reason, and settled, as nothing is left', async () => {
    const providerSpec = { ...aSpec, placementGroupID: '897' };
    for (let n = living('whole').length; n < 10; n += 1) {
      await driver.createInstance(request(`mate-${n}`, { providerSpec }));
    }
    const asked = request('eleventh', { providerSpec });
    expect(await failureOf(driver.createInstance(asked))).toEqual({
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
    const call = createdBy(driver, request('dud'));
    expect(await failureOf(call)).toMatchObject({
      code: 'Aborted',
      settled: true,
      message: 'server dud is off before it was of use',
    });
    expect(living('dud')).toEqual([]);
  });

  test('leaves a server alone that has the name and is not ours', async () => {
    await driver.createInstance(request('shared', { cluster: 'cluster-9' }));
    const [server] = living('shared');
    if (server) server.labels = {};
    expect(await failureOf(driver.createInstance(request('shared')))).toMatchObject({
      code: 'AlreadyExists',
      settled: true,
    });
    expect(await driver.deleteInstance(request('shared'))).toEqual({ found: false });
    expect(living('shared')).toHaveLength(1);
  });
});

describe('what MCM has made', () => {
  const { location: _, ...rest } = aSpec;
  const providerSpec = { ...rest, zone: 'hel1-dc2', floatingPoolName: 'pool' };

  /** As the driver of 23technologies labels it. */
  async function aServerOfMcm(name: string): Promise<string> {
    const asked = request(name, { providerSpec });
    const { providerID } = await driver.createInstance(asked);
    await driver.initializeInstance(asked);
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
      await driver.createInstance(request('taken', { providerSpec, providerID })),
    ).toMatchObject({ found: true, providerID });
    expect(await driver.createInstance(request('taken', { providerSpec }))).toMatchObject({
      found: true,
      providerID,
    });
    const listed = await driver.listInstances({
      ...request('any', { providerSpec }),
      namespace: 'shoot',
    });
    expect(listed.map((one) => one.providerID)).toContain(providerID);
    expect(await deletedBy(driver, request('taken', { providerSpec, providerID }))).toEqual({
      found: true,
    });
    expect([living('taken'), addressesOf('taken')]).toEqual([[], []]);
  });

  test('may be named as Nodes have it', async () => {
    const providerID = await aServerOfMcm('by-node');
    const id = providerID.split('/').at(-1);
    const asked = request('by-node', { providerSpec, providerID: `hcloud://${id}` });
    expect(await driver.describeInstance(asked)).toMatchObject({ providerID });
  });
});

describe('a floating IP', () => {
  const providerSpec = { ...aSpec, floatingPoolName: 'pool' };
  const asked = (name: string, more = {}) => request(name, { providerSpec, ...more });

  test('is made for the server when that is initialised, and goes with it', async () => {
    const made = await driver.createInstance(asked('floats'));
    expect([made.isInitialized, addressesOf('floats')]).toEqual([false, []]);
    expect(await driver.initializeInstance(asked('floats'))).toMatchObject({
      isInitialized: true,
    });
    expect(addressesOf('floats')).toEqual(['pool-floats-ipv4']);
    expect([...project.floatingIps.values()].at(-1)?.server).toBe(living('floats')[0]?.id);
    expect(await deletedBy(driver, asked('floats'))).toEqual({ found: true });
    expect([living('floats'), addressesOf('floats')]).toEqual([[], []]);
  });

  test('is one, although the answer to its make was lost', async () => {
    await driver.createInstance(asked('once'));
    proxy.add({ matches: isPost, fault: { kind: 'loseAnswer' } });
    const initialize = () => driver.initializeInstance(asked('once'));
    expect(await failureOf(initialize())).toMatchObject({ code: 'Unavailable' });
    proxy.clear();
    expect(await initialize()).toMatchObject({ isInitialized: true });
    expect(addressesOf('once')).toHaveLength(1);
  });

  test('without its server stands in listings under its Machine, and can be deleted', async () => {
    await driver.createInstance(asked('alone'));
    await driver.initializeInstance(asked('alone'));
    for (const { id } of living('alone')) project.servers.delete(id);
    const list = { ...asked('any'), namespace: 'shoot' };
    const listed = await driver.listInstances(list);
    const [left] = listed.filter(({ machineName }) => machineName === 'alone');
    expect(left?.providerID).toMatch(/^hcloud:\/\/\/floating-ips\/\d+$/);
    const providerID = left?.providerID ?? '';
    expect(await driver.deleteListed({ ...list, providerID })).toEqual({ found: true });
    expect(addressesOf('alone')).toEqual([]);
  });

  test('goes with its Machine although the class has no pool any more', async () => {
    await driver.createInstance(asked('moved'));
    await driver.initializeInstance(asked('moved'));
    expect(addressesOf('moved')).toHaveLength(1);
    expect(await deletedBy(driver, request('moved'))).toEqual({ found: true });
    expect(addressesOf('moved')).toEqual([]);
  });

  test('of two that are initialised at once is one', async () => {
    await driver.createInstance(asked('pair'));
    const both = await Promise.all([
      driver.initializeInstance(asked('pair')),
      driver.initializeInstance(asked('pair')),
    ]);
    expect(both.map(({ isInitialized }) => isInitialized)).toEqual([true, true]);
    expect(addressesOf('pair')).toHaveLength(1);
  });
});

describe('a deletion', () => {
  test('waits for its action', async () => {
    await driver.createInstance(request('leaves'));
    project.actionSeconds = 30;
    const hasty = aDriver({ waitSeconds: 0 });
    const { answer, pendings } = await followed(
      (more) => hasty.deleteInstance(request('leaves', more)),
      () => clock.advance(20),
    );
    expect(answer).toEqual({ found: true });
    expect(pendings[0]?.message).toBe(
      'Hetzner Cloud: server leaves is being deleted (operation running, 0 %)',
    );
  });

  test('of a server that is locked by another action is asked for again', async () => {
    project.actionSeconds = 30;
    const hasty = aDriver({ waitSeconds: 0 });
    await pendingOf(hasty.createInstance(request('locked')));
    expect(await failureOf(hasty.deleteInstance(request('locked')))).toMatchObject({
      code: 'Aborted',
      settled: false,
      message: expect.stringContaining('Error 423 locked'),
    });
    clock.advance(31);
    project.actionSeconds = 0;
    expect(await deletedBy(driver, request('locked'))).toEqual({ found: true });
  });

  test('of a protected server says what to do', async () => {
    await driver.createInstance(request('kept'));
    const [server] = living('kept');
    if (server) server.isProtected = true;
    expect(await failureOf(driver.deleteInstance(request('kept')))).toMatchObject({
      code: 'FailedPrecondition',
      message: expect.stringContaining('Error 423 protected: server is delete protected'),
    });
  });
});

describe('a listing', () => {
  test('has all pages, of this cluster and namespace', async () => {
    const of = { cluster: 'cluster-7', providerSpec: { ...aSpec, cluster: 'pages' } };
    await Promise.all(
      Array.from({ length: 120 }, (_, n) => driver.createInstance(request(`page-${n}`, of))),
    );
    await driver.createInstance(request('page-x', { ...of, cluster: 'cluster-8' }));
    const asked = { ...request('any', of), namespace: 'shoot' };
    expect(await driver.listInstances(asked)).toHaveLength(120);
    expect(await driver.listInstances({ ...asked, namespace: 'other' })).toEqual([]);
  });

  test('shows an instance that was given the labels of this cluster', async () => {
    const hasty = aDriver({}, { allowsRetagging: true });
    const { providerID } = await hasty.createInstance(request('kin', { cluster: 'cluster-0' }));
    await hasty.createInstance(request('kin', { providerID }));
    const listed = await hasty.listInstances({ ...request('any'), namespace: 'shoot' });
    expect(listed.map(({ machineName }) => machineName)).toContain('kin');
  });
});

describe('credentials', () => {
  test('may lie under the name of Gardener, with a line break at the end', async () => {
    const secret = { hcloudToken: `${token}\n` };
    expect(await driver.createInstance(request('named', { secret }))).toMatchObject({
      found: false,
    });
  });

  test('that may only read make nothing', async () => {
    const call = driver.createInstance(request('reader', { secret: { token: readOnlyToken } }));
    expect(await failureOf(call)).toMatchObject({ code: 'PermissionDenied', settled: true });
  });
});

describe('limits of calls', () => {
  test('are waited out with back-off, and not until an hour is over', async () => {
    project.limit.useUp();
    expect(await failureOf(driver.createInstance(request('busy')))).toEqual({
      code: 'Unavailable',
      kind: 'throttling',
      settled: false,
      message:
        'Hetzner Cloud: list servers: Error 429 rate_limit_exceeded: limit of 3600 requests per hour reached',
    });
    clock.advance(10);
    expect(await createdBy(driver, request('busy'))).toMatchObject({ found: false });
  });
});

describe('answers of strangers', () => {
  test('a refusal that is not of Hetzner settles no create', async () => {
    proxy.add({
      matches: isPost,
      fault: { kind: 'answer', status: 403, text: '<html>forbidden by a proxy</html>' },
    });
    expect(await failureOf(driver.createInstance(request('proxied')))).toMatchObject({
      code: 'Unknown',
      settled: false,
      message: expect.stringContaining('not an answer of this cloud'),
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
    expect(await createdBy(driver, request('silent'))).toMatchObject({ found: true });
    expect(everMade('silent')).toBe(1);
  });
});

test('secrets stand in no checkpoint, nor the password that Hetzner makes up', async () => {
  project.actionSeconds = 60;
  const { sshFingerprint: _, ...providerSpec } = aSpec;
  const asked = request('mute', { providerSpec, userData: 'hush' });
  const pending = await pendingOf(aDriver({ waitSeconds: 0 }).createInstance(asked));
  expect(inspect(pending, { depth: 10 })).not.toMatch(/a-token-of|hush|YItygq/);
  clock.advance(61);
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
