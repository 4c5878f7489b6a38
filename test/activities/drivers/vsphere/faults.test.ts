/** What the driver makes of what a vCenter, or something before it, says. */
import { DriverPending } from '../../../../activities/drivers/driver.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy, pendingOf } from '../following.ts';
import { htmlNotFound, tooManyCalls } from '../frame/fault-proxy.ts';
import { aSecret, aSpec, aVsphereWorld, vsphereRequest } from './vsphere-world.ts';

const world = await aVsphereWorld();
const driver = world.aDriver();

beforeAll(async () => void (await driver.describeInstance(vsphereRequest('first'))));

const capacity = { code: 'ResourceExhausted', kind: 'capacity' };

test.each([
  ['NoCompatibleHost', capacity],
  ['InsufficientResourcesFault', capacity],
  ['InsufficientHostCapacityFault', capacity],
  ['InsufficientStorageSpace', capacity],
  ['NoDiskSpace', capacity],
  ['NotEnoughLicenses', { code: 'ResourceExhausted', kind: 'quota' }],
  ['NoPermission', { code: 'PermissionDenied', kind: 'credentials' }],
  ['ManagedObjectNotFound', { code: 'InvalidArgument', kind: 'input' }],
  ['InvalidDatastorePath', { code: 'InvalidArgument', kind: 'input' }],
  ['CannotAccessNetwork', { code: 'InvalidArgument', kind: 'input' }],
  ['TaskInProgress', { code: 'Aborted' }],
  ['HostNotConnected', { code: 'Unavailable' }],
  ['TooManyConcurrentNativeClones', { code: 'Unavailable', kind: 'throttling' }],
])('a clone whose task fails with %s made nothing', async (fault, expected) => {
  const message = 'words of the vCenter';
  await world.vcsim.order({ method: 'CloneVM_Task', fault, message, inTask: true, count: 1 });
  const name = `t-${fault.toLowerCase()}`;
  const failure = await failureOf(driver.createInstance(vsphereRequest(name)));
  expect(failure).toMatchObject({
    ...expected,
    settled: true,
    message: expect.stringMatching(
      new RegExp(`^vSphere: make instance ${name}: ${fault}(Fault)?: ${message}`),
    ),
  });
  expect(await world.machines(name)).toEqual([]);
});

test('a clone that is refused at once made nothing', async () => {
  await world.vcsim.order({
    method: 'CloneVM_Task',
    fault: 'NoPermission',
    message: 'Permission to perform this operation was denied.',
    count: 1,
  });
  expect(await failureOf(driver.createInstance(vsphereRequest('f-denied')))).toEqual({
    code: 'PermissionDenied',
    kind: 'credentials',
    settled: true,
    message:
      'vSphere: make instance f-denied: Error 500 NoPermission: Permission to perform this operation was denied.',
  });
});

test('a machine that cannot be switched on for want of room stays, and the next try goes on', async () => {
  const fault = 'InsufficientMemoryResourcesFault';
  await world.vcsim.order({ method: 'PowerOnVM_Task', fault, inTask: true, count: 1 });
  const request = vsphereRequest('f-full');
  const first = await failureOf(driver.createInstance(request));
  expect(first).toMatchObject({ ...capacity, settled: false });
  const { providerID } = await createdBy(driver, request);
  const [machine, ...others] = await world.machines('f-full');
  expect([providerID, machine?.isOn, others]).toEqual([`vsphere://eu-1/${machine?.ref}`, true, []]);
});

test('a machine that is off again as soon as it is switched on is not switched on without end', async () => {
  await world.vcsim.order({ method: 'PowerOnVM_Task', inTask: true });
  const calls = world.proxy.calls.length;
  const hasty = world.aDriver({ waitSeconds: 1 });
  const pending = await pendingOf(hasty.createInstance(vsphereRequest('f-dies')));
  expect(pending.message).toMatch(/^vSphere: instance f-dies is being made/);
  expect(world.proxy.calls.length - calls).toBeLessThan(100);
});

test('a session that is over is opened again, once', async () => {
  const calls = world.proxy.calls.length;
  await world.vcsim.order({ method: 'FindByInventoryPath', fault: 'NotAuthenticated', count: 1 });
  expect(await driver.describeInstance(vsphereRequest('f-session'))).toBeUndefined();
  // The refused one, two to log in, the same one again.
  expect(world.proxy.calls.length - calls).toBe(4);
  await world.vcsim.order({ method: 'FindByInventoryPath', fault: 'NotAuthenticated' });
  const failure = await failureOf(driver.describeInstance(vsphereRequest('f-session')));
  expect(failure).toMatchObject({ code: 'Unauthenticated', kind: 'credentials' });
});

test('a wrong password is not tried again for a minute, as a vCenter locks the account', async () => {
  const other = world.aDriver();
  const secret = { ...aSecret, vspherePassword: 'wrong-canary' };
  const create = async () =>
    await failureOf(other.createInstance(vsphereRequest('f-locked', { secret })));
  const failure = await create();
  expect(failure).toEqual({
    code: 'Unauthenticated',
    kind: 'credentials',
    settled: false,
    message: 'vSphere: log in: Error 500 InvalidLogin: Login failure',
  });
  const calls = world.proxy.calls.length;
  expect(await create()).toEqual(failure);
  expect(world.proxy.calls.length).toBe(calls);
});

