/**
 * OpenStack's own services: the contract, kills at every call, and refusals that Nova, Neutron and
 * Cinder give themselves.
 */
import { describeDriverContract } from '../contract.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy } from '../following.ts';
import { describeKills } from '../frame/kills.ts';
import { aDriverFor, ofOpenStack } from './openstack-world.ts';
import { startServices, type Services } from './openstack-services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
}, 600_000);
afterAll(() => services[Symbol.asyncDispose]());

/** One that is on its way down, or has never got its port, does not live. */
const countLiving = async (name: string): Promise<number> => {
  const all = await services.servers(name);
  return all.filter((one) => {
    const isGoing = one['OS-EXT-STS:task_state'] === 'deleting';
    return !isGoing && one['status'] !== 'ERROR';
  }).length;
};
const request: Services['request'] = (name, more) => services.request(name, more);

describeDriverContract({
  driver: () => services.aDriver(),
  request,
  // A member of the project does not see those that are gone.
  countMade: countLiving,
  countLiving,
  expectMade: async ({ providerID, nodeName, addresses = [] }, name) => {
    const [server] = await services.servers(name);
    expect(providerID).toBe(`openstack:///RegionOne/${String(server?.['id'])}`);
    expect(nodeName).toBe(name);
    const families = addresses.map(({ address }) => (address.includes(':') ? 'IPv6' : 'IPv4'));
    expect(families.toSorted()).toEqual(['IPv4', 'IPv6']);
  },
  ...ofOpenStack,
  requestId: /^req-[0-9a-f-]{36}$/,
});

describe('refusals that the services give themselves', () => {
  test.each([
    [{ flavorName: 'more-than-quota' }, 'ResourceExhausted', 'quota', /Quota exceeded for cores/],
    [{ flavorName: 'more-than-hosts' }, 'ResourceExhausted', 'capacity', /No valid host was found/],
    [{ flavorName: 'none' }, 'ResourceExhausted', 'capacity', /no flavor "none"/],
    [{ imageName: 'none' }, 'InvalidArgument', 'input', /no image "none"/],
    [{ keyName: 'none' }, 'InvalidArgument', 'input', /key/i],
    [{ availabilityZone: 'mars' }, 'InvalidArgument', 'input', /mars/],
    [{ securityGroups: ['none'] }, 'InvalidArgument', 'input', /no security group "none"/],
    [{ networkID: '0b1c5f0e-5b2f-4f5c-8a52-6ef0ac2f9f10' }, 'InvalidArgument', 'input', /Network/],
    [{ rootDiskSize: 20_000, rootDiskType: 'fast' }, 'ResourceExhausted', 'quota', /quota/i],
    [{ rootDiskSize: 5, rootDiskType: 'none' }, 'InvalidArgument', 'input', /type/i],
  ])('%j: %s, %s', async (...row) => {
    const [more, code, kind, message] = row;
    const name = `r-${JSON.stringify(more)
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '')}`;
    const asked = request(name, { providerSpec: services.spec(more) });
    const failure = await failureOf(createdBy(services.aDriver(), asked));
    expect(failure).toMatchObject({ code, kind, message: expect.stringMatching(message) });
    await deletedBy(services.aDriver(), asked);
    expect(await services.left(name)).toEqual([]);
  });

  test('a port that another server has', async () => {
    const driver = services.aDriver();
    await createdBy(driver, request('p-first'));
    const [server] = await services.servers('p-first');
    // Nobody finds the server any more, and its port is in the way.
    const tags = { method: 'PUT', body: { server: { name: 'p-hidden' } } };
    await services.ask('nova', `/v2.1/servers/${String(server?.['id'])}`, tags);
    expect(await failureOf(createdBy(driver, request('p-first')))).toMatchObject({
      code: 'Aborted',
      settled: false,
      message: expect.stringMatching(/Port .* is still in use/),
    });
    await services.ask('nova', `/v2.1/servers/${String(server?.['id'])}`, { method: 'DELETE' });
  });

  test('a password that Keystone does not know', async () => {
    const { secret } = request('x');
    const asked = request('x', { secret: { ...secret, password: 'canary-password' } });
    const failure = await failureOf(services.aDriver().describeInstance(asked));
    expect(failure).toMatchObject({ code: 'Unauthenticated', kind: 'credentials' });
    expect(failure.message).not.toContain('canary-password');
  });
});

