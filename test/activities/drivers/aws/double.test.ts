/**
 * The driver over the wire, with the real SDK, against a double of EC2 that remembers tokens, fails
 * and takes its time.
 */
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import type { CreateRequest } from '../../../../activities/drivers/driver.ts';
import { tagsIn } from '../../../doubles/ec2/instances.ts';
import { aSpec } from './a-class.ts';
import { aSharedEc2, ec2Request } from './ec2-world.ts';
import { eventually } from '../../../support/eventually.ts';
import { HandSystem } from '../../../support/hand-system.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy, pendingOf } from '../following.ts';
import { instantTiming } from './instant-timing.ts';

const timing = instantTiming();
const { double, settings, statesOf } = await aSharedEc2();
const driver = createAwsDriver(settings, { timing, callTimeoutSeconds: 600 });

const theRequest = (name: string, more: Partial<CreateRequest> = {}): CreateRequest =>
  ec2Request(name, { userData: '#!/bin/sh', ...more });

function actions(): (string | undefined)[] {
  return double.requests.map((form) => form.get('Action'));
}

describe('create', () => {
  test('a create looks, reads the image, runs with tags, and looks at the instance', async () => {
    await createdBy(driver, theRequest('calls'));
    expect(actions()).toEqual([
      'DescribeInstances',
      'DescribeImages',
      'RunInstances',
      'DescribeInstances',
    ]);
    const run = double.requests[2] ?? new Map();
    expect(run.get('ClientToken')).toBe('uid-of-calls-0');
    const tags = tagsIn(run, 'instance');
    expect(tags).toMatchObject({ Name: 'calls', 'millwright.dev/token': 'uid-of-calls-0' });
    expect(tagsIn(run, 'volume')).toEqual(tags);
    expect(tagsIn(run, 'network-interface')).toEqual(tags);
  });

  test('the same token makes one instance, though EC2 does not list it yet', async () => {
    double.delay({ listedAfter: 2 });
    const request = theRequest('lagging');
    const first = await pendingOf(driver.createInstance(request));
    const second = await pendingOf(driver.createInstance(request));
    expect(second.message).toBe(first.message);
    expect(actions().filter((action) => action === 'RunInstances')).toHaveLength(2);
    expect(statesOf('lagging')).toHaveLength(1);
  });

  test('two creates at once with one token make one instance', async () => {
    const [one, two] = await Promise.all([
      createdBy(driver, theRequest('twice')),
      createdBy(driver, theRequest('twice')),
    ]);
    expect(one.providerID).toBe(two.providerID);
    expect(statesOf('twice')).toHaveLength(1);
  });

  test('the same token with another request finds what the first one made', async () => {
    double.delay({ listedAfter: 1 });
    const { providerID } = await createdBy(driver, theRequest('changed'));
    const providerSpec = aSpec({ machineType: 'm5.xlarge' });
    const request = theRequest('changed', { providerSpec });
    expect(await createdBy(driver, request)).toMatchObject({ providerID, found: true });
    expect(statesOf('changed')).toHaveLength(1);
  });

  test('a token with another request is not settled while EC2 lists no instance', async () => {
    double.delay({ listedAfter: 9 });
    await pendingOf(driver.createInstance(theRequest('hidden')));
    const request = theRequest('hidden', { userData: 'other' });
    expect(await failureOf(createdBy(driver, request))).toMatchObject({
      code: 'Aborted',
      settled: false,
    });
    expect(statesOf('hidden')).toHaveLength(1);
  });

  test('a token whose instance is long forgotten is spent all the same', async () => {
    await createdBy(driver, theRequest('long-ago'));
    await deletedBy(driver, theRequest('long-ago'));
    double.forgetAt('DescribeInstances');
    expect(await failureOf(createdBy(driver, theRequest('long-ago')))).toMatchObject({
      code: 'Aborted',
      settled: true,
      message: expect.stringContaining('IdempotentInstanceTerminated'),
    });
  });

  test('an instance that stays without a name is not given up', async () => {
    double.delay({ namedAfter: 99 });
    expect(await failureOf(createdBy(driver, theRequest('nameless')))).toMatchObject({
      code: 'Unavailable',
      settled: false,
      message: expect.stringContaining('DNS hostnames'),
    });
  });

  test('throttling carries the time that EC2 asks for, and nothing was made', async () => {
    const fault = { code: 'RequestLimitExceeded', status: 503, retryAfter: '7' };
    double.refuse({ action: 'RunInstances', ...fault });
    expect(await failureOf(createdBy(driver, theRequest('throttled')))).toEqual({
      code: 'Unavailable',
      kind: 'throttling',
      settled: true,
      retryAfterSeconds: 7,
      message: expect.stringMatching(/^EC2 in eu-west-1: RunInstances: RequestLimitExceeded: /),
    });
    expect(actions()).toHaveLength(3);
  });

  test('a look that is throttled says nothing of earlier tries', async () => {
    double.refuse({ action: 'DescribeInstances', code: 'RequestLimitExceeded', status: 503 });
    expect(await failureOf(createdBy(driver, theRequest('unseen')))).toMatchObject({
      kind: 'throttling',
      settled: false,
    });
  });

  test('a call without an answer ends by its own limit', async () => {
    const hand = new HandSystem();
    const another = createAwsDriver(settings, { timing });
    double.cut({ request: 3, when: 'never' });
    const call = hand.run(() => failureOf(another.createInstance(theRequest('stalled'))));
    await eventually('the request has come', () => expect(actions()).toHaveLength(3));
    await hand.to(30_000);
    expect(await call).toMatchObject({
      code: 'DeadlineExceeded',
      settled: false,
      message: 'EC2 in eu-west-1: RunInstances: no answer within 30 s',
    });
  });
});

