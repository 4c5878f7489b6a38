/** The driver with Azure's SDKs, over TLS, against the double. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Driver } from '../../../../activities/drivers/driver.ts';
import type { AzureDouble } from '../../../doubles/azure/server.ts';
import { aMachine, aSetting, aSpec, failureOf, living, partsOf, tags } from './a-machine.ts';

let double: AzureDouble;
let driver: Driver;
beforeAll(async () => {
  ({ double, driver } = await aSetting());
});
beforeEach(() => double.reset());
afterAll(() => double.close());

const writes = (): string[] =>
  double.calls
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path.split('/').slice(-2).join('/')}`);

describe('create', () => {
  test('makes interface, disk of an image and virtual machine, and finds it the second time', async () => {
    const first = await driver.createInstance(aMachine('m'));
    expect(first).toEqual({
      providerID: 'azure:///westeurope/m',
      nodeName: 'm',
      addresses: [{ type: 'Hostname', address: 'm' }],
      isInitialized: true,
      found: false,
    });
    expect(living(double, 'm')).toEqual(partsOf('m'));
    expect(writes()).toEqual([
      'PUT agreements/current',
      'PUT networkInterfaces/m-nic',
      'PUT disks/m-tools-1-data-disk',
      'PUT virtualMachines/m',
    ]);
    expect(await driver.createInstance(aMachine('m'))).toEqual({ ...first, found: true });
    expect(double.resources.created.get('m')).toBe(1);
  });
});

describe('delete', () => {
  test('deletes all, and the second time there is nothing', async () => {
    await driver.createInstance(aMachine('m'));
    expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
    expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: false });
  });
});
