/**
 * Operations that take minutes: a call does not wait for them, and the next one goes on where it
 * was.
 */
import type { Fault } from '../../../doubles/azure/faults.ts';
import { failureOf } from '../failure-of.ts';
import {
  aDriver,
  aMachine,
  aSharedSetting,
  living,
  madeByMcm,
  partsOf,
  secret,
  vmOf,
  vmPut,
} from './a-machine.ts';
import { pendingOf } from '../following.ts';
import { untilSettled } from './pending.ts';

/** `patient` waits longer than anything takes that is not slow on purpose. */
const { double, driver: patient } = await aSharedSetting();
const driver = aDriver(double, { waitSeconds: 0.1, cleanUpSeconds: 0.1 });

const tenMinutes = { kind: 'slow', milliseconds: 600_000 } as const;
const vmDelete = vmPut.replace('put', 'delete');
const writesTo = (part: string): number =>
  double.calls.filter(({ method, path }) => method !== 'GET' && path.endsWith(part)).length;

const create = (name: string) => (more: object) => driver.createInstance(aMachine(name, more));
const remove = (name: string) => (more: object) => driver.deleteInstance(aMachine(name, more));

describe('a create of ten minutes', () => {
  test('a long create is pending, with words, a time and a checkpoint, and is sent once', async () => {
    double.faults.add({ ...tenMinutes, match: vmPut });
    const pending = await pendingOf(create('m')({}));
    expect(pending.message).toBe(
      'Azure: virtual machine m is being created (operation InProgress)',
    );
    expect(pending.pollAfterSeconds).toBe(10);
    expect(JSON.parse(pending.checkpoint ?? '')).toEqual({
      verb: 'create',
      kind: 'virtual machine',
      name: 'm',
      account: expect.stringMatching(/^[0-9a-f]{12}$/),
      operation: expect.stringMatching(/^providers\/.*\?api-version=2021-07-01$/),
    });
    for (const value of Object.values(secret)) expect(pending.checkpoint).not.toContain(value);
    const { result, told } = await untilSettled(double, create('m'));
    expect(result).toMatchObject({ providerID: 'azure:///westeurope/m', found: true });
    expect(told).toEqual([pending.message]);
    expect(living(double, 'm')).toEqual(partsOf('m'));
    expect({ puts: writesTo('/m'), made: double.resources.created.get('m') }).toEqual({
      puts: 1,
      made: 1,
    });
  });

  test('a poll is one look: Azure allows twelve a minute', async () => {
    double.faults.add({ ...tenMinutes, match: vmPut });
    const { checkpoint = '' } = await pendingOf(create('m')({}));
    const before = double.calls.length;
    await pendingOf(create('m')({ checkpoint }));
    expect(double.calls.length - before).toBe(1);
  });

  test('what a call before has begun was made, and not found', async () => {
    double.faults.add({ ...tenMinutes, match: vmPut });
    const first = await pendingOf(create('m')({}));
    const { checkpoint = '' } = await pendingOf(create('m')({ checkpoint: first.checkpoint }));
    double.resources.pass(600);
    expect(await create('m')({ checkpoint })).toMatchObject({ nodeName: 'm', found: false });
  });

  test('what was there without a checkpoint was found, also after a wait', async () => {
    double.faults.add({ ...tenMinutes, match: vmPut });
    await pendingOf(create('m')({}));
    const { checkpoint = '' } = await pendingOf(create('m')({}));
    const again = await pendingOf(create('m')({ checkpoint }));
    double.resources.pass(600);
    expect(await create('m')({ checkpoint: again.checkpoint })).toMatchObject({ found: true });
  });

  test.each(['networkinterfaces', 'disks', 'virtualmachines'])(
    'of %s goes on without its checkpoint, in another process',
    async (type) => {
      const match = `/${type}/`;
      double.faults.add({ ...tenMinutes, match, skip: 1 });
      double.faults.add({ ...tenMinutes, match });
      await pendingOf(create('m')({}));
      const successor = aDriver(double, { waitSeconds: 0 });
      const { result } = await untilSettled(double, () => successor.createInstance(aMachine('m')));
      expect(result).toMatchObject({ nodeName: 'm' });
      expect(living(double, 'm')).toEqual(partsOf('m'));
      expect(double.resources.created.get('m')).toBe(1);
    },
  );

  test.each([
    'no JSON',
    '{}',
    '{"verb":"create","kind":"virtual machine","name":"other","operation":"x"}',
    '{"verb":"delete","kind":"disk","name":"m-os-disk"}',
  ])('goes on with the checkpoint %s', async (checkpoint) => {
    double.faults.add({ ...tenMinutes, match: vmPut });
    await pendingOf(create('m')({}));
    await pendingOf(create('m')({ checkpoint }));
    double.resources.pass(600);
    expect(await create('m')({ checkpoint })).toMatchObject({ nodeName: 'm' });
    expect(living(double, 'm')).toEqual(partsOf('m'));
  });

  test.each(['../other/providers/p', 'https://evil.invalid/o', '//evil.invalid/o'])(
    'a checkpoint with the operation %s leads to no other account or host',
    async (operation) => {
      double.faults.add({ ...tenMinutes, match: vmPut });
      const { checkpoint = '' } = await pendingOf(create('m')({}));
      const changed = JSON.stringify({ ...JSON.parse(checkpoint), operation });
      const before = double.calls.length;
      await pendingOf(create('m')({ checkpoint: changed }));
      const paths = double.calls.slice(before).map(({ path }) => path.toLowerCase());
      const ours = `/subscriptions/${secret.subscriptionID}/`;
      expect(paths.filter((path) => !path.startsWith(ours))).toEqual([]);
    },
  );

  test('a signed address of an operation does not get into a history', async () => {
    double.faults.add({ kind: 'signed', match: vmPut });
    const checkpoints: string[] = [];
    const quick = aDriver(double, { waitSeconds: 0 });
    await untilSettled(double, async ({ checkpoint = '' }) => {
      checkpoints.push(checkpoint);
      return await quick.createInstance(aMachine('m', { checkpoint }));
    });
    expect(checkpoints.join()).toContain('"name":"m"');
    expect(checkpoints.join()).not.toContain('signature');
  });

  test('the pause that Azure asks for is passed on', async () => {
    double.faults.add({ ...tenMinutes, match: vmPut });
    double.faults.add({ kind: 'throttle', match: '/operations/', seconds: 77, skip: 2 });
    const pending = await pendingOf(create('m')({}));
    expect(pending.pollAfterSeconds).toBe(77);
  });

  test('deleted meanwhile', async () => {
    double.faults.add({ ...tenMinutes, match: vmPut });
    const { checkpoint = '' } = await pendingOf(create('m')({}));
    expect(await remove('m')({ checkpoint })).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });
});

