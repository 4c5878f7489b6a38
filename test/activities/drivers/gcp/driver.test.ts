/** The driver over the wire, with Google's SDK on our side and the double on the other. */
import { eventually } from '../../../support/eventually.ts';
import { inspect } from 'node:util';
import { aSharedGcpWorld, aSpec, gcpRequest, idOf, project, zone } from './gcp-world.ts';
import { failureOf } from '../failure-of.ts';

const world = await aSharedGcpWorld();

const everMade = (name: string): number => world.double.cloud.insertsByName.get(name) ?? 0;
const bodyOf = (name: string) =>
  world.double.cloud.instances.find((instance) => instance.name === name)?.body;

describe('failures', () => {
  test.each([
    [
      'rateLimit',
      { seconds: 7 },
      { code: 'Unavailable', kind: 'throttling', settled: true, retryAfterSeconds: 7 },
    ],
    [
      'error',
      { status: 404, reason: 'notFound' },
      { code: 'InvalidArgument', kind: 'input', settled: true },
    ],
    ['error', { status: 503, reason: 'backendError' }, { code: 'Unavailable', settled: false }],
  ] as const)('%s %j: an insert is refused once and told as it is', async (kind, more, is) => {
    const name = `refused-${kind.toLowerCase()}-${Object.values(more)[0] ?? 'x'}`;
    world.double.faults.add({ kind, operation: 'insert', name, ...more });
    const before = world.double.calls.length;
    const failure = await failureOf(world.driver.createInstance(gcpRequest(name)));
    expect(failure).toMatchObject(is);
    const calls = world.double.calls.slice(before).map(({ operation }) => operation);
    expect(calls).toEqual(['get', 'insert']);
    expect(bodyOf(name)).toBeUndefined();
  });

  test.each([401, 403, 429, 500, 503])(
    'a look that fails with %s is one request and settles nothing',
    async (status) => {
      world.double.faults.add({
        kind: 'error',
        operation: 'get',
        name: 'blind',
        status,
        reason: 'x',
      });
      const before = world.double.calls.length;
      expect(await failureOf(world.driver.createInstance(gcpRequest('blind')))).toMatchObject({
        settled: false,
      });
      expect(world.double.calls.length - before).toBe(1);
      expect(everMade('blind')).toBe(0);
    },
  );

  test.each(['cutBefore', 'loseAnswer'] as const)(
    'a look without an answer (%s) is one request and settles nothing',
    async (kind) => {
      world.double.faults.add({ kind, operation: 'get', name: 'cut' });
      const before = world.double.calls.length;
      expect(await failureOf(world.driver.createInstance(gcpRequest('cut')))).toMatchObject({
        code: 'Unavailable',
        settled: false,
      });
      expect(world.double.calls.length - before).toBe(1);
    },
  );

  test('a call that hangs ends by the time limit, with an uncertain outcome', async () => {
    world.double.faults.add({ kind: 'hang', operation: 'insert', name: 'hangs' });
    const hasty = world.aDriver({ callTimeoutSeconds: 0.3 });
    await eventually('the token is there', () => hasty.describeInstance(gcpRequest('hangs')));
    expect(await failureOf(hasty.createInstance(gcpRequest('hangs')))).toEqual({
      code: 'DeadlineExceeded',
      settled: false,
      message: 'Google Compute Engine: insert instance hangs: no answer within 0.3 s',
    });
  });

  test.each(['hang', 'slow'] as const)(
    'a call that is cancelled (%s) ends at once',
    async (kind) => {
      const name = `stopped-${kind}`;
      world.double.faults.add({ kind, operation: 'insert', name, seconds: 30 });
      const controller = new AbortController();
      const call = failureOf(
        world.driver.createInstance(gcpRequest(name, { signal: controller.signal })),
      );
      await eventually('it is asked for', () =>
        world.double.calls.some((seen) => seen.operation === 'insert' && seen.name === name),
      );
      controller.abort();
      expect(await call).toMatchObject({ code: 'Canceled', settled: false });
    },
  );

  test.each([
    ['error', { status: 403, reason: 'forbidden' }],
    ['cutBefore', {}],
    ['loseAnswer', {}],
  ] as const)('no error (%s) holds key, token or user data', async (kind, more) => {
    const name = `quiet-${kind.toLowerCase()}`;
    world.double.faults.add({ kind, operation: 'insert', name, ...more });
    const request = gcpRequest(name, { userData: '#cloud-config hush' });
    const error: unknown = await world.driver
      .createInstance(request)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(
      /PRIVATE KEY|double-token|hush/,
    );
  });
});

describe('delete', () => {
  test('a providerID as Nodes have it names the same instance', async () => {
    await world.driver.createInstance(gcpRequest('by-node'));
    const providerID = `gce://${project}/${zone}/by-node`;
    const request = gcpRequest('by-node', { providerID });
    expect(await world.driver.createInstance(request)).toMatchObject({
      providerID: idOf('by-node'),
      found: true,
    });
    expect(await world.driver.describeInstance(request)).toMatchObject({ nodeName: 'by-node' });
    const before = world.double.calls.length;
    expect(await world.driver.deleteInstance(request)).toEqual({ found: true });
    // It is looked for in one place, and not in two that are the same.
    const looks = world.double.calls.slice(before).filter(({ operation }) => operation === 'get');
    expect(looks).toHaveLength(2);
    expect(bodyOf('by-node')).toBeUndefined();
  });

  test('an instance that is protected is reported, and stays', async () => {
    const providerSpec = { ...aSpec, deletionProtection: true };
    await world.driver.createInstance(gcpRequest('protected', { providerSpec }));
    expect(await failureOf(world.driver.deleteInstance(gcpRequest('protected')))).toMatchObject({
      code: 'FailedPrecondition',
      message: expect.stringContaining('clear deletionProtection'),
    });
    expect(bodyOf('protected')).toBeDefined();
  });

  test('a project or zone that does not exist is not "nothing there"', async () => {
    const message = `The resource 'projects/${project}/zones/${zone}' was not found`;
    const fault = { kind: 'error', operation: 'get', status: 404, reason: 'notFound' } as const;
    world.double.faults.add({ ...fault, message });
    expect(await failureOf(world.driver.deleteInstance(gcpRequest('lost')))).toMatchObject({
      code: 'InvalidArgument',
      settled: false,
    });
  });

  test('a providerID that is not of Google is reported', async () => {
    const request = gcpRequest('odd', { providerID: 'aws:///eu-west-1/i-1' });
    expect(await failureOf(world.driver.deleteInstance(request))).toMatchObject({
      code: 'InvalidArgument',
      message:
        'spec.providerID: "aws:///eu-west-1/i-1" is not of the form gce:///PROJECT/ZONE/NAME or gce://PROJECT/ZONE/NAME',
    });
  });
});

describe('the rest', () => {
  test('one listing serves all classes of a zone with the same two tags', () => {
    const scope = world.driver.listScope(aSpec);
    expect(scope).toBe(
      JSON.stringify([
        'europe-west1',
        zone,
        'kubernetes-io-cluster-shoot',
        'kubernetes-io-role-node',
      ]),
    );
    expect(
      world.driver.listScope({ ...aSpec, machineType: 'other', tags: aSpec.tags.toReversed() }),
    ).toBe(scope);
    expect(world.driver.listScope({ ...aSpec, zone: 'europe-west1-c' })).not.toBe(scope);
    expect(world.driver.listScope(undefined)).toBe('[null,null,null,null]');
  });
});
