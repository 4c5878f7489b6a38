import { Registry } from 'prom-client';
import type { Driver, MachineRequest } from '../../../activities/drivers/driver.ts';
import { DriverError } from '../../../activities/drivers/driver.ts';
import { KubeError } from '../../../kube/client/errors.ts';
import { machineErrorCodes } from '../../../workflows/api/failures.ts';
import {
  meteredDriver,
  registerDriverMetrics,
  registerPaceMetrics,
} from '../../../workers/metrics/drivers.ts';
import type { DriverCall } from '../../../workers/metrics/drivers.ts';

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
function metered(driver: Driver): { driver: Driver; calls: DriverCall[]; reported: unknown[] } {
  const calls: DriverCall[] = [];
  const reported: unknown[] = [];
  let now = 0;
  const clock = (): number => (now += 500);
  const count = (call: DriverCall): void => void calls.push(call);
  const report = (...line: unknown[]): void => void reported.push(line);
  return { driver: meteredDriver(driver, 'AWS', { count, report, now: clock }), calls, reported };
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

test('Prometheus reads them in our names and in those of MCM', async () => {
  const registry = new Registry();
  const count = registerDriverMetrics(registry);
  count({ provider: 'AWS', operation: 'create', code: 'OK', seconds: 0.3 });
  count({ provider: 'AWS', operation: 'delete', code: 'Unauthenticated', seconds: 200 });
  const lines = (await registry.metrics()).split('\n');
  for (const line of [
    'millwright_driver_calls_total{provider="AWS",operation="create",code="OK"} 1',
    'millwright_driver_calls_total{provider="AWS",operation="delete",code="Unauthenticated"} 1',
    'millwright_driver_call_duration_seconds_bucket{le="0.25",provider="AWS",operation="create"} 0',
    'millwright_driver_call_duration_seconds_bucket{le="0.5",provider="AWS",operation="create"} 1',
    'millwright_driver_call_duration_seconds_bucket{le="300",provider="AWS",operation="delete"} 1',
    'mcm_cloud_api_requests_total{provider="aws",service="create_machine"} 1',
    'mcm_cloud_api_requests_failed_total{provider="aws",service="delete_machine"} 1',
    'mcm_cloud_api_api_request_duration_seconds_count{provider="aws",service="create_machine"} 1',
    'mcm_cloud_api_driver_request_duration_seconds_count{provider="aws",operation="create_machine"} 1',
    'mcm_cloud_api_driver_requests_failed_total{provider="aws",operation="delete_machine",error_code="16"} 1',
  ]) {
    expect(lines).toContain(line);
  }
});

test('Prometheus reads which clouds ask for fewer calls, and what was held back for it', async () => {
  const registry = new Registry();
  const { onThrottled, onHeldBack } = registerPaceMetrics(registry);
  onThrottled('AWS');
  for (let i = 0; i < 3; i += 1) onHeldBack('AWS', 'create');
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('millwright_driver_throttled_total{provider="AWS"} 1');
  expect(lines).toContain('millwright_driver_held_back_total{provider="AWS",operation="create"} 3');
});

test('MCM counts its codes from 1, in the order of gRPC', () => {
  const numbers = machineErrorCodes.map((code, index) => [code, index + 1]);
  expect(Object.fromEntries(numbers)).toMatchObject({
    Canceled: 1,
    Internal: 13,
    Unauthenticated: 16,
    Uninitialized: 17,
  });
});
