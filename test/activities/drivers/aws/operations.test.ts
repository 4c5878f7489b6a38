/**
 * Creates and deletes that go on in EC2: asked again by the core, with what the call before knew.
 * The clock is the double's.
 */
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import type { CreateRequest, DriverPending } from '../../../../activities/drivers/driver.ts';
import { failureOf } from '../failure-of.ts';
import { aSharedEc2, ec2Request } from './ec2-world.ts';
import { createdBy, followed, pendingOf } from '../following.ts';

const { double, settings, statesOf } = await aSharedEc2();
const driver = createAwsDriver(settings, { callTimeoutSeconds: 600 });

const pass = ({ pollAfterSeconds }: DriverPending): void => double.pass(pollAfterSeconds);

const creating = (request: CreateRequest) =>
  followed((more) => driver.createInstance({ ...request, ...more }), pass);

const deleting = (request: CreateRequest) =>
  followed((more) => driver.deleteInstance({ ...request, ...more }), pass);

function count(action: string): number {
  return double.requests.filter((form) => form.get('Action') === action).length;
}

const idPattern = 'i-\\d{17}';

describe('a create', () => {
  test('a create that is pending finds its own instance in one look', async () => {
    const { answer, pendings } = await creating(ec2Request('plain'));
    expect(answer).toMatchObject({ found: false, isInitialized: true });
    expect(pendings.map(({ message }) => message)).toEqual([
      expect.stringMatching(new RegExp(`^EC2 in eu-west-1: instance ${idPattern} is pending$`)),
    ]);
    expect(pendings[0]?.pollAfterSeconds).toBe(10);
    expect(count('RunInstances')).toBe(1);
  });

  test('does not lose an instance that EC2 lists, forgets and lists again', async () => {
    double.delay({ sightings: [false, false, false, true, false, false], namedAfter: 2 });
    const { answer, pendings } = await creating(ec2Request('flickering'));
    expect(answer).toMatchObject({ found: false });
    expect(pendings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('is not listed yet'),
    );
    expect(count('RunInstances')).toBe(1);
    expect(statesOf('flickering')).toEqual(['running']);
  });

  test('a create whose instance is not listed for a minute is not settled; its token finds it', async () => {
    double.delay({ listedAfter: 19 });
    const request = ec2Request('unlisted');
    expect(await failureOf(creating(request))).toMatchObject({
      code: 'Unavailable',
      settled: false,
      message: expect.stringMatching(
        /^EC2 in eu-west-1: instance i-\d+ was made and is not listed/,
      ),
    });
    expect((await creating(request)).answer).toMatchObject({ found: false });
    expect(statesOf('unlisted')).toEqual(['running']);
  });

  test('a create begins anew without a checkpoint of its own', async () => {
    const request = ec2Request('restarted');
    const [first] = (await creating(request)).pendings;
    for (const checkpoint of ['', 'op-17', '{}', '[]', '{"instanceIds":[1]}']) {
      const { providerID, found } = await driver.createInstance({ ...request, checkpoint });
      expect(first?.message).toContain(providerID.split('/').at(-1));
      expect(found).toBe(true);
    }
    expect(statesOf('restarted')).toEqual(['running']);
  });

  test('does not take an instance of its name that another Machine claims meanwhile', async () => {
    double.delay({ namedAfter: 9 });
    await pendingOf(driver.createInstance(ec2Request('wanted', { token: 'of-before' })));
    const request = ec2Request('wanted');
    const { checkpoint = '', message } = await pendingOf(driver.createInstance(request));
    expect(message).toContain('is without a private DNS name so far');
    double.delay({ namedAfter: 0 });
    const claimed = { ...request, checkpoint, isClaimed: () => true };
    expect((await creating(claimed)).answer).toMatchObject({ found: false });
    expect(statesOf('wanted')).toEqual(['running', 'running']);
  });
});

