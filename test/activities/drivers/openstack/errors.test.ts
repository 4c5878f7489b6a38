/** What OpenStack's errors mean, row by row, and what becomes of answers of strangers. */
import type { RestAnswer } from '../../../../activities/drivers/frame/http.ts';
import {
  meaningOfFault,
  refusalIn,
  statusMeanings,
  typeMeanings,
} from '../../../../activities/drivers/openstack/errors.ts';
import { failureOf } from '../failure-of.ts';
import { pendingOf } from '../following.ts';
import { htmlNotFound, startFaultProxy, tooManyCalls } from '../frame/fault-proxy.ts';
import type { Fault, FaultProxy } from '../frame/fault-proxy.ts';
import { startOpenStackDouble, type OpenStackDouble } from '../../../doubles/openstack/double.ts';
import { aDriverFor, aSpec, leftOf, openStackRequest, serversOf } from './openstack-world.ts';

function answerOf(status: number, json: unknown, headers: RestAnswer['headers'] = {}): RestAnswer {
  return { status, headers, json, text: JSON.stringify(json) };
}

describe('the tables', () => {
  test.each(Object.entries(typeMeanings))('%s is %s', (type, meaning) => {
    const nova = answerOf(418, { [type]: { code: 418, message: 'x' } });
    const neutron = answerOf(418, { NeutronError: { type, message: 'x', detail: '' } });
    expect([nova, neutron].map((answer) => refusalIn(answer))).toEqual([
      { meaning, code: type, words: 'x' },
      { meaning, code: type, words: 'x' },
    ]);
  });

  test.each(Object.entries(statusMeanings))('status %s is %s', (text, meaning) => {
    const status = Number(text);
    const keystone = answerOf(status, { error: { code: status, message: 'x', title: 'X' } });
    expect(refusalIn(keystone)).toEqual({ meaning, words: 'x' });
  });

  test.each([
    // As Nova, Neutron and Cinder of 2026 word them.
    [403, 'forbidden', 'Quota exceeded for cores: Requested 1, but already used 4 of 4', 'quota'],
    [403, 'forbidden', 'Maximum number of ports exceeded', 'quota'],
    [413, 'overLimit', 'Requested volume exceeds allowed gigabytes quota.', 'quota'],
    [413, 'overLimit', 'Maximum number of volumes allowed (10) exceeded for quota', 'quota'],
    [413, 'overLimit', 'This request was rate-limited.', 'throttling'],
    [403, 'forbidden', "Policy doesn't allow os_compute_api:servers:create", 'forbidden'],
    [409, 'conflictingRequest', 'Instance 1 is locked', 'precondition'],
    [409, 'conflictingRequest', 'Port 1 is still in use.', 'conflict'],
    [404, 'itemNotFound', 'Instance 1 could not be found.', 'missing'],
  ])('status %s, %s: "%s" is %s', (...row) => {
    const [status, name, message, meaning] = row;
    const answer = answerOf(status, { [name]: { code: status, message } });
    expect(refusalIn(answer)).toMatchObject({ meaning });
  });

  test.each([
    ['No valid host was found. There are not enough hosts available.', 'capacity'],
    ['Insufficient compute resources: Free vcpu 0.00', 'capacity'],
    ['Quota exceeded for gigabytes', 'quota'],
    ['Exceeded maximum number of retries.', 'conflict'],
  ])('a server that died of "%s": %s', (words, meaning) => {
    expect(meaningOfFault(words)).toBe(meaning);
  });

  test('a path that the service does not have is not an instance that does not exist', () => {
    const answer = answerOf(404, { code: '404 Not Found', message: 'x', title: 'Not Found' });
    expect(refusalIn(answer)).toMatchObject({ meaning: 'unknown' });
  });

  test('a refused token is known by the header of the middleware', () => {
    const headers = { 'www-authenticate': 'Keystone uri="https://keystone.example"' };
    expect(refusalIn(answerOf(401, undefined, headers))?.meaning).toBe('unauthenticated');
    expect(refusalIn(answerOf(401, undefined))).toBeUndefined();
  });
});

