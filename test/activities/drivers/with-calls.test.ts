import type { Driver } from '../../../activities/drivers/driver.ts';
import { withCalls, type Operation } from '../../../activities/drivers/with-calls.ts';

const unused = (): Promise<never> => Promise.reject(new Error('the call was not wrapped'));

const driver: Driver = {
  settleSeconds: 7,
  prepare: async () => undefined,
  createInstance: unused,
  describeInstance: unused,
  initializeInstance: unused,
  deleteInstance: unused,
  listInstances: unused,
  listScope: () => 'scope',
  deleteListed: unused,
  volumeIds: async () => ['vol-1'],
  validate: () => ['an error'],
  warnings: () => ['a warning'],
};

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
  const request = {
    cluster: 'c',
    providerSpec: {},
    secret: {},
    signal: new AbortController().signal,
    machine: { namespace: 'shoot', name: 'm-1', uid: 'u-1' },
    token: 'u-1-0',
    isClaimed: () => false,
    userData: '',
    namespace: 'shoot',
    providerID: 'local:///z/i',
  };
  const calls = [
    'createInstance',
    'describeInstance',
    'initializeInstance',
    'deleteInstance',
    'listInstances',
    'deleteListed',
  ] as const;
  for (const call of calls) {
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