test('a Secret without what the login needs says which keys are missing', async () => {
  const secret = { vsphereHost: 'vcenter.example.com', vsphereUsername: ' ' };
  expect(await failureOf(driver.createInstance(vsphereRequest('f-keys', { secret })))).toEqual({
    code: 'Unauthenticated',
    kind: 'credentials',
    settled: true,
    message:
      'vSphere: the Secret lacks vsphereUsername, vspherePassword. It needs vsphereHost (a name or address, with a port or without), vsphereUsername and vspherePassword',
  });
});

test('a host in the Secret cannot lead to any other URL', async () => {
  const secret = { ...aSecret, vsphereHost: 'x@evil.example.com/path?' };
  const failure = await failureOf(driver.createInstance(vsphereRequest('f-url', { secret })));
  expect(failure).toMatchObject({ message: expect.stringContaining('has no host in vsphereHost') });
});

test('what something in between answers settles nothing', async () => {
  world.proxy.add({ fault: htmlNotFound });
  expect(await failureOf(driver.describeInstance(vsphereRequest('s-html')))).toMatchObject({
    code: 'Unknown',
    settled: false,
    message: expect.stringContaining('not an answer of this cloud; is something in between?'),
  });
  world.proxy.clear();
  world.proxy.add({ fault: { kind: 'answer', status: 503, text: 'Service Unavailable' } });
  const failure = await failureOf(driver.describeInstance(vsphereRequest('s-down')));
  expect(failure).toMatchObject({ code: 'Unavailable', settled: false });
  world.proxy.clear();
  world.proxy.add({ fault: { kind: 'answer', status: 200, text: '<html>hello</html>' } });
  const page = await failureOf(driver.describeInstance(vsphereRequest('s-page')));
  expect(page).toMatchObject({ code: 'Unknown', settled: false });
  world.proxy.clear();
  world.proxy.add({ fault: tooManyCalls({ 'retry-after': '7' }) });
  const busy = await failureOf(driver.describeInstance(vsphereRequest('s-busy')));
  expect(busy).toMatchObject({ code: 'Unavailable', retryAfterSeconds: 7 });
});

test('an answer that defines entities is refused', async () => {
  const text =
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><Envelope><Body><R>&a;</R></Body></Envelope>';
  world.proxy.add({ fault: { kind: 'answer', status: 200, text } });
  const failure = await failureOf(driver.describeInstance(vsphereRequest('s-bomb')));
  expect(failure).toMatchObject({ code: 'Unknown', settled: false });
});

test('a create and a delete that take long are pending, with the task in the checkpoint', async () => {
  const hasty = world.aDriver({ waitSeconds: 0 });
  await world.vcsim.order({ taskMilliseconds: 300 });
  const request = vsphereRequest('p-slow');
  const first = await pendingOf(hasty.createInstance(request));
  expect(first.message).toMatch(/^vSphere: instance p-slow is being made \(operation/);
  expect(JSON.parse(first.checkpoint ?? '')).toMatchObject({
    insert: { operation: expect.stringMatching(/^task-\d+$/), requestId: request.token },
  });
  const made = await untilOver((more) => hasty.createInstance({ ...request, ...more }));
  expect(await world.machines('p-slow')).toMatchObject([{ isOn: true, isConfigured: true }]);
  const known = { ...request, providerID: made.providerID };
  const going = await pendingOf(hasty.deleteInstance(known));
  expect(going.message).toMatch(/^vSphere: instance p-slow is being deleted \(operation/);
  await untilOver((more) => hasty.deleteInstance({ ...known, ...more }));
  expect(await world.machines('p-slow')).toEqual([]);
});

/** As the workflow asks: again with the checkpoint, for as long as it takes. */
async function untilOver<T>(call: (more: { checkpoint?: string }) => Promise<T>): Promise<T> {
  let checkpoint: string | undefined;
  for (;;) {
    try {
      return await call(checkpoint === undefined ? {} : { checkpoint });
    } catch (error) {
      if (!(error instanceof DriverPending)) throw error;
      ({ checkpoint } = error);
    }
  }
}

test('two machines that need a new attribute at once both get it', async () => {
  const providerSpec = {
    ...aSpec,
    tags: { 'mcm.gardener.cloud/cluster': 'c', 'mcm.gardener.cloud/role': 'n', fresh: 'yes' },
  };
  const names = ['a-one', 'a-two', 'a-three'];
  const make = (name: string) => createdBy(world.aDriver(), vsphereRequest(name, { providerSpec }));
  await Promise.all(names.map(make));
  for (const name of names) {
    const [machine] = await world.machines(name);
    expect(machine?.tags['fresh']).toBe('yes');
  }
  await Promise.all(names.map((name) => deletedBy(driver, vsphereRequest(name, { providerSpec }))));
});
