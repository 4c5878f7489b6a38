import type { Driver, MachineRequest } from '../../../activities/drivers/driver.ts';
import { DriverError } from '../../../activities/drivers/driver.ts';
import { KubeError } from '../../../kube/client/errors.ts';
import type { EndedCall } from '../../../workers/drivers/pipeline.ts';
import { aPipeline } from './a-pipeline.ts';

const instance = { providerID: 'x:///1', nodeName: 'n', isInitialized: true };

function aDriver(changes: Partial<Driver> = {}): Driver {
  return {
    settleSeconds: 7,
    createInstance: async () => ({ ...instance, found: false }),
    describeInstance: async () => undefined,
    initializeInstance: async () => instance,
    deleteInstance: async () => ({ found: true }),
    listInstances: async () => [],
    listScope: () => 'scope',
    deleteListed: async () => ({ found: true }),
    volumeIds: async () => ['vol-1'],
    validate: () => ['a fault'],
    warnings: () => ['a warning'],
    ...changes,
  };
}

const signal = new AbortController().signal;
const ofAccount = { cluster: 'c', namespace: 'n', providerSpec: {}, secret: {}, signal };
const request: MachineRequest = {
  ...ofAccount,
  machine: { namespace: 'n', name: 'a', uid: 'u' },
  token: 't',
  isClaimed: () => false,
};

/** Half a second passes in each call. */
function metered(driver: Driver): { driver: Driver; calls: EndedCall[]; reported: unknown[] } {
  const calls: EndedCall[] = [];
  const reported: unknown[] = [];
  let now = 0;
  const clock = (): number => (now += 500);
  const count = (call: EndedCall): void => void calls.push(call);
  const report = (...line: unknown[]): void => void reported.push(line);
  const meter = { count, report, now: clock };
  return { driver: aPipeline(driver, { provider: 'AWS', meter }), calls, reported };
}

test('each call of a driver is counted with its operation, and answers as before', async () => {
  const { driver, calls } = metered(aDriver());
  await driver.createInstance({ ...request, userData: '' });
  await driver.describeInstance(request);
  await driver.initializeInstance(request);
  expect(await driver.deleteInstance(request)).toEqual({ found: true });
  await driver.listInstances(ofAccount);
  await driver.deleteListed({ ...ofAccount, providerID: 'x:///1' });
  expect(calls.map(({ operation, code, seconds }) => ({ operation, code, seconds }))).toEqual(
    ['create', 'describe', 'initialize', 'delete', 'list', 'deleteListed'].map((operation) => ({
      operation,
      code: 'OK',
      seconds: 0.5,
    })),
  );
});

test('a method of a driver that calls no cloud is not counted', async () => {
  const { driver, calls } = metered(aDriver());
  expect(driver.settleSeconds).toBe(7);
  expect(driver.listScope({})).toBe('scope');
  expect(driver.validate({})).toEqual(['a fault']);
  expect(driver.warnings?.({})).toEqual(['a warning']);
  expect(await driver.volumeIds([])).toEqual(['vol-1']);
  expect(calls).toEqual([]);
});

function failing(error: unknown): ReturnType<typeof metered> {
  return metered(
    aDriver({
      async createInstance() {
        throw error;
      },
    }),
  );
}

const unreachable = new KubeError({
  code: 0,
  reason: 'Unreachable',
  message: 'refused',
  method: 'GET',
  path: '/machines',
});

test.each([
  [new DriverError({ code: 'Unauthenticated', message: 'no', settled: true }), 'Unauthenticated'],
  [unreachable, 'Unavailable'],
])('a call that fails with %s counts so, and fails', async (error, code) => {
  const { driver, calls, reported } = failing(error);
  await expect(driver.createInstance({ ...request, userData: '' })).rejects.toBe(error);
  expect(calls).toMatchObject([{ provider: 'AWS', operation: 'create', code }]);
  expect(reported).toEqual([]);
});

test('a bug of a driver is a failure like others, not settled, and is logged', async () => {
  const bug = new TypeError('no such thing');
  const { driver, calls, reported } = failing(bug);
  await expect(driver.createInstance({ ...request, userData: '' })).rejects.toMatchObject({
    code: 'Unknown',
    settled: false,
    message: expect.stringContaining('driver of provider "AWS": create: no such thing'),
  });
  expect(calls).toMatchObject([{ provider: 'AWS', operation: 'create', code: 'Unknown' }]);
  const call = { provider: 'AWS', machine: 'n/a' };
  expect(reported).toEqual([[bug, expect.stringContaining('no such thing'), call]]);
});
