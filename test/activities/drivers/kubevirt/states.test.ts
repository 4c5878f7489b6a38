/** What becomes of a machine in the host cluster, and what the driver says of it. */
import type { KubeObject } from '../../../../kube/client/client.ts';
import { failureOf } from '../failure-of.ts';
import { pendingOf } from '../following.ts';
import { aDriver, aKubevirtWorld, aSpec, kubeconfigOf } from './kubevirt-world.ts';

const world = await aKubevirtWorld();
const { cluster, controller, driver, proxy, request, over, during, machines, left } = world;
const { client, namespace } = cluster;
const machinesPath = `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines`;

const aForeignMachine = (name: string, labels = {}) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name, labels },
  spec: { running: true, template: { spec: { domain: { devices: {} } } } },
});

const create = (name: string, more = {}) =>
  over((checkpoint) => driver.createInstance({ ...request(name, more), ...checkpoint }));
const remove = (name: string, more = {}) =>
  over((checkpoint) => driver.deleteInstance({ ...request(name, more), ...checkpoint }));

const isMake = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && path.includes('virtualm');

const secretOf = (token: string) => ({
  kubeconfig: kubeconfigOf({ server: proxy.url }, { token }, namespace),
});

test('a create waits for KubeVirt, with the same words for as long as nothing changes', async () => {
  const first = await pendingOf(driver.createInstance(request('s-slow')));
  expect(first.message).toBe(
    'KubeVirt: virtual machine s-slow is being made (not seen by KubeVirt yet)',
  );
  await controller.step();
  const words = 'KubeVirt: virtual machine s-slow is being made (Provisioning)';
  expect((await pendingOf(driver.createInstance(request('s-slow')))).message).toBe(words);
  expect((await pendingOf(driver.createInstance(request('s-slow')))).message).toBe(words);
});

test.each([
  { status: 'ErrorUnschedulable', code: 'ResourceExhausted', kind: 'capacity' },
  { status: 'ErrorPvcNotFound', code: 'InvalidArgument', kind: 'input' },
  { status: 'DataVolumeError', code: 'InvalidArgument', kind: 'input' },
  { status: 'ErrImagePull', code: 'InvalidArgument', kind: 'input' },
  { status: 'ImagePullBackOff', code: 'InvalidArgument', kind: 'input' },
  { status: 'CrashLoopBackOff', code: 'Aborted', kind: undefined },
])('a machine that ends as $status is deleted, and its failure is $code', async (row) => {
  const { status, code, kind } = row;
  const name = `s-${status.toLowerCase()}`;
  controller.courses.set(name, [{ status: 'Starting' }, { status, message: 'words of KubeVirt' }]);
  const failure = await failureOf(create(name));
  expect(failure).toMatchObject({ code, ...(kind && { kind }) });
  expect(failure.message).toBe(
    `virtual machine ${name} is ${status} before it was of use: Ready: words of KubeVirt`,
  );
  expect(await machines(name)).toEqual([]);
  controller.courses.delete(name);
  expect(await create(name)).toMatchObject({ providerID: `kubevirt://${name}` });
  await remove(name);
  expect(await left(name)).toEqual([]);
});