/** Returns the checkpoint of the call before. */
async function slowFailure(code: string, message: string): Promise<string> {
  double.faults.add({ ...tenMinutes, match: vmPut });
  const { checkpoint = '' } = await pendingOf(create('m')({}));
  double.resources.failUnderWay({ code, message });
  return checkpoint;
}

describe('a create that fails after minutes says why', () => {
  const quota = 'results in exceeding approved standardDSv5Family Cores quota';

  test.each([
    { code: 'AllocationFailed', message: 'no room', is: 'capacity' },
    { code: 'ZonalAllocationFailed', message: 'no room', is: 'capacity' },
    { code: 'SkuNotAvailable', message: 'not here', is: 'capacity' },
    { code: 'QuotaExceeded', message: 'too many', is: 'quota' },
    { code: 'OperationNotAllowed', message: quota, is: 'quota' },
  ])('$code: $is, by its operation or by itself', async ({ code, message, is }) => {
    const expected = {
      code: 'ResourceExhausted',
      kind: is,
      settled: true,
      message: `Azure: create virtual machine m: ${code}: ${message}`,
    };
    const checkpoint = await slowFailure(code, message);
    expect(await failureOf(create('m')({ checkpoint }))).toEqual(expected);
    expect(living(double, 'm')).toEqual([]);
    await slowFailure(code, message);
    // Without the checkpoint the virtual machine is asked.
    expect(await failureOf(create('m')({}))).toEqual(expected);
    expect(await create('m')({})).toMatchObject({ found: false });
    expect(living(double, 'm')).toEqual(partsOf('m'));
  });

  test('with the rights that Gardener documents for its driver', async () => {
    await slowFailure('AllocationFailed', 'no room');
    const before = double.calls.length;
    expect(await failureOf(create('m')({}))).toMatchObject({ kind: 'capacity', settled: true });
    const paths = double.calls.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => /instanceView$/i.test(path))).toEqual([]);
    expect(living(double, 'm')).toEqual([]);
  });

  test('although the virtual machine was never to be seen', async () => {
    const checkpoint = await slowFailure('AllocationFailed', 'no room');
    double.resources.remove(vmOf(double, 'm')?.id ?? '');
    for (const resource of double.resources.all()) delete resource.managedBy;
    expect(await failureOf(create('m')({ checkpoint }))).toMatchObject({ kind: 'capacity' });
    expect(living(double, 'm')).toEqual([]);
  });

  test('of a disk: with what its operation says', async () => {
    double.faults.add({ ...tenMinutes, match: 'put ', skip: 2 });
    const { checkpoint = '', message } = await pendingOf(create('m')({}));
    expect(message).toContain('disk m-tools-1-data-disk is being created');
    double.resources.failUnderWay({ code: 'QuotaExceeded', message: 'too many disks' });
    expect(await failureOf(create('m')({ checkpoint }))).toMatchObject({
      kind: 'quota',
      settled: true,
      message: 'Azure: create disk m-tools-1-data-disk: QuotaExceeded: too many disks',
    });
    expect(living(double, 'm')).toEqual([]);
  });

  test('at once, while its interface is kept for three minutes', async () => {
    double.world.reservationSeconds = 180;
    double.faults.add({ kind: 'failOperation', match: vmPut, code: 'AllocationFailed' });
    expect(await failureOf(create('m')({}))).toMatchObject({
      kind: 'capacity',
      settled: false,
      message: expect.stringMatching(
        /AllocationFailed: on purpose; and not everything that was made has been deleted again: .*m-nic cannot be deleted yet \(NicReservedForAnotherVm\)/,
      ),
    });
    expect(await create('m')({})).toMatchObject({ found: false });
    expect(living(double, 'm')).toEqual(partsOf('m'));
  });
});

