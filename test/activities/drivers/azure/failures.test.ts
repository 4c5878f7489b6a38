/** What the driver says when Azure refuses, is slow, or is not there. */
import { eventually } from '../../../support/eventually.ts';
import type { Fault } from '../../../doubles/azure/faults.ts';
import { aDriver, aMachine, aSharedSetting, living, nicPut, secret, vmPut } from './a-machine.ts';
import { failureOf } from '../failure-of.ts';

const { double, driver } = await aSharedSetting();

const subnetIsChanged = {
  code: 'RetryableError',
  message: 'A retryable error occurred.',
  details: [{ code: 'ReferencedResourceNotProvisioned', message: 'subnet1 is in Updating state.' }],
};

describe('failures', () => {
  test.each<[name: string, fault: Fault, is: object]>([
    [
      'throttling',
      { kind: 'throttle', seconds: 7, match: vmPut, code: 'OperationNotAllowed' },
      { code: 'Unavailable', kind: 'throttling', settled: false, retryAfterSeconds: 7 },
    ],
    [
      'an image that Azure misses only when the virtual machine is to be made',
      { kind: 'refuse', match: vmPut, status: 404, code: 'PlatformImageNotFound' },
      {
        code: 'InvalidArgument',
        kind: 'input',
        settled: true,
        message: 'Azure: create virtual machine m: PlatformImageNotFound: on purpose',
      },
    ],
    [
      'something else that Azure misses',
      { kind: 'refuse', match: vmPut, status: 404, code: 'SomethingNew' },
      {
        code: 'Unknown',
        settled: false,
        message: 'Azure: create virtual machine m: SomethingNew: on purpose',
      },
    ],
    [
      'the page of a proxy instead of an answer to a write',
      { kind: 'html', match: nicPut },
      { code: 'Unknown', settled: false },
    ],
    [
      'an operation that failed for reasons that nobody knows',
      { kind: 'failOperation', match: vmPut, code: 'SomethingNew' },
      { code: 'Unknown', settled: true },
    ],
    [
      'a subnet that is being changed, which Azure answers with 429',
      { kind: 'throttle', seconds: 12, match: nicPut, ...subnetIsChanged },
      {
        code: 'Aborted',
        settled: false,
        retryAfterSeconds: 12,
        message:
          'Azure: create network interface m-nic: ReferencedResourceNotProvisioned: subnet1 is in Updating state.',
      },
    ],
    [
      'a subscription that is not there is not an instance that is not there',
      { kind: 'refuse', status: 404, code: 'SubscriptionNotFound' },
      { code: 'PermissionDenied', kind: 'credentials', settled: false },
    ],
    [
      'an answer that never comes',
      { kind: 'hang', match: vmPut },
      {
        code: 'DeadlineExceeded',
        settled: false,
        message: 'Azure: create virtual machine m: no answer within 1 s',
      },
    ],
    ['a broken connection', { kind: 'cut' }, { code: 'Unavailable', settled: false }],
  ])('%s', async (_name, fault, is) => {
    double.faults.add(fault);
    // Only of what hangs is the limit the subject.
    const one = fault.kind === 'hang' ? aDriver(double, { callSeconds: 1 }) : driver;
    const failure = await failureOf(one.createInstance(aMachine('m')));
    expect(failure).toMatchObject(is);
    expect(JSON.stringify(failure)).not.toContain(secret.clientSecret);
    const isLeft = living(double, 'm').length > 0;
    expect(failure.settled && isLeft).toBe(false);
  });

  test('one call is one request: nothing is sent twice', async () => {
    double.faults.add({ kind: 'refuse', status: 503, code: 'ServerTimeout' });
    await failureOf(driver.describeInstance(aMachine('m')));
    double.faults.add({ kind: 'throttle', seconds: 0 });
    await failureOf(driver.describeInstance(aMachine('m')));
    expect(double.calls).toHaveLength(2);
  });

  test('a call that is cancelled ends at once, with an uncertain outcome', async () => {
    double.faults.add({ kind: 'hang', match: vmPut });
    const caller = new AbortController();
    const call = failureOf(driver.createInstance(aMachine('m', { signal: caller.signal })));
    await eventually('it hangs', () =>
      double.calls.some(({ method, path }) => `${method} ${path}`.toLowerCase().startsWith(vmPut)),
    );
    caller.abort();
    expect(await call).toMatchObject({
      code: 'Canceled',
      settled: false,
    });
  });

  test('a create whose parts cannot be deleted again is not settled', async () => {
    double.faults.add({ kind: 'failOperation', match: vmPut, code: 'AllocationFailed' });
    double.faults.add({
      kind: 'refuse',
      match: 'delete ',
      status: 500,
      code: 'InternalServerError',
    });
    expect(await failureOf(driver.createInstance(aMachine('m')))).toMatchObject({
      code: 'ResourceExhausted',
      settled: false,
      message: expect.stringContaining('and not everything that was made has been deleted again'),
    });
    expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });

  test.each([
    { name: 'a wrong secret', more: { clientSecret: 'wrong' } },
    { name: 'another application', more: { clientID: '99999999-9999-9999-9999-999999999999' } },
  ])('$name is said to be wrong', async ({ more }) => {
    const request = aMachine('m', { secret: { ...secret, ...more } });
    expect(await failureOf(driver.createInstance(request))).toMatchObject({
      code: 'Unauthenticated',
      kind: 'credentials',
      settled: false,
      message: expect.stringContaining('AADSTS7000215'),
    });
  });

  test.each([
    // A page of what stands in front of Entra ID; the library gives it the code `server_error`.
    { name: 'without a word', answer: { status: 503 } },
    {
      name: 'in its own words',
      answer: {
        status: 503,
        body: {
          error: 'temporarily_unavailable',
          error_description: 'AADSTS90033: A transient error has occurred. Please try again.',
          error_codes: [90_033],
        },
      },
    },
    { name: 'for too many requests', answer: { status: 429 } },
  ])('trouble of the authority, $name, is none of the credentials', async ({ answer }) => {
    const fresh = aDriver(double);
    double.authority.fail(answer);
    const before = double.authority.heard.tokens;
    const trouble = { code: 'Unavailable', settled: false };
    const first = await failureOf(fresh.describeInstance(aMachine('m')));
    expect(first).toMatchObject(trouble);
    expect(first.kind).toBeUndefined();
    // The library remembers such an answer for a minute, and has no status by then.
    const second = await failureOf(fresh.describeInstance(aMachine('m')));
    expect(second).toMatchObject(trouble);
    expect(second.kind).toBeUndefined();
    expect(second.message).not.toContain('invalid_client');
    expect(double.authority.heard.tokens - before).toBe(1);
  });

  test('credentials that were revoked are not tried from memory for ever', async () => {
    await driver.describeInstance(aMachine('m'));
    double.authority.revoke();
    expect(await failureOf(driver.describeInstance(aMachine('m')))).toMatchObject({
      code: 'Unauthenticated',
      kind: 'credentials',
    });
    double.authority.restore();
    expect(await driver.describeInstance(aMachine('m'))).toBeUndefined();
  });
});