describe('answers on the way', () => {
  let double: OpenStackDouble;
  let proxy: FaultProxy;
  beforeAll(async () => {
    double = await startOpenStackDouble();
    proxy = await startFaultProxy(double.url);
  });
  afterEach(() => proxy.clear());
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await double[Symbol.asyncDispose]();
  });

  const createWith = async (name: string, end: string, fault: Fault): Promise<unknown> => {
    proxy.add({ matches: ({ method, path }) => method === 'POST' && path.endsWith(end), fault });
    return await failureOf(aDriverFor(proxy.url).createInstance(openStackRequest(name)));
  };

  test('an HTML 404 in front of Nova ends no Machine', async () => {
    const driver = aDriverFor(proxy.url);
    const { providerID } = await driver.createInstance(openStackRequest('html'));
    proxy.add({ matches: ({ path }) => path.includes('/servers'), fault: htmlNotFound });
    const asked = openStackRequest('html', { providerID });
    expect(await failureOf(driver.describeInstance(asked))).toMatchObject({
      code: 'Unknown',
      settled: false,
      message: expect.stringContaining('not an answer of this cloud'),
    });
  });

  test('too many calls, in the words of a proxy, with and without a time', async () => {
    const timed = tooManyCalls({ 'retry-after': '17' });
    expect(await createWith('many-1', '/servers', timed)).toMatchObject({
      code: 'Unavailable',
      settled: false,
      retryAfterSeconds: 17,
    });
    expect(await createWith('many-2', '/ports', tooManyCalls())).toMatchObject({
      code: 'Unavailable',
    });
  });

  test('Nova itself says 413 and when to come back: throttling, and not quota', async () => {
    const text = JSON.stringify({
      overLimit: { code: 413, message: 'This request was rate-limited.', retryAfter: '9' },
    });
    const headers = { 'retry-after': '9' };
    const fault: Fault = { kind: 'answer', status: 413, headers, text };
    expect(await createWith('limit', '/ports', fault)).toMatchObject({
      code: 'Unavailable',
      kind: 'throttling',
      settled: true,
      retryAfterSeconds: 9,
    });
  });

  test('503 of Neutron: nothing is settled', async () => {
    const fault: Fault = { kind: 'answer', status: 503, text: 'no healthy upstream' };
    expect(await createWith('away', '/ports', fault)).toMatchObject({
      code: 'Unavailable',
      settled: false,
    });
  });

  test('no answer within the limit of a call', async () => {
    proxy.add({
      matches: ({ path }) => path.includes('/servers/detail'),
      fault: { kind: 'silence' },
    });
    const driver = aDriverFor(proxy.url, { callTimeoutSeconds: 0.5 });
    expect(await failureOf(driver.createInstance(openStackRequest('mute')))).toMatchObject({
      code: expect.stringMatching(/DeadlineExceeded|Unavailable/),
      settled: false,
    });
  });

  test('a token that a service refuses in its youth is not asked for again at once', async () => {
    const driver = aDriverFor(proxy.url);
    await driver.describeInstance(openStackRequest('token'));
    double.world.tokens.clear();
    const before = proxy.calls.length;
    const described = driver.describeInstance(openStackRequest('token'));
    expect(await failureOf(described)).toMatchObject({ code: 'Unauthenticated' });
    expect(proxy.calls.length - before).toBe(1);
    expect(await driver.describeInstance(openStackRequest('token'))).toBeUndefined();
  });
});