describe('a delete', () => {
  test('a delete of ten minutes is pending, is sent once, and remembers that there was something', async () => {
    await create('m')({});
    double.faults.add({ ...tenMinutes, match: vmDelete });
    const { result, told, polls } = await untilSettled(double, remove('m'));
    expect(result).toEqual({ found: true });
    expect(told).toEqual(['Azure: virtual machine m is being deleted (operation InProgress)']);
    expect(polls).toBeGreaterThan(10);
    expect(writesTo('/m')).toBe(2);
    expect(living(double, 'm')).toEqual([]);
  });

  test('waits for an interface that Azure keeps', async () => {
    await madeByMcm({ double, driver }, 'm');
    const nic = double.resources.all().find(({ name }) => name === 'm-nic');
    if (nic) nic.reservedUntil = double.resources.now() + 180_000;
    const { result, told } = await untilSettled(double, remove('m'));
    expect(result).toEqual({ found: true });
    expect(told).toEqual([
      'Azure: network interface m-nic cannot be deleted yet (NicReservedForAnotherVm); it is asked for again',
    ]);
    expect(living(double, 'm')).toEqual([]);
  });

  test.each<{ name: string; by: Fault['kind'] }>([
    { name: 'by its operation', by: 'slow' },
    { name: 'by what the virtual machine says', by: 'signed' },
  ])(
    'a delete that fails after minutes is reported once, $name, and sent again',
    async ({ by }) => {
      await create('m')({});
      const kept = double.resources;
      double.faults.add({ kind: by, milliseconds: 600_000, match: vmDelete });
      if (by === 'signed') double.faults.add({ kind: 'html', match: '/operations/', times: 9 });
      const quick = aDriver(double, { waitSeconds: 0 });
      const { checkpoint = '' } = await pendingOf(quick.deleteInstance(aMachine('m')));
      expect(checkpoint).not.toContain('signature');
      kept.failUnderWay({ code: 'ScopeLocked', message: 'a lock' });
      double.faults.clear();
      expect(await failureOf(remove('m')({ checkpoint }))).toMatchObject({
        code: 'PermissionDenied',
        message: 'Azure: delete virtual machine m: ScopeLocked: a lock',
      });
      expect(await remove('m')({})).toEqual({ found: true });
      expect(living(double, 'm')).toEqual([]);
    },
  );

  test('a delete is not done while a look still shows the resource', async () => {
    await create('m')({});
    const match = `get ${vmDelete.slice('delete '.length)}/m`;
    double.faults.add({ kind: 'stale', match, skip: 1 });
    expect(await remove('m')({})).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });
});