test('a server as machine-controller makes it is taken over, and goes with its port', async () => {
  const { ask, openStack } = services;
  const first = async (service: 'nova' | 'glance', path: string, key: string) =>
    Object(
      Object(await ask(service, path))[key].find(({ name }: { name: string }) =>
        ['small', 'linux'].includes(name),
      ),
    ).id;
  const server = {
    name: 'of-theirs',
    flavorRef: await first('nova', '/v2.1/flavors', 'flavors'),
    imageRef: await first('glance', '/v2/images', 'images'),
    networks: [{ uuid: openStack.known.networkID }],
    security_groups: [{ name: 'workers' }],
    metadata: { 'machine-uid': 'uid-1' },
  };
  const made = await ask('nova', '/v2.1/servers', { method: 'POST', body: { server } });
  const { id } = Object(made).server;
  const asked = request('of-theirs', { providerID: `openstack:///${id}` });
  const providerID = `openstack:///RegionOne/${id}`;
  expect(await createdBy(services.aDriver(), asked)).toMatchObject({ providerID, found: true });
  expect(await deletedBy(services.aDriver(), asked)).toEqual({ found: true });
  const ports = await ask('neutron', `/v2.0/ports?device_id=${id}`);
  expect(ports).toEqual({ ports: [] });
}, 600_000);

describe('what a class may ask for', () => {
  test.each([
    ['v-typed', { rootDiskSize: 5, rootDiskType: 'fast' }, ['server', 'port', 'volume']],
    ['v-nova', { rootDiskSize: 5 }, ['server', 'port']],
    [
      'n-two',
      {
        networkID: '',
        networks: [{ name: 'workers', podNetwork: true }, { name: 'second' }],
      },
      ['server', 'port', 'port'],
    ],
    ['n-plain', { keyName: '', podNetworkCIDRs: [] }, ['server', 'port']],
    ['n-drive', { useConfigDrive: true, additionalSecurityGroups: ['more'] }, ['server', 'port']],
  ])('%s', async (name, more, kinds) => {
    const asked = request(name, { providerSpec: services.spec(more) });
    await createdBy(services.aDriver(), asked);
    expect((await services.left(name)).map((text) => text.split(' ')[0])).toEqual(kinds);
    await deletedBy(services.aDriver(), asked);
    expect(await services.left(name)).toEqual([]);
  });

  test('a server group, and all pod ranges on the port', async () => {
    const { serverGroupID, networkID } = services.openStack.known;
    const providerSpec = services.spec({ serverGroupID });
    await createdBy(services.aDriver(), request('n-group', { providerSpec }));
    const path = `/v2.0/ports?name=n-group&network_id=${networkID}`;
    const { ports } = Object(await services.ask('neutron', path));
    expect(ports).toMatchObject([
      {
        allowed_address_pairs: [{ ip_address: '100.64.0.0/12' }, { ip_address: 'fd00:10::/64' }],
      },
    ]);
    const group = await services.ask('nova', `/v2.1/os-server-groups/${serverGroupID}`);
    expect(Object(group)['server_group']['members']).toHaveLength(1);
  });

  test('a network of another project: no MAC address of ours, and one server all the same', async () => {
    const { sharedNetworkID } = services.openStack.known;
    const more = { networkID: sharedNetworkID, subnetIDs: [], networks: [] };
    const shared = { networkID: '', networks: [{ id: sharedNetworkID }] };
    const providerSpec = services.spec({ ...more, ...shared });
    await createdBy(services.aDriver(), request('n-shared', { providerSpec }));
    await createdBy(services.aDriver(), request('n-shared', { providerSpec }));
    expect(await services.left('n-shared')).toEqual(['server n-shared', 'port n-shared']);
  });

  test.each(['applicationCredentialID', 'applicationCredentialName'])(
    'an application credential by %s',
    async (key) => {
      const { applicationCredentialID } = services.openStack.known;
      const { authURL = '' } = request('x').secret;
      const secret = {
        authURL,
        domainName: 'Default',
        username: 'machines',
        applicationCredentialSecret: 'application-secret',
        [key]: key.endsWith('ID') ? applicationCredentialID : 'machines',
      };
      const asked = request('absent', { secret });
      expect(await aDriverFor(services.proxy.url).describeInstance(asked)).toBeUndefined();
    },
  );

  test('the console is Nova’s, and a listing has what was made', async () => {
    const driver = services.aDriver();
    const { providerID } = await createdBy(driver, request('n-loud'));
    expect(await driver.getConsoleOutput?.(request('n-loud'))).toContain('FAKE CONSOLE OUTPUT');
    const listed = await driver.listInstances({ ...request('n-loud'), namespace: 'shoot' });
    const own = listed.filter(({ machineName }) => machineName === 'n-loud');
    expect(own).toMatchObject([{ providerID, token: 'uid-of-n-loud-0' }]);
  });
});

describeKills({
  proxy: () => services.proxy,
  aDriver: () => services.aDriver(),
  request,
  countLiving,
  left: (name) => services.left(name),
});
