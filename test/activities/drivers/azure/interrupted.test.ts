/**
 * Every request of a create and of a delete is cut, loses its answer, or is refused: in the end
 * there is one of everything, or nothing.
 */
import type { Driver } from '../../../../activities/drivers/driver.ts';
import type { AzureDouble } from '../../../doubles/azure/double.ts';
import { aDriver, aMachine, aSetting, living, partsOf } from './a-machine.ts';
import { failureOf } from '../failure-of.ts';

let double: AzureDouble;
let driver: Driver;
/** Of the process that goes on. */
let successor: Driver;
beforeAll(async () => {
  ({ double, driver } = await aSetting());
  successor = aDriver(double);
});
afterAll(() => double.close());

const attemptsMax = 5;

/**
 * What a workflow does: asks again with the same token, maybe in another process, until it is done.
 */
async function untilDone<Result>(act: (driver: Driver) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act(attempt === 1 ? driver : successor);
    } catch (error) {
      if (attempt >= attemptsMax) throw error;
    }
  }
}

async function requestsOf(act: () => Promise<unknown>): Promise<number> {
  const before = double.calls.length;
  await act();
  return double.calls.length - before;
}

const create = (name: string) => (by: Driver) => by.createInstance(aMachine(name));
const remove = (name: string) => (by: Driver) => by.deleteInstance(aMachine(name));

/** A run without faults takes as many requests; polls may make it one or two more. */
let createRequests = 0;
let deleteRequests = 0;
beforeAll(async () => {
  createRequests = await requestsOf(() => create('counted')(driver));
  deleteRequests = await requestsOf(() => remove('counted')(driver));
});

test('a create and a delete take a number of requests that is worth to be interrupted', () => {
  expect(createRequests).toBeGreaterThan(10);
  expect(deleteRequests).toBeGreaterThan(5);
});

describe.each(['cut', 'loseAnswer'] as const)('%s', (kind) => {
  test('at each request of a create: one virtual machine with its interface and disks', async () => {
    for (let skip = 0; skip < createRequests; skip += 1) {
      const name = `${kind.toLowerCase()}-create-${skip}`;
      double.reset();
      double.faults.add({ kind, skip });
      await untilDone(create(name));
      expect({ skip, living: living(double, name) }).toEqual({ skip, living: partsOf(name) });
      expect(double.resources.created.get(name)).toBe(1);
    }
  });

  test('at each request of a create, and then it is deleted instead: nothing', async () => {
    for (let skip = 0; skip < createRequests; skip += 1) {
      const name = `${kind.toLowerCase()}-given-up-${skip}`;
      double.reset();
      double.faults.add({ kind, skip });
      // The last ones are looks that not every create needs.
      await create(name)(driver).catch(() => undefined);
      await untilDone(remove(name));
      expect({ skip, living: living(double, name) }).toEqual({ skip, living: [] });
    }
  });

  test('at each request of a delete: nothing', async () => {
    for (let skip = 0; skip < deleteRequests; skip += 1) {
      const name = `${kind.toLowerCase()}-delete-${skip}`;
      double.reset();
      await create(name)(driver);
      double.faults.add({ kind, skip });
      await untilDone(remove(name));
      expect({ skip, living: living(double, name) }).toEqual({ skip, living: [] });
    }
  });
});

test('a create that is refused at any request after the first read leaves nothing, and is settled', async () => {
  let refusals = 0;
  for (let skip = 1; skip < createRequests; skip += 1) {
    if (await isRefusedAt(skip)) refusals += 1;
  }
  // The rest are looks at operations: one that fails does not end the wait.
  expect(refusals).toBeGreaterThan(5);
});

/** False when it is done all the same. */
async function isRefusedAt(skip: number): Promise<boolean> {
  const name = `refused-${skip}`;
  double.reset();
  double.faults.add({ kind: 'refuse', skip, status: 409, code: 'QuotaExceeded' });
  const creating = create(name)(driver);
  const isDone = await creating.then(() => true).catch(() => false);
  const { settled } = isDone ? { settled: true } : await failureOf(creating);
  const isLeft = !isDone && living(double, name).length > 0;
  expect({ skip, settled, isLeft }).toEqual({ skip, settled: true, isLeft: false });
  if (!isDone) await untilDone(create(name));
  expect(living(double, name)).toEqual(partsOf(name));
  expect(double.resources.created.get(name)).toBeGreaterThan(0);
  return !isDone;
}

test.each(['networkInterfaces', 'disks', 'virtualMachines'])(
  'an operation that fails on %s: nothing is left, and it is settled',
  async (type) => {
    double.reset();
    const match = `put /subscriptions/33333333-3333-3333-3333-333333333333/resourcegroups/rg-1/providers`;
    double.faults.add({
      kind: 'failOperation',
      match,
      code: 'ZonalAllocationFailed',
      skip: skipTo(type),
    });
    expect(await failureOf(create('m')(driver))).toMatchObject({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: true,
    });
    expect(living(double, 'm')).toEqual([]);
    await create('m')(driver);
    expect(living(double, 'm')).toEqual(partsOf('m'));
  },
);

function skipTo(type: string): number {
  return ['networkInterfaces', 'disks', 'virtualMachines'].indexOf(type);
}

test('interrupted while it deletes what a failed create left: the next attempt begins anew', async () => {
  double.reset();
  const requests = createRequests + deleteRequests;
  for (let skip = createRequests - 2; skip < requests; skip += 1) {
    const name = `wreck-${skip}`;
    double.reset();
    double.faults.add({
      kind: 'failOperation',
      match:
        'put /subscriptions/33333333-3333-3333-3333-333333333333/resourcegroups/rg-1/providers/microsoft.compute/virtualmachines',
      code: 'AllocationFailed',
    });
    double.faults.add({ kind: 'cut', skip });
    const failure = await failureOf(create(name)(driver));
    const isLeft = living(double, name).length > 0;
    expect({ skip, isWrong: failure.settled && isLeft }).toEqual({ skip, isWrong: false });
    double.faults.clear();
    await untilDone(create(name));
    expect({ skip, living: living(double, name) }).toEqual({ skip, living: partsOf(name) });
  }
});
