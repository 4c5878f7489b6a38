/** Answers of others, silence, throttling; and what a refused signature is answered with. */
import type { CreateRequest } from '../../../../activities/drivers/driver.ts';
import { Refusal } from '../../../doubles/rest/refusal.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../failure-of.ts';
import { startFaultProxy, tooManyCalls, type Fault } from '../frame/fault-proxy.ts';
import { aliRequest, aSharedAlicloudWorld } from './alicloud-world.ts';

const world = await aSharedAlicloudWorld();
const proxy = await startFaultProxy(world.double.url);
afterAll(() => proxy[Symbol.asyncDispose]());
afterEach(() => proxy.clear());

const driver = world.aDriver({}, proxy.url);
const create = (request: CreateRequest) => failureOf(driver.createInstance(request));
const isRun = ({ method }: { method: string }): boolean => method === 'POST';
const secrets = /canary-of|Y2FuYXJ5LW9m|UserData/;

describe('answers that are not of Alibaba Cloud', () => {
  test.each([
    [
      '429 with a time',
      tooManyCalls({ 'retry-after': '7' }),
      { code: 'Unavailable', retryAfterSeconds: 7 },
    ],
    ['429 without a time', tooManyCalls(), { code: 'Unavailable' }],
    ['503', { kind: 'answer', status: 503, text: 'down' } satisfies Fault, { code: 'Unavailable' }],
    [
      'a page with 200',
      { kind: 'answer', status: 200, text: '<html>' } satisfies Fault,
      { code: 'Unknown' },
    ],
    [
      'JSON of another form',
      { kind: 'answer', status: 200, text: '{"Instances":[]}' } satisfies Fault,
      { code: 'Unknown' },
    ],
  ])('%s settles nothing, and is asked once', async (_name, fault, is) => {
    const before = proxy.calls.length;
    proxy.add({ matches: isRun, fault });
    proxy.add({ matches: (call) => !isRun(call), nth: 2, fault });
    const run = await create(aliRequest('strange'));
    expect(run).toMatchObject({ ...is, settled: false });
    expect(run.message).not.toMatch(secrets);
    expect(proxy.calls.slice(before).map(({ method }) => method)).toEqual(['GET', 'POST']);
    expect(await create(aliRequest('strange'))).toMatchObject({ ...is, settled: false });
  });
});

describe('throttling', () => {
  test('is never lack of capacity, and waits as long as the cloud says', async () => {
    const refusal = new Refusal(
      400,
      'Throttling.User',
      'Request was denied due to user flow control.',
    );
    world.double.refuse('RunInstances', refusal, { 'x-acs-retry-after': '2500' });
    expect(await create(aliRequest('slowly'))).toEqual({
      code: 'Unavailable',
      kind: 'throttling',
      settled: true,
      retryAfterSeconds: 3,
      message:
        'Alibaba Cloud: run instance slowly: Error 400 Throttling.User: Request was denied due to user flow control.',
    });
  });
});

describe('silence', () => {
  test('ends by the time limit of the call, and settles nothing', async () => {
    // The SDK is loaded, so that only the call counts.
    await driver.describeInstance(aliRequest('mute'));
    proxy.add({ matches: isRun, fault: { kind: 'silence' } });
    const hasty = world.aDriver({ callTimeoutSeconds: 1 }, proxy.url);
    const end = await eventually('the look before it came in time', async () => {
      const failure = await failureOf(hasty.createInstance(aliRequest('mute')));
      return failure.message?.includes('run instance') ? failure : undefined;
    });
    expect(end).toMatchObject({
      code: 'DeadlineExceeded',
      settled: false,
      message: 'Alibaba Cloud: run instance mute: no answer within 1 s',
    });
    proxy.clear();
    expect(await driver.createInstance(aliRequest('mute'))).toMatchObject({ found: true });
    expect(world.double.cloud.madeByName.get('mute')).toBe(1);
  });
});

describe('secrets', () => {
  test('a refused signature is answered with all that was signed, and none of it is told', async () => {
    // The search is refused first; the run never leaves with a wrong key, so it is ordered.
    const words =
      'Specified signature is not matched with our calculation. server StringToSign is [ACS3] server CanonicalRequest is [POST / UserData=Y2FuYXJ5LW9m]';
    world.double.refuse('RunInstances', new Refusal(400, 'SignatureDoesNotMatch', words));
    expect(await create(aliRequest('unsigned'))).toEqual({
      code: 'Unauthenticated',
      kind: 'credentials',
      settled: true,
      message:
        'Alibaba Cloud: run instance unsigned: Error 400 SignatureDoesNotMatch: Specified signature is not matched with our calculation.',
    });
    const secret = { accessKeyID: 'LTAI-canary-id', accessKeySecret: 'another' };
    expect(await create(aliRequest('unsigned', { secret }))).toMatchObject({
      code: 'Unauthenticated',
    });
  });
});

test('an endpoint that is no URL is said when the process starts', () => {
  expect(() => world.aDriver({}, 'http://ok')).not.toThrow();
});
