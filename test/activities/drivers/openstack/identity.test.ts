/** Whose servers, ports and volumes are: those of MCM, of other clusters, of nobody. */
import { randomUUID } from 'node:crypto';
import { startOpenStackDouble, type OpenStackDouble } from '../../../doubles/openstack/double.ts';
import { serverIn } from '../../../../activities/drivers/openstack/provider-id.ts';
import { validateProviderSpec } from '../../../../activities/drivers/openstack/validate.ts';
import { failureOf } from '../failure-of.ts';
import { aDriverFor, aSpec, leftOf, openStackRequest, serversOf, tags } from './openstack-world.ts';

let double: OpenStackDouble;
beforeEach(async () => {
  double = await startOpenStackDouble();
});
afterEach(() => double[Symbol.asyncDispose]());

/** As MCM's driver makes it. */
function madeByMcm(name: string, metadata: object = tags): string {
  const id = randomUUID();
  const fields = {
    id,
    name,
    status: 'ACTIVE',
    metadata,
    tags: [],
    created: '2026-01-01T00:00:00Z',
  };
  double.world.servers.set(id, { looks: 0, fields });
  const port = {
    id: randomUUID(),
    name,
    device_id: id,
    tags: Object.keys(metadata),
    description: '',
  };
  double.world.ports.set(port.id, { looks: 0, fields: port });
  const volume = { id: randomUUID(), name, metadata, status: 'in-use', server: id };
  double.world.volumes.set(volume.id, { looks: 0, fields: volume });
  return `openstack:///RegionOne/${id}`;
}

test('what MCM made is adopted, listed, and deleted with port and volume', async () => {
  const driver = aDriverFor(double.url);
  const providerID = madeByMcm('old');
  const request = openStackRequest('old');
  expect(await driver.createInstance(request)).toMatchObject({ providerID, found: true });
  const listed = await driver.listInstances({ ...request, namespace: 'shoot' });
  expect(listed).toEqual([{ providerID, machineName: 'old', createdAt: 1_767_225_600_000 }]);
  await driver.deleteInstance(request);
  expect(leftOf(double, 'old')).toEqual([]);
});

test("machine-controller's server is of the Machine that names it, and of no listing", async () => {
  const driver = aDriverFor(double.url);
  const region = madeByMcm('taken', { 'machine-uid': 'uid-1', team: 'blue' });
  const providerID = region.replace('RegionOne/', '');
  const request = openStackRequest('taken', { providerID });
  expect(await driver.createInstance(request)).toMatchObject({ providerID: region, found: true });
  expect(await driver.listInstances({ ...request, namespace: 'shoot' })).toEqual([]);
  const ofAnother = driver.deleteInstance(openStackRequest('other', { providerID }));
  expect(await failureOf(ofAnother)).toMatchObject({ code: 'FailedPrecondition' });
  expect(await driver.deleteInstance(openStackRequest('taken'))).toEqual({ found: false });
  expect(serversOf(double, 'taken')).toHaveLength(1);
  expect(await driver.deleteInstance(request)).toEqual({ found: true });
  expect(serversOf(double, 'taken')).toEqual([]);
});

test('a server of the name without the two keys is left alone', async () => {
  madeByMcm('theirs', { 'kubernetes.io-cluster-other': '1', 'kubernetes.io-role-node': '1' });
  const driver = aDriverFor(double.url);
  await driver.deleteInstance(openStackRequest('theirs'));
  expect(leftOf(double, 'theirs')).toHaveLength(3);
  await driver.createInstance(openStackRequest('theirs'));
  expect(serversOf(double, 'theirs')).toHaveLength(2);
});

test('a server of an earlier control cluster goes with its port and volume', async () => {
  const driver = aDriverFor(double.url);
  const providerSpec = aSpec({ rootDiskSize: 10, rootDiskType: 'fast' });
  const { providerID } = await driver.createInstance(openStackRequest('moved', { providerSpec }));
  const moved = openStackRequest('moved', { cluster: 'cluster-2', token: 'x-0', providerID });
  await driver.deleteInstance(moved);
  expect(leftOf(double, 'moved')).toEqual([]);
});