describe('an instance that ends right after its create', () => {
  const reasons = [
    {
      code: 'Server.InsufficientInstanceCapacity',
      expected: { code: 'ResourceExhausted', kind: 'capacity' },
    },
    {
      code: 'Client.VolumeLimitExceeded',
      expected: { code: 'ResourceExhausted', kind: 'quota' },
    },
    {
      code: 'Client.InvalidSnapshot.NotFound',
      expected: { code: 'InvalidArgument', kind: 'input' },
    },
    { code: 'Client.InternalError', expected: { code: 'FailedPrecondition' } },
    { code: 'Client.InvalidKMSKey.InvalidState', expected: { code: 'FailedPrecondition' } },
    { code: 'Server.InternalError', expected: { code: 'Unavailable' } },
    {
      code: 'Server.SpotInstanceTermination',
      expected: { code: 'ResourceExhausted', kind: 'capacity' },
    },
    { code: 'Client.UserInitiatedShutdown', expected: { code: 'Aborted' } },
    { code: 'Odd.Reason', expected: { code: 'Aborted' } },
    { code: 'constructor', expected: { code: 'Aborted' } },
  ];

  test.each(reasons)('$code is told within 30 s, as $expected.code', async ({ code, expected }) => {
    double.die({ code, message: `${code}: words of EC2`, afterLooks: 1 });
    double.delay({ terminatedAfter: 9 });
    let seconds = 0;
    const request = ec2Request(code);
    const create = followed(
      (more) => driver.createInstance({ ...request, ...more }),
      ({ pollAfterSeconds }) => (seconds += pollAfterSeconds),
    );
    expect(await failureOf(create)).toMatchObject({
      ...expected,
      settled: true,
      message: expect.stringMatching(
        new RegExp(
          `^EC2 in eu-west-1: instance ${idPattern} is shutting-down[:.] ${code}: words of EC2`,
        ),
      ),
    });
    expect(seconds).toBeLessThanOrEqual(30);
    // Without the checkpoint: the token is spent, and the next create has another.
    expect(await failureOf(driver.createInstance(request))).toMatchObject({
      code: 'Aborted',
      settled: true,
      message: expect.stringContaining('words of EC2'),
    });
    const next = await creating({ ...request, token: `${code}-1` });
    expect(next.answer).toMatchObject({ found: false });
  });

  test.each([
    { code: 'Client.InternalError', words: 'Client error on launch' },
    {
      code: 'Client.InvalidKMSKey.InvalidState',
      words: 'The KMS key provided is in an incorrect state',
    },
  ])('an instance that ends with $code points to the key', async ({ code, words }) => {
    double.die({ code, message: words, afterLooks: 0 });
    const { message } = await failureOf(creating(ec2Request(`locked-${code}`)));
    expect(message).toContain(`${code}: ${words}. `);
    expect(message).toContain('kms:CreateGrant');
  });

  test('the end of an instance is noticed though EC2 drops its tags', async () => {
    double.dropTags();
    double.die({ code: 'Client.VolumeLimitExceeded', message: 'Limit', afterLooks: 0 });
    expect(await failureOf(creating(ec2Request('bare')))).toMatchObject({ kind: 'quota' });
  });
});