describe('initialize', () => {
  const networkInterfaces = [
    { subnetID: 's', securityGroupIDs: ['g'], ipv6PrefixCount: 2 },
    { subnetID: 's', securityGroupIDs: ['g'], interfaceType: 'efa', networkCardIndex: 1 },
  ];
  const providerSpec = aSpec({ srcAndDstChecksEnabled: false, networkInterfaces });

  test('initialize sets each interface as the class says, and does nothing the second time', async () => {
    const request = theRequest('six', { providerSpec });
    const { providerID, isInitialized } = await createdBy(driver, request);
    expect(isInitialized).toBe(false);
    await driver.initializeInstance({ ...request, providerID });
    double.reset();
    await driver.initializeInstance({ ...request, providerID });
    expect(actions()).toEqual(['DescribeInstances']);
    const instance = double.instances.at(-1);
    expect(instance?.networkInterfaces).toMatchObject([
      { sourceDestCheck: false, ipv6Prefixes: [expect.any(String), expect.any(String)] },
      { sourceDestCheck: true, ipv6Prefixes: [] },
    ]);
    expect(await createdBy(driver, request)).toMatchObject({ isInitialized: true });
  });

  test('initialize works on an instance that EC2 lists only now', async () => {
    double.delay({ listedAfter: 2 });
    const request = theRequest('late', { providerSpec });
    const { providerID } = await createdBy(driver, request);
    expect(await driver.initializeInstance({ ...request, providerID })).toMatchObject({
      isInitialized: true,
    });
  });
});

test('a deletion takes an instance of this Machine that another cluster made', async () => {
  const made = theRequest('moved');
  const { providerID } = await createdBy(driver, { ...made, cluster: 'before' });
  expect(await deletedBy(driver, { ...made, token: 'another', providerID })).toEqual({
    found: true,
  });
});

test.each([1, 2, 3, 4])(
  'initialize, interrupted at request %i, does each step once',
  async (request) => {
    const networkInterfaces = [{ subnetID: 's', securityGroupIDs: ['g'], ipv6PrefixCount: 2 }];
    const providerSpec = aSpec({ srcAndDstChecksEnabled: false, networkInterfaces });
    const machine = theRequest(`initialized-${request}`, { providerSpec });
    const { providerID } = await createdBy(driver, machine);
    double.cut({ request, when: 'after' });
    await untilDone(() => driver.initializeInstance({ ...machine, providerID }));
    const [networkInterface] = double.instances.at(-1)?.networkInterfaces ?? [];
    expect(networkInterface?.ipv6Prefixes).toHaveLength(2);
    expect(networkInterface?.sourceDestCheck).toBe(false);
  },
);

describe('delete', () => {
  test('a delete succeeds for an instance that EC2 does not know any more', async () => {
    await createdBy(driver, theRequest('forgotten'));
    double.forgetAt('TerminateInstances');
    expect(await deletedBy(driver, theRequest('forgotten'))).toEqual({ found: true });
  });
});

test('a Secret that was changed is used at once', async () => {
  for (const accessKeyID of ['first', 'second', 'first']) {
    const secret = { accessKeyID, secretAccessKey: 'secret' };
    await driver.describeInstance(theRequest('any', { secret }));
    expect(double.lastAccessKey()).toBe(accessKeyID);
  }
});

test('a listing of EC2 reads all pages', async () => {
  const tags = { 'kubernetes.io/cluster/pages': '1', 'kubernetes.io/role/node': '1' };
  const providerSpec = aSpec({ tags });
  for (let index = 0; index < 5; index += 1) {
    await createdBy(driver, theRequest(`page-${index}`, { providerSpec }));
  }
  const request = { ...theRequest('any', { providerSpec }), namespace: 'shoot' };
  double.reset();
  double.limitPages(2);
  const listed = await driver.listInstances(request);
  expect(listed.map(({ machineName }) => machineName)).toEqual([
    'page-0',
    'page-1',
    'page-2',
    'page-3',
    'page-4',
  ]);
  expect(actions().filter((action) => action === 'DescribeInstances')).toHaveLength(3);
});

describe('interrupted at every call', () => {
  const whens = ['before', 'after'] as const;
  const cuts = whens.flatMap((when) => [1, 2, 3, 4, 5].map((request) => ({ when, request })));

  test.each(cuts)('create, cut $when request $request, makes one instance', async (cut) => {
    const name = `created-${cut.when}-${cut.request}`;
    double.delay({ listedAfter: 1, namedAfter: 2 });
    double.cut(cut);
    await untilDone(() => createdBy(driver, theRequest(name)));
    expect(statesOf(name)).toEqual(['running']);
  });

  test.each(cuts)('delete, cut $when request $request, leaves none', async (cut) => {
    const name = `deleted-${cut.when}-${cut.request}`;
    double.delay({ terminatedAfter: 3 });
    await createdBy(driver, theRequest(name));
    double.cut(cut);
    await untilDone(() => deletedBy(driver, theRequest(name)));
    expect(statesOf(name)).toEqual(['terminated']);
  });
});

/** As Temporal does it: again, until it does not fail. */
async function untilDone(call: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const failure = await call().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    expect(failure).toMatchObject({ code: 'Unavailable', settled: false });
    if (attempt === 5) throw failure;
  }
}