test('with retagging, an adopted server is listed again, and keeps the tags of others', async () => {
  const plain = aDriverFor(double.url);
  const { providerID } = await plain.createInstance(openStackRequest('kept'));
  const [server] = serversOf(double, 'kept');
  Object.assign(server ?? {}, { tags: [...Object(server)['tags'], 'of-others'] });
  const request = openStackRequest('kept', { cluster: 'cluster-2', providerID });
  const driver = aDriverFor(double.url, {}, { allowsRetagging: true });
  await driver.createInstance(request);
  const listed = await driver.listInstances({ ...request, namespace: 'shoot' });
  expect(listed).toMatchObject([{ providerID, machineName: 'kept', token: 'uid-of-kept-0' }]);
  expect(serversOf(double, 'kept')[0]?.['tags']).toContain('of-others');
});

test('ports and volumes without a server are listed under their Machine, and deleted one by one', async () => {
  const driver = aDriverFor(double.url);
  const request = openStackRequest('left', {
    providerSpec: aSpec({ rootDiskSize: 10, rootDiskType: 'fast' }),
  });
  await driver.createInstance(request);
  double.world.servers.clear();
  for (const { fields } of double.world.ports.values()) fields['device_id'] = '';
  for (const { fields } of double.world.volumes.values()) fields['status'] = 'available';
  const listRequest = { ...request, namespace: 'shoot' };
  const listed = await driver.listInstances(listRequest);
  expect(listed.map(({ machineName }) => machineName)).toEqual(['left', 'left']);
  for (const { providerID } of listed) {
    expect(await driver.deleteListed({ ...listRequest, providerID })).toEqual({ found: true });
    expect(await driver.deleteListed({ ...listRequest, providerID })).toEqual({ found: false });
  }
  expect(leftOf(double, 'left')).toEqual([]);
});

test('a listed server leaves its port to the next listing, and one of another namespace stays', async () => {
  const driver = aDriverFor(double.url);
  const request = openStackRequest('orphan');
  const { providerID } = await driver.createInstance(request);
  const other = { ...request, providerID, namespace: 'other' };
  expect(await driver.deleteListed(other)).toEqual({ found: false });
  const own = { ...other, namespace: 'shoot' };
  expect(await driver.deleteListed(own)).toEqual({ found: true });
  const [port] = await driver.listInstances(own);
  expect(port?.machineName).toBe('orphan');
  await driver.deleteListed({ ...own, providerID: port?.providerID ?? '' });
  expect(leftOf(double, 'orphan')).toEqual([]);
});

test('of the floating IPs on its port those of the cluster go with it', async () => {
  const driver = aDriverFor(double.url);
  await driver.createInstance(openStackRequest('public'));
  const [port] = double.world.ports.keys();
  for (const [id, marks] of Object.entries({ ours: Object.keys(tags), theirs: ['precious'] })) {
    const fields = { id, port_id: port, tags: marks };
    double.world.floatingIPs.set(id, { looks: 0, fields });
  }
  await driver.deleteInstance(openStackRequest('public'));
  expect([...double.world.floatingIPs.keys()]).toEqual(['theirs']);
});

test('the console is what Nova has', async () => {
  const driver = aDriverFor(double.url);
  await driver.createInstance(openStackRequest('loud'));
  expect(await driver.getConsoleOutput?.(openStackRequest('loud'))).toBe('booting\nready\n');
});

test('one session for all classes of a Secret', async () => {
  const driver = aDriverFor(double.url);
  await driver.describeInstance(openStackRequest('a'));
  await driver.describeInstance(openStackRequest('b', { providerSpec: aSpec({ keyName: 'x' }) }));
  expect(double.asked.filter(({ path }) => path.endsWith('/tokens'))).toHaveLength(1);
});

test('a delete leaves the volumes of other Machines alone, though Cinder lists them all', async () => {
  const driver = aDriverFor(double.url);
  const providerSpec = aSpec({ rootDiskSize: 10, rootDiskType: 'fast' });
  for (const name of ['one', 'other']) {
    await driver.createInstance(openStackRequest(name, { providerSpec }));
  }
  await driver.deleteInstance(openStackRequest('one', { providerSpec }));
  expect(leftOf(double, 'one')).toEqual([]);
  expect(leftOf(double, 'other')).toEqual(['server other', 'port other', 'volume other']);
});

