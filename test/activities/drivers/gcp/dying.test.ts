/** Instances that end right after they were made. */
import { aSpec, aSharedGcpWorld, gcpRequest, project, zone } from './gcp-world.ts';
import { pendingOf } from '../following.ts';
import { failureOf } from '../failure-of.ts';

const world = await aSharedGcpWorld();
/** Looks at a spot instance once more, as it does by default. */
const driver = world.aDriver({ confirmSeconds: 10 });

const spot = { onHostMaintenance: 'TERMINATE', provisioningModel: 'SPOT' };
const providerSpec = { ...aSpec, scheduling: spot };

describe('a spot instance', () => {
  test('is looked at once more, ten seconds later', async () => {
    const first = await pendingOf(driver.createInstance(gcpRequest('stays', { providerSpec })));
    expect(first).toMatchObject({
      message: 'Google Cloud: spot instance stays has come up and is looked at once more',
      pollAfterSeconds: 10,
    });
    const { checkpoint = '' } = first;
    const request = gcpRequest('stays', { providerSpec, checkpoint });
    expect(await driver.createInstance(request)).toMatchObject({ found: false });
    // Nothing is lost without what the call before left.
    expect(await driver.createInstance(gcpRequest('stays', { providerSpec }))).toMatchObject({
      found: true,
    });
  });

  test.each([
    ['TERMINATED', false],
    ['STOPPING', false],
    ['SUSPENDED', false],
    [undefined, true],
  ])(
    'a spot instance that Google takes back meanwhile (%s) is a lack of capacity',
    async (reason, settled) => {
      const name = `taken-${String(reason).toLowerCase()}`;
      const fault = { kind: 'dies', operation: 'insert', name, seconds: 5 } as const;
      world.double.faults.add(reason === undefined ? fault : { ...fault, reason });
      const create = driver.createInstance(gcpRequest(name, { providerSpec }));
      const { checkpoint = '', pollAfterSeconds } = await pendingOf(create);
      world.double.advance(pollAfterSeconds);
      const request = gcpRequest(name, { providerSpec, checkpoint });
      const failure = await failureOf(driver.createInstance(request));
      expect(failure).toMatchObject({ code: 'ResourceExhausted', kind: 'capacity', settled });
      expect(failure.message).toContain('Google takes spot instances back');
    },
  );

  test('is a lack of capacity when it is gone as its operation is done', async () => {
    world.double.faults.add({ kind: 'dies', operation: 'insert', name: 'flash' });
    const create = driver.createInstance(gcpRequest('flash', { providerSpec }));
    expect(await failureOf(create)).toMatchObject({ code: 'ResourceExhausted', settled: true });
  });

  test('whose operation fails says why', async () => {
    const code = 'ZONE_RESOURCE_POOL_EXHAUSTED';
    const fault = { kind: 'operationError', operation: 'insert', name: 'none' } as const;
    world.double.faults.add({ ...fault, code, message: 'no spot capacity' });
    const create = driver.createInstance(gcpRequest('none', { providerSpec }));
    expect(await failureOf(create)).toMatchObject({
      code: 'ResourceExhausted',
      settled: true,
      message: expect.stringContaining('no spot capacity'),
    });
  });
});

describe('any other instance', () => {
  test('is of use when its operation is done', async () => {
    expect(await driver.createInstance(gcpRequest('plain'))).toMatchObject({ found: false });
  });

  test.each(['TERMINATED', 'SUSPENDED', 'STOPPING'])(
    'any other instance that is %s by then has failed, and says so',
    async (reason) => {
      const name = `ended-${reason.toLowerCase()}`;
      world.double.faults.add({ kind: 'dies', operation: 'insert', name, reason });
      const is = {
        code: 'Aborted',
        settled: false,
        message: `instance ${name} is ${reason} before it was of use; something has stopped it`,
      };
      expect(await failureOf(driver.createInstance(gcpRequest(name)))).toEqual(is);
    },
  );

  test('is not adopted by its name once it has stopped, but by the Machine that has it', async () => {
    const fault = { kind: 'dies', operation: 'insert', name: 'stopped' } as const;
    world.double.faults.add({ ...fault, reason: 'TERMINATED', seconds: 5 });
    await driver.createInstance(gcpRequest('stopped'));
    world.double.advance(6);
    expect(await failureOf(driver.createInstance(gcpRequest('stopped')))).toMatchObject({
      code: 'Aborted',
      settled: false,
    });
    const providerID = `gce:///${project}/${zone}/stopped`;
    expect(await driver.createInstance(gcpRequest('stopped', { providerID }))).toMatchObject({
      found: true,
    });
  });
});