test('a quota of the namespace that is used up is said as such, and what is left goes with the Machine', async () => {
  const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`;
  const hard = { 'count/virtualmachines.kubevirt.io': '0' };
  await client.create(quotas, { metadata: { name: 'none' }, spec: { hard } });
  const status = { hard, used: { 'count/virtualmachines.kubevirt.io': '0' } };
  await client.patch(`${quotas}/none/status`, 'merge', { status });
  const failure = await failureOf(create('s-quota'));
  await client.delete(`${quotas}/none`);
  expect(failure).toMatchObject({ code: 'ResourceExhausted', kind: 'quota', settled: false });
  expect(failure.message).toMatch(/exceeded quota: none, requested: count\/virtualmachines/);
  expect(await left('s-quota')).toEqual([expect.stringMatching(/userdata-s-quota-/)]);
  const scope = { ...request('s-quota'), namespace: 'shoot' };
  expect(await driver.listInstances(scope)).toContainEqual(
    expect.objectContaining({
      machineName: 's-quota',
      providerID: expect.stringMatching(/^kubevirt:\/\/secrets\//),
    }),
  );
  expect(await remove('s-quota')).toEqual({ found: true });
  expect(await left('s-quota')).toEqual([]);
});

test('a leftover Secret is deleted by its place in a listing, and nothing else of that name', async () => {
  await client.create(`/api/v1/namespaces/${namespace}/secrets`, {
    metadata: { name: 'userdata-s-mine', labels: { 'kubevirt.io/vm': 's-orphan' } },
  });
  proxy.add({
    matches: ({ method, path }) => method === 'POST' && path.includes('virtualm'),
    fault: { kind: 'cutBefore' },
  });
  await failureOf(create('s-orphan'));
  proxy.clear();
  const scope = { ...request('s-orphan'), namespace: 'shoot' };
  const listed = (await driver.listInstances(scope)).filter(
    (one) => one.machineName === 's-orphan',
  );
  expect(listed).toHaveLength(1);
  for (const { providerID } of listed) {
    expect(await during(driver.deleteListed({ ...scope, providerID }))).toEqual({ found: true });
  }
  expect(await left('s-orphan')).toEqual([expect.stringContaining('userdata-s-mine')]);
  const other = { ...scope, providerID: 'kubevirt://secrets/userdata-s-mine' };
  expect(await driver.deleteListed(other)).toEqual({ found: false });
});

test('an orphan is deleted with its Secret and its volumes', async () => {
  const { providerID } = await create('s-lost');
  const scope = { ...request('s-lost'), namespace: 'shoot' };
  expect(await during(driver.deleteListed({ ...scope, cluster: 'other', providerID }))).toEqual({
    found: false,
  });
  expect(await during(driver.deleteListed({ ...scope, providerID }))).toEqual({ found: true });
  expect(await left('s-lost')).toEqual([]);
});

test('the Secret belongs to its machine, so that it goes with one that somebody deletes', async () => {
  await create('s-by-hand');
  const [machine] = await machines('s-by-hand');
  const { items } = await client.list<KubeObject>(`/api/v1/namespaces/${namespace}/secrets`);
  const own = items.filter(({ metadata }) => metadata.labels?.['kubevirt.io/vm'] === 's-by-hand');
  expect(own.map(({ metadata }) => metadata.ownerReferences)).toEqual([
    [expect.objectContaining({ kind: 'VirtualMachine', uid: machine?.metadata.uid })],
  ]);
  expect(machine?.metadata.annotations).toBeUndefined();
  expect(await driver.describeInstance(request('s-by-hand'))).toMatchObject({
    isInitialized: true,
  });
});

test('a machine whose Secret has no owner yet counts as not initialised, and is', async () => {
  proxy.add({
    matches: ({ method, path }) => method === 'PATCH' && path.includes('/secrets/'),
    fault: { kind: 'cutBefore' },
  });
  expect(await failureOf(create('s-late'))).toMatchObject({ code: 'Unavailable', settled: false });
  proxy.clear();
  expect(await create('s-late')).toMatchObject({ isInitialized: false, found: false });
  expect(await driver.initializeInstance(request('s-late'))).toMatchObject({ isInitialized: true });
  expect(await driver.describeInstance(request('s-late'))).toMatchObject({ isInitialized: true });
});

test('a change of the user data after a refusal is not lost', async () => {
  proxy.add({ matches: isMake, fault: { kind: 'cutBefore' } });
  await failureOf(create('s-changed'));
  proxy.clear();
  await create('s-changed', { userData: '#cloud-config\nnew: true\n' });
  const [machine] = await machines('s-changed');
  const name = /"secretRef":\{"name":"([^"]+)"/.exec(JSON.stringify(machine))?.[1];
  const used = await client.get<{ data: { userdata: string } }>(
    `/api/v1/namespaces/${namespace}/secrets/${name}`,
  );
  expect(Buffer.from(used.data.userdata, 'base64').toString()).toBe('#cloud-config\nnew: true\n');
  await remove('s-changed');
  expect(await left('s-changed')).toEqual([]);
});

test('a machine of the name that is not ours is left alone', async () => {
  await client.create(machinesPath, aForeignMachine('s-theirs'));
  expect(await failureOf(create('s-theirs'))).toMatchObject({
    code: 'AlreadyExists',
    settled: true,
  });
  expect(await remove('s-theirs')).toEqual({ found: false });
  expect(await machines('s-theirs')).toHaveLength(1);
});

test('a machine of the name that comes after the search is left alone, and nothing of ours stays', async () => {
  await client.create(machinesPath, aForeignMachine('s-race'));
  const text = JSON.stringify({
    kind: 'Status',
    reason: 'NotFound',
    message: 'virtualmachines.kubevirt.io "s-race" not found',
    details: { name: 's-race' },
  });
  proxy.add({
    matches: ({ method, path }) => method === 'GET' && path.includes('/virtualmachines/s-race'),
    nth: 1,
    fault: { kind: 'answer', status: 404, text },
  });
  expect(await failureOf(create('s-race'))).toMatchObject({ code: 'AlreadyExists' });
  proxy.clear();
  expect(await remove('s-race')).toEqual({ found: true });
  expect(await left('s-race')).toEqual([]);
  expect(await machines('s-race')).toHaveLength(1);
});

test('what MCM made is found by the tags of the class, listed, and deleted', async () => {
  const labels = { ...aSpec.tags, 'kubevirt.io/vm': 's-mcm' };
  await client.create(machinesPath, aForeignMachine('s-mcm', labels));
  const scope = { ...request('s-mcm'), namespace: 'shoot' };
  expect(await driver.listInstances(scope)).toContainEqual(
    expect.objectContaining({ machineName: 's-mcm' }),
  );
  expect(await create('s-mcm')).toMatchObject({
    providerID: 'kubevirt://s-mcm',
    isInitialized: true,
  });
  expect(await remove('s-mcm')).toMatchObject({ found: expect.any(Boolean) });
  expect(await machines('s-mcm')).toEqual([]);
});

test("machine-controller's is of the Machine that names it, and goes with what it owns", async () => {
  await client.create(
    machinesPath,
    aForeignMachine('s-taken', { 'kubermatic.k8c.io/cluster-id': 'abc' }),
  );
  const providerID = 'kubevirt://s-taken';
  expect(await failureOf(create('s-taken'))).toMatchObject({ code: 'AlreadyExists' });
  const found = await driver.describeInstance(request('s-taken', { providerID }));
  expect(found).toMatchObject({ providerID, nodeName: 's-taken' });
  const scope = { ...request('s-taken'), namespace: 'shoot' };
  const listed = await driver.listInstances(scope);
  expect(listed.map(({ machineName }) => machineName)).not.toContain('s-taken');
  expect(await remove('s-taken', { providerID })).toEqual({ found: true });
  expect(await machines('s-taken')).toEqual([]);
});

test('a machine that was stopped on purpose is still the one of its Machine', async () => {
  const { providerID } = await create('s-halted');
  const path = `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines/s-halted`;
  await client.patch(path, 'merge', { spec: { runStrategy: 'Halted' } });
  await client.patch(`${path}/status`, 'merge', { status: { printableStatus: 'Stopped' } });
  expect(await driver.createInstance(request('s-halted', { providerID }))).toMatchObject({
    providerID,
    found: true,
  });
});

test('a machine that KubeVirt does not let go of is pending, and says so', async () => {
  await create('s-stuck');
  controller.stuck.add('s-stuck');
  const { message } = await pendingOf(driver.deleteInstance(request('s-stuck')));
  expect(message).toBe('KubeVirt: virtual machine s-stuck is being deleted (Terminating)');
  await controller.step();
  expect((await pendingOf(driver.deleteInstance(request('s-stuck')))).message).toBe(message);
  controller.stuck.clear();
  await remove('s-stuck');
  expect(await left('s-stuck')).toEqual([]);
});

test('a listing reads all pages, and shows nothing of another cluster', async () => {
  const names = ['s-list-a', 's-list-b'];
  for (const name of names) await create(name);
  const scope = { ...request('s-list'), namespace: 'shoot' };
  const ours = (await driver.listInstances(scope)).filter(({ machineName }) =>
    names.includes(machineName),
  );
  expect(ours).toEqual(
    names.map((name) => ({
      providerID: `kubevirt://${name}`,
      machineName: name,
      token: `uid-of-${name}-0`,
      createdAt: expect.any(Number),
    })),
  );
  const providerSpec = { ...aSpec, tags: {} };
  expect(await driver.listInstances({ ...scope, cluster: 'cluster-2', providerSpec })).toEqual([]);
});