test('a long namespace is known by its digest', async () => {
  const driver = aDriverFor(double.url);
  const namespace = 'shoot--a-project-with-a-name--and-a-shoot-as-well';
  const machine = { namespace, name: 'deep', uid: 'uid-of-deep' };
  const request = openStackRequest('deep', { machine });
  await driver.createInstance(request);
  expect(await driver.listInstances({ ...request, namespace })).toHaveLength(1);
});

test('the region and the two keys are what a listing depends on', () => {
  const driver = aDriverFor(double.url);
  const keys = Object.keys(tags).join(' ');
  expect(driver.listScope(aSpec())).toBe(`RegionOne ${keys}`);
  expect(driver.listScope({})).toBe('');
  expect(driver.limitScope?.(aSpec())).toBe('RegionOne');
});

const uuid = '5d1b2b3c-77b2-4d5f-9d7e-0f8f6a4f4c1a';

test.each([
  [`openstack:///RegionOne/${uuid}`, uuid],
  [`openstack:///${uuid}`, uuid],
  [`openstack://RegionOne/${uuid}`, uuid],
  [`openstack:///RegionOne/port/${uuid}`, undefined],
])('the server of %s is %s', (providerID, id) => {
  expect(serverIn(providerID)).toBe(id);
});

test.each([
  [`openstack:///RegionOne/../${uuid}`],
  ['openstack:///RegionOne/none'],
  [`aws:///RegionOne/${uuid}`],
])('%s is refused', async (providerID) => {
  const described = aDriverFor(double.url).describeInstance(openStackRequest('x', { providerID }));
  expect(await failureOf(described)).toMatchObject({
    code: 'InvalidArgument',
    message: expect.stringContaining('is not of the form openstack:///REGION/UUID'),
  });
});

test.each([
  [{}, []],
  [{ region: '' }, ['providerSpec.spec.region: "" is not a non-empty string']],
  [{ keyName: undefined }, ['providerSpec.spec.keyName is missing']],
  [{ imageName: '' }, ['providerSpec.spec: imageID or imageName is missing']],
  [{ podNetworkCIDRs: undefined }, ['providerSpec.spec.podNetworkCIDRs is missing']],
  // Said to be none.
  [{ podNetworkCIDRs: [], keyName: '' }, []],
  [{ podNetworkCIDRs: [], podNetworkCidr: '10.0.0.0/8' }, []],
  [{ networkID: '' }, ['providerSpec.spec: networkID or networks is missing']],
  [
    { networks: [{ id: 'n' }] },
    ['providerSpec.spec.networks and networkID exclude each other: remove one'],
  ],
  [
    { networkID: '', networks: [{}, { id: 'n', name: 'm' }] },
    [
      'providerSpec.spec.networks[0]: id or name is missing',
      'providerSpec.spec.networks[1]: id and name exclude each other: remove one',
    ],
  ],
  [{ rootDiskSize: -1 }, ['providerSpec.spec.rootDiskSize: -1 is not 0 or more']],
  [
    { tags: { 'kubernetes.io-role-node': '1' } },
    [
      'providerSpec.spec.tags: a key has to contain kubernetes.io-cluster- and another kubernetes.io-role-: without both no server is found again',
    ],
  ],
  [{ tags: { 'kubernetes.io/cluster/a': '1', 'kubernetes.io/role/node': '1' } }, []],
  [
    { tags: { ...tags, 'millwright-token': 'x' } },
    [
      'providerSpec.spec.tags.millwright-token: keys that begin with millwright- are set by Millwright',
    ],
  ],
])('a class with %j', (more, faults) => {
  expect(validateProviderSpec(aSpec(more))).toEqual(faults);
});

test('a spec that is not wrapped is refused, as with MCM', () => {
  expect(validateProviderSpec(Object(aSpec())['spec'])).toEqual([
    'providerSpec.apiVersion is missing',
    'providerSpec.kind is missing',
    'providerSpec.spec is missing',
  ]);
});