describe('a delete', () => {
  test('a delete of ten minutes sends one request, and is pending until the instance is gone', async () => {
    double.delay({ terminatesForSeconds: 600 });
    const request = ec2Request('slow-end');
    await createdBy(driver, request);
    double.reset();
    const { answer, pendings } = await deleting(request);
    expect(answer).toEqual({ found: true });
    expect(statesOf('slow-end')).toEqual(['terminated']);
    expect(pendings).toHaveLength(60);
    expect(new Set(pendings.map(({ message }) => message))).toEqual(
      new Set([
        expect.stringMatching(
          new RegExp(`^EC2 in eu-west-1: instance ${idPattern} is shutting-down$`),
        ),
      ]),
    );
    expect(count('TerminateInstances')).toBe(1);
    // Two at the start and two at the end, and one for each time that it was asked in between.
    expect(count('DescribeInstances')).toBe(63);
  });

  test('a delete is done when the instance has lost its tags', async () => {
    double.delay({ terminatesForSeconds: 15 });
    await createdBy(driver, ec2Request('bare-end'));
    double.dropTags();
    expect((await deleting(ec2Request('bare-end'))).answer).toEqual({ found: true });
  });

  test('waits for what it has told to end, also when EC2 loses sight of it for a while', async () => {
    double.delay({ terminatesForSeconds: 25 });
    const request = ec2Request('flickering-end');
    const { providerID } = await createdBy(driver, request);
    const first = await pendingOf(driver.deleteInstance({ ...request, providerID }));
    const { checkpoint = '' } = first;
    expect(checkpoint.length).toBeLessThan(4_096);
    const again = await pendingOf(driver.deleteInstance({ ...request, checkpoint }));
    expect(again.message).toBe(first.message);
    expect(count('TerminateInstances')).toBe(1);
  });

  test('does not believe at once that an instance is gone which was listed a moment ago', async () => {
    const request = ec2Request('blinking');
    await createdBy(driver, request);
    double.refuse({ action: 'TerminateInstances', code: 'InvalidInstanceID.NotFound' });
    const { answer, pendings } = await deleting(request);
    expect(pendings[0]?.message).toMatch(/is listed and not to be found: looked for again$/);
    expect(answer).toEqual({ found: true });
    expect(statesOf('blinking')).toEqual(['terminated']);
  });

  test('a delete that is refused for one of several instances deletes the others', async () => {
    await createdBy(driver, ec2Request('pair', { token: 'one' }));
    await createdBy(driver, ec2Request('pair', { token: 'two', isClaimed: () => true }));
    double.refuse({ action: 'TerminateInstances', code: 'OperationNotPermitted' });
    expect(await failureOf(driver.deleteInstance(ec2Request('pair')))).toMatchObject({
      code: 'FailedPrecondition',
    });
    expect(statesOf('pair').toSorted()).toEqual(['running', 'terminated']);
  });

  test('a delete is cancelled at once', async () => {
    double.delay({ terminatesForSeconds: 600 });
    await createdBy(driver, ec2Request('stopped'));
    const { checkpoint = '' } = await pendingOf(driver.deleteInstance(ec2Request('stopped')));
    const request = ec2Request('stopped', { checkpoint, signal: AbortSignal.abort() });
    expect(await failureOf(driver.deleteInstance(request))).toMatchObject({ code: 'Canceled' });
  });
});