describe('while it waits', () => {
  test.each<Fault>([
    { kind: 'throttle', seconds: 0 },
    { kind: 'refuse', status: 500, code: 'InternalServerError' },
    { kind: 'refuse', status: 403, code: 'AuthorizationFailed' },
    { kind: 'refuse', status: 404, code: 'OperationNotFound' },
    { kind: 'html' },
    { kind: 'cut' },
  ])('a look at the operation that fails ($kind $code) does not end it', async (fault) => {
    double.faults.add({ ...fault, match: '/operations/' });
    expect(await patient.createInstance(aMachine('m'))).toMatchObject({ found: false });
    double.faults.add({ ...fault, match: '/operations/' });
    expect(await patient.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });

  test.each<Fault>([
    { kind: 'throttle', seconds: 0 },
    { kind: 'refuse', status: 503, code: 'ServiceUnavailable' },
    { kind: 'html' },
    { kind: 'cut' },
  ])('a look at the resource that fails ($kind) does not end it', async (fault) => {
    await patient.createInstance(aMachine('m'));
    const match = `get ${vmDelete.slice('delete '.length)}/m`;
    double.faults.add({ ...fault, match, skip: 1 });
    expect(await patient.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });

  test('a virtual machine is not shown yet that was just accepted', async () => {
    double.faults.add({ kind: 'unnamed', match: vmPut });
    double.faults.add({ kind: 'stale', match: 'get /subscriptions', skip: 10 });
    expect(await patient.createInstance(aMachine('m'))).toMatchObject({ found: false });
    expect(living(double, 'm')).toEqual(partsOf('m'));
  });

  test('an interface is not known yet that was just made', async () => {
    const code = 'InvalidResourceReference';
    const message = 'Resource /subscriptions/s/networkInterfaces/m-nic was not found.';
    double.faults.add({ kind: 'refuse', match: vmPut, code, message, times: 2 });
    expect(await patient.createInstance(aMachine('m'))).toMatchObject({ found: false });
    double.reset();
    double.faults.add({ kind: 'refuse', match: vmPut, code, message, times: 99 });
    const pending = await pendingOf(create('m')({}));
    expect(pending.message).toBe(
      'Azure: virtual machine m cannot be created yet (InvalidResourceReference); it is asked for again',
    );
    double.faults.clear();
    expect(await create('m')({ checkpoint: pending.checkpoint })).toMatchObject({ nodeName: 'm' });
    expect(living(double, 'm')).toEqual(partsOf('m'));
  });
});

test('an instance that is listed is waited for once, and the next listing says the rest', async () => {
  await create('m')({});
  double.faults.add({ ...tenMinutes, match: vmDelete });
  const request = { ...aMachine('any'), namespace: 'shoot', providerID: 'azure:///westeurope/m' };
  const hasty = aDriver(double, { listedWaitSeconds: 0.1 });
  expect(await failureOf(hasty.deleteListed(request))).toMatchObject({
    code: 'DeadlineExceeded',
    settled: false,
    message:
      'Azure: virtual machine m is being deleted (operation InProgress); the next listing says what became of it',
  });
  double.resources.pass(600);
  expect(await hasty.deleteListed(request)).toEqual({ found: false });
  expect(living(double, 'm')).toEqual([]);
});
