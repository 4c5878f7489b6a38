/** Operations that fail. */
import { aGcpWorld, aSharedGcpWorld, gcpRequest, zone } from './gcp-world.ts';
import { failureOf } from '../failure-of.ts';

const world = await aSharedGcpWorld();

const bodyOf = (name: string) =>
  world.double.cloud.instances.find((instance) => instance.name === name)?.body;

describe('operations that fail', () => {
  const capacity = {
    code: 'ZONE_RESOURCE_POOL_EXHAUSTED',
    message: `The zone '${zone}' does not have enough resources available to fulfill the request.`,
  };

  test('no capacity: told apart from quota, settled, and nothing stays', async () => {
    const fault = { kind: 'operationError', operation: 'insert', name: 'full' } as const;
    world.double.faults.add({ ...fault, ...capacity });
    expect(await failureOf(world.driver.createInstance(gcpRequest('full')))).toMatchObject({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: true,
      message: expect.stringContaining(capacity.message),
    });
    expect(bodyOf('full')).toBeUndefined();
    expect(world.double.cloud.disks.filter(({ name }) => name === 'full')).toEqual([]);
  });

  test('one that has failed when it is answered keeps its code', async () => {
    const fault = { kind: 'failsAtOnce', operation: 'insert', name: 'at-once' } as const;
    world.double.faults.add({ ...fault, ...capacity });
    expect(await failureOf(world.driver.createInstance(gcpRequest('at-once')))).toMatchObject({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: true,
      message: expect.stringContaining(capacity.message),
    });
    expect(bodyOf('at-once')).toBeUndefined();
  });

  const missingTypes = [
    {
      name: 'no-accelerator',
      message: `The resource 'projects/p/zones/${zone}/acceleratorTypes/a' was not found`,
    },
    { name: 'no-disk-type', message: `Disk type with name 'd' does not exist in zone '${zone}'.` },
  ];

  test.each(missingTypes)(
    '$name in the zone: no capacity, in an answer and in an operation, and settled',
    async ({ name, message }) => {
      const of = { operation: 'insert', name, status: 404, message } as const;
      world.double.faults.add({ ...of, kind: 'error', reason: 'notFound' });
      const isFull = { code: 'ResourceExhausted', kind: 'capacity', settled: true };
      const insert = async (token: string): Promise<unknown> =>
        await failureOf(world.driver.createInstance(gcpRequest(name, { token })));
      expect(await insert('answer')).toMatchObject(isFull);
      world.double.faults.add({ ...of, kind: 'operationError', code: 'RESOURCE_NOT_FOUND' });
      expect(await insert('operation')).toMatchObject(isFull);
      expect(bodyOf(name)).toBeUndefined();
    },
  );

  test('one that failed long ago while nobody looked spends its token: it would be brought back for ever', async () => {
    const past = await aGcpWorld();
    past.double.advance(-120);
    const fault = { kind: 'operationError', operation: 'insert', name: 'unseen' } as const;
    past.double.faults.add({ ...fault, ...capacity });
    past.double.faults.add({ kind: 'loseAnswer', operation: 'insert', name: 'unseen' });
    expect(await failureOf(past.driver.createInstance(gcpRequest('unseen')))).toMatchObject({
      code: 'Unavailable',
      settled: false,
    });
    past.double.advance(1);
    expect(await failureOf(past.driver.createInstance(gcpRequest('unseen')))).toMatchObject({
      code: 'Aborted',
      settled: true,
      message: expect.stringContaining('ZONE_RESOURCE_POOL_EXHAUSTED'),
    });
    await past.double.close();
  });

  test.each([
    [403, 'QUOTA_EXCEEDED', 'ResourceExhausted'],
    [503, 'NEVER_SEEN', 'Unavailable'],
    [409, 'NEVER_SEEN', 'Aborted'],
  ])('several errors of a failed operation: %s %s is %s', async (status, code, expected) => {
    const name = `failed-${status}`;
    const errors = [
      { code: 'ANOTHER_ONE', message: 'this' },
      { code, message: 'that' },
    ];
    world.double.faults.add({ kind: 'operationError', operation: 'insert', name, status, errors });
    expect(await failureOf(world.driver.createInstance(gcpRequest(name)))).toMatchObject({
      code: expected,
      settled: true,
      message: expect.stringContaining(': this; that'),
    });
  });
});