test('a field that this KubeVirt does not know is refused and named', async () => {
  const providerSpec = { ...aSpec, cpu: { cores: 2, flavour: 'fast' } };
  expect(await failureOf(create('s-unknown', { providerSpec }))).toMatchObject({
    code: 'InvalidArgument',
    message: expect.stringContaining('unknown field "spec.template.spec.domain.cpu.flavour"'),
  });
});

test('credentials without rights, and wrong ones, are said as such', async () => {
  const powerless = { secret: secretOf(cluster.powerlessToken) };
  expect(await failureOf(create('s-weak', powerless))).toMatchObject({
    code: 'PermissionDenied',
    kind: 'credentials',
  });
  const wrong = { secret: secretOf('wrong') };
  expect(await failureOf(create('s-wrong', wrong))).toMatchObject({
    code: 'Unauthenticated',
    kind: 'credentials',
  });
});

test('a namespace that does not exist is an error of the class', async () => {
  const secret = {
    kubeconfig: kubeconfigOf({ server: proxy.url }, { token: cluster.token }, 'no-such'),
  };
  expect(await failureOf(create('s-nowhere', { secret }))).toMatchObject({
    code: 'InvalidArgument',
    message: expect.stringContaining('namespaces "no-such" not found'),
    settled: true,
  });
});

test('an adopted machine gets the labels of this cluster, where that is allowed', async () => {
  const { providerID } = await create('s-moved');
  const retagging = aDriver({}, { allowsRetagging: true });
  await retagging.createInstance(request('s-moved', { providerID, cluster: 'cluster-2' }));
  const [machine] = await machines('s-moved');
  expect(machine?.metadata.labels).toMatchObject({
    ...aSpec.tags,
    'millwright.dev/cluster': 'cluster-2',
  });
});

test('a certificate that the kubeconfig trusts is enough, and without it no call is made', async () => {
  const caData = Buffer.from(cluster.ca).toString('base64');
  const kubeconfig = kubeconfigOf({ server: cluster.url }, { token: cluster.token }, namespace);
  const trusting = kubeconfig.replace(
    '"server"',
    `"certificate-authority-data":"${caData}","server"`,
  );
  const seen = driver.describeInstance(request('s-tls', { secret: { kubeconfig: trusting } }));
  expect(await seen).toBeUndefined();
  const blind = driver.describeInstance(request('s-tls', { secret: { kubeconfig } }));
  expect(await failureOf(blind)).toMatchObject({
    code: 'Unavailable',
    message: expect.stringContaining('certificate'),
  });
});