describe('a look that fails while something goes on', () => {
  const faults = [
    { name: 'throttled', code: 'RequestLimitExceeded', status: 503 },
    { name: 'in trouble', code: 'InternalError', status: 500 },
  ];

  test.each(faults)('$name: a create is not over', async ({ name, ...fault }) => {
    const request = ec2Request(`create-${name}`);
    const first = await pendingOf(driver.createInstance(request));
    double.refuse({ action: 'DescribeInstances', ...fault, times: 3 });
    const { checkpoint = '' } = first;
    const second = await pendingOf(driver.createInstance({ ...request, checkpoint }));
    expect(second.message).toBe(first.message);
    expect((await creating({ ...request, checkpoint })).answer).toMatchObject({ found: false });
  });

  test.each(faults)('$name: a delete is not over', async ({ name, ...fault }) => {
    double.delay({ terminatesForSeconds: 45 });
    const request = ec2Request(`delete-${name}`);
    await createdBy(driver, request);
    const first = await pendingOf(driver.deleteInstance(request));
    double.refuse({ action: 'DescribeInstances', ...fault, times: 2 });
    const { checkpoint = '' } = first;
    const second = await pendingOf(driver.deleteInstance({ ...request, checkpoint }));
    expect(second.message).toBe(first.message);
    expect((await deleting({ ...request, checkpoint })).answer).toEqual({ found: true });
    expect(count('TerminateInstances')).toBe(1);
  });

  test('whose answer breaks off in the middle: a create is not over', async () => {
    const request = ec2Request('broken-off');
    const first = await pendingOf(driver.createInstance(request));
    double.cut({ request: 1, when: 'within' });
    const { checkpoint = '' } = first;
    const second = await pendingOf(driver.createInstance({ ...request, checkpoint }));
    expect(second.message).toBe(first.message);
    expect((await creating({ ...request, checkpoint })).answer).toMatchObject({ found: false });
  });

  test('EC2 is asked again when it says', async () => {
    const { checkpoint = '' } = await pendingOf(driver.createInstance(ec2Request('patient')));
    const fault = { code: 'RequestLimitExceeded', status: 503, retryAfter: '42' };
    double.refuse({ action: 'DescribeInstances', ...fault });
    const next = await pendingOf(driver.createInstance(ec2Request('patient', { checkpoint })));
    expect(next.pollAfterSeconds).toBe(42);
  });

  test('a refusal fails the call at once, and temporary trouble only after a while', async () => {
    const { checkpoint = '' } = await pendingOf(driver.createInstance(ec2Request('told')));
    const request = ec2Request('told', { checkpoint });
    double.refuse({ action: 'DescribeInstances', code: 'UnauthorizedOperation', status: 403 });
    expect(await failureOf(driver.createInstance(request))).toMatchObject({
      code: 'PermissionDenied',
      settled: false,
    });
    const fault = { code: 'RequestLimitExceeded', status: 503, times: 99 };
    double.refuse({ action: 'DescribeInstances', ...fault });
    let calls = 0;
    const create = followed((more) => {
      calls += 1;
      return driver.createInstance({ ...request, ...more });
    });
    expect(await failureOf(create)).toMatchObject({ kind: 'throttling', settled: false });
    expect(calls).toBe(6);
  });

  test('eight deletions with a bucket of five looks all end', async () => {
    double.delay({ terminatesForSeconds: 60 });
    const names = Array.from({ length: 8 }, (_none, index) => `bucket-${index}`);
    for (const name of names) await createdBy(driver, ec2Request(name));
    const firsts = await Promise.all(
      names.map((name) => pendingOf(driver.deleteInstance(ec2Request(name)))),
    );
    double.limitCalls({ action: 'DescribeInstances', calls: 5, callsPerSecond: 1 });
    const ends = names.map(async (name, index) => {
      const { checkpoint = '' } = firsts[index] ?? {};
      return (await deleting(ec2Request(name, { checkpoint }))).answer;
    });
    expect(await Promise.all(ends)).toEqual(names.map(() => ({ found: true })));
    expect(count('TerminateInstances')).toBe(8);
  });
});

test('a page of something that is not EC2 says nothing of an instance', async () => {
  const request = ec2Request('behind-a-proxy');
  const { providerID } = await createdBy(driver, request);
  double.answerAsStranger(2);
  expect(await failureOf(driver.deleteInstance({ ...request, providerID }))).toMatchObject({
    code: 'Unknown',
    settled: false,
  });
  expect(await failureOf(driver.describeInstance({ ...request, providerID }))).toMatchObject({
    code: 'Unknown',
  });
  expect(statesOf('behind-a-proxy')).toEqual(['running']);
});

describe.each([
  { what: 'an empty answer', body: '' },
  { what: 'a page', body: '<html><body><p>Please log in.</p></body></html>' },
  { what: 'words', body: 'ok' },
])('$what with status 200 that is not of EC2', ({ body }) => {
  const strange = { status: 200, body };
  const unknown = { code: 'Unknown', settled: false };

  test('does not say that an instance is gone', async () => {
    const name = `behind-200-${body.length}`;
    const request = ec2Request(name);
    const { providerID } = await createdBy(driver, request);
    const calls = [
      () => driver.deleteInstance({ ...request, providerID }),
      () => driver.describeInstance({ ...request, providerID }),
      () => driver.describeInstance(request),
      () => driver.listInstances({ ...request, namespace: 'shoot' }),
    ];
    for (const call of calls) {
      double.answerAsStranger(1, strange);
      expect(await failureOf(call())).toMatchObject(unknown);
    }
    double.answerAsStranger(1, { ...strange, action: 'TerminateInstances' });
    const listed = { ...request, namespace: 'shoot', providerID };
    expect(await failureOf(driver.deleteListed(listed))).toMatchObject(unknown);
    expect(statesOf(name)).toEqual(['running']);
  });

  test('does not say that there is no such image', async () => {
    double.answerAsStranger(1, { ...strange, action: 'DescribeImages' });
    const failure = await failureOf(driver.createInstance(ec2Request('any-image')));
    expect(failure).toMatchObject(unknown);
  });
});