describe('refusals of the cloud', () => {
  let double: OpenStackDouble;
  beforeAll(async () => {
    double = await startOpenStackDouble();
  });
  afterAll(() => double[Symbol.asyncDispose]());

  test.each([
    [{ flavorName: 'more-than-quota' }, 'ResourceExhausted', 'quota', /Quota exceeded for cores/],
    [{ flavorName: 'more-than-hosts' }, 'ResourceExhausted', 'capacity', /No valid host was found/],
    [{ flavorName: 'none' }, 'ResourceExhausted', 'capacity', /there is no flavor "none"/],
    [{ imageName: 'none' }, 'InvalidArgument', 'input', /there is no image "none"/],
    [{ securityGroups: ['none'] }, 'InvalidArgument', 'input', /no security group "none"/],
    [{ networkID: 'none' }, 'InvalidArgument', 'input', /Network none could not be found/],
    [{ region: 'nowhere' }, 'InvalidArgument', 'input', /region "nowhere"/],
    [{ rootDiskType: 'fast', rootDiskSize: 20_000 }, 'ResourceExhausted', 'quota', /quota/],
  ])('%j: %s, %s', async (...row) => {
    const [more, code, kind, message] = row;
    const name = `r-${code}-${kind}`.toLowerCase();
    const request = openStackRequest(name, { providerSpec: aSpec(more) });
    const driver = aDriverFor(double.url);
    const failure = await failureOf(driver.createInstance(request));
    expect(failure).toMatchObject({ code, kind, message: expect.stringMatching(message) });
    expect(serversOf(double, name)).toEqual([]);
    await driver.deleteInstance({ ...request, providerSpec: aSpec() });
    expect(leftOf(double, name)).toEqual([]);
  });

  test('the next try after a death makes one server, on the port that is there', async () => {
    const driver = aDriverFor(double.url);
    const request = openStackRequest('again');
    const dead = { ...request, providerSpec: aSpec({ flavorName: 'more-than-hosts' }) };
    await failureOf(driver.createInstance(dead));
    await driver.createInstance(openStackRequest('again', { token: 'uid-of-again-1' }));
    expect(leftOf(double, 'again')).toEqual(['server again', 'port again']);
  });

  test('a locked server is not deleted, and the message says what to do', async () => {
    const driver = aDriverFor(double.url);
    await driver.createInstance(openStackRequest('locked'));
    Object.assign(serversOf(double, 'locked')[0] ?? {}, { locked: true });
    expect(await failureOf(driver.deleteInstance(openStackRequest('locked')))).toMatchObject({
      code: 'FailedPrecondition',
      message: 'OpenStack: server locked is locked: unlock it',
    });
  });
});

test('a cloud that takes minutes: pending, with what is waited for', async () => {
  await using double = await startOpenStackDouble({ slowness: 1_000 });
  const driver = aDriverFor(double.url, { waitSeconds: 0 });
  const pending = await pendingOf(driver.createInstance(openStackRequest('slow')));
  expect(pending.message).toBe('OpenStack: server slow is being made (BUILD)');
  const again = await pendingOf(driver.createInstance(openStackRequest('slow')));
  expect(again.message).toBe('OpenStack: server slow is being made (BUILD, spawning)');
  expect(serversOf(double, 'slow')).toHaveLength(1);
});

test('of two servers of one token the older stays, whose process may be gone, and the other goes', async () => {
  await using double = await startOpenStackDouble();
  await using proxy = await startFaultProxy(double.url);
  const { servers } = double.world;
  proxy.add({
    // Nova shows what a process that was killed has made as well, a second later.
    matches: ({ path }) => path.includes('/servers/detail') && servers.size === 1,
    fault: { kind: 'slow', milliseconds: 0 },
    onHit: () => {
      const [mine] = servers.values();
      const created = new Date(Date.parse(String(mine?.fields['created'])) + 1_000).toISOString();
      const fields = { ...mine?.fields, id: 'of-the-dead', created };
      servers.set('of-the-dead', { looks: 0, fields });
    },
  });
  const made = await aDriverFor(proxy.url).createInstance(openStackRequest('raced'));
  expect(made.found).toBe(false);
  const staying = serversOf(double, 'raced').filter(
    (one) => one['OS-EXT-STS:task_state'] !== 'deleting',
  );
  const left = staying.map(({ id }) => `openstack:///RegionOne/${String(id)}`);
  expect(left).toEqual([made.providerID]);
});

describe('in a network of another project', () => {
  test('a port without a MAC address is made, and found again', async () => {
    await using double = await startOpenStackDouble({ allowsMac: false });
    const driver = aDriverFor(double.url);
    await driver.createInstance(openStackRequest('guest'));
    expect(await driver.createInstance(openStackRequest('guest'))).toMatchObject({ found: true });
    expect(leftOf(double, 'guest')).toEqual(['server guest', 'port guest']);
  });

  test('two creates at once leave one server and one port', async () => {
    await using double = await startOpenStackDouble({ allowsMac: false });
    const [one, other] = [aDriverFor(double.url), aDriverFor(double.url)];
    await Promise.allSettled([
      one.createInstance(openStackRequest('pair')),
      other.createInstance(openStackRequest('pair')),
    ]);
    await one.createInstance(openStackRequest('pair'));
    expect(leftOf(double, 'pair')).toEqual(['server pair', 'port pair']);
  });
});
