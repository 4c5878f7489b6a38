import type { Driver } from '../../../activities/drivers/driver.ts';
import { refusingDriver } from '../../support/refusing-driver.ts';
import { aRequest, callNames } from './a-request.ts';
import { withCalls, type Operation } from '../../../activities/drivers/with-calls.ts';

const driver = refusingDriver('the call was not wrapped', {
  settleSeconds: 7,
  prepare: async () => undefined,
  listScope: () => 'scope',
  volumeIds: async () => ['vol-1'],
  validate: () => ['an error'],
  warnings: () => ['a warning'],
});

const operationOfCall = {
  createInstance: 'create',
  describeInstance: 'describe',
  initializeInstance: 'initialize',
  deleteInstance: 'delete',
  listInstances: 'list',
  deleteListed: 'deleteListed',
} as const satisfies Partial<Record<keyof Driver, Operation>>;

test('withCalls wraps each of the six calls under the name of its operation', async () => {
  const wrapped = withCalls(driver, (operation) => () => Promise.reject(new Error(operation)));
  const request = { ...aRequest('m-1'), namespace: 'shoot', providerID: 'local:///z/i' };
  for (const call of callNames) {
    await expect(wrapped[call](request)).rejects.toThrow(operationOfCall[call]);
  }
});

test('withCalls leaves everything else of a driver as it is', () => {
  const wrapped = withCalls(driver, (_operation, call) => call);
  const rest = Object.entries(wrapped).filter(([name]) => !Object.hasOwn(operationOfCall, name));
  expect(Object.fromEntries(rest)).toEqual({
    settleSeconds: 7,
    prepare: driver.prepare,
    listScope: driver.listScope,
    volumeIds: driver.volumeIds,
    validate: driver.validate,
    warnings: driver.warnings,
  });
});
