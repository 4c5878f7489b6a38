/** Instances that were made before the control cluster moved or was restored. */
import { failureOf } from '../failure-of.ts';
import { createAzureDriver } from '../../../../activities/drivers/azure/driver.ts';
import {
  aDriver,
  aMachine,
  aSharedSetting,
  fastTiming,
  living,
  madeByMcm,
  partsOf,
} from './a-machine.ts';

const { double, driver } = await aSharedSetting();
const env = {
  MILLWRIGHT_AZURE_ENDPOINT: double.url,
  MILLWRIGHT_AZURE_AUTHORITY: double.url,
  MILLWRIGHT_AZURE_CA_FILE: double.caFile,
};
const settings = { env, allowsAmbientCredentials: false, allowsRetagging: true };
const retagging = createAzureDriver(settings, fastTiming);

const moved = (name: string, more: object = {}) =>
  aMachine(name, {
    cluster: 'cluster-2',
    token: 'new-uid-0',
    machine: { namespace: 'shoot', name, uid: 'new-uid' },
    providerID: `azure:///westeurope/${name}`,
    ...more,
  });
const listing = () => ({ ...moved('any'), namespace: 'shoot' });
const changes = () => double.calls.filter(({ method }) => method === 'PATCH').length;

test('an adopted instance gets the tags of this cluster with all its parts, and is listed again', async () => {
  await driver.createInstance(aMachine('m'));
  expect(await retagging.listInstances(listing())).toEqual([]);
  expect(await retagging.createInstance(moved('m'))).toMatchObject({ found: true });
  expect(await retagging.listInstances(listing())).toMatchObject([{ token: 'new-uid-0' }]);
  expect(changes()).toBe(partsOf('m').length);
  for (const { tags } of double.resources.all()) {
    expect(tags).toMatchObject({
      'kubernetes.io-role-node': '1',
      'millwright.dev_cluster': 'cluster-2',
      'millwright.dev_machine-uid': 'new-uid',
      'millwright.dev_token': 'new-uid-0',
    });
  }
  await retagging.createInstance(moved('m'));
  expect(changes()).toBe(partsOf('m').length);
  const { providerID: _, ...unnamed } = moved('m');
  expect(await retagging.deleteInstance(unnamed)).toEqual({ found: true });
  expect(living(double, 'm')).toEqual([]);
});

test('tags of Azure resources stay where it is not allowed to change them', async () => {
  await driver.createInstance(aMachine('m'));
  expect(await aDriver(double).createInstance(moved('m'))).toMatchObject({ found: true });
  expect(changes()).toBe(0);
});

test.each([
  { of: 'made for another Machine', machine: { namespace: 'shoot', name: 'other', uid: 'u' } },
  { of: 'of another namespace', machine: { namespace: 'b', name: 'm', uid: 'u' } },
])('tags of Azure resources stay: $of', async ({ machine }) => {
  await driver.createInstance(aMachine('m'));
  const theft = retagging.createInstance(moved('m', { machine }));
  expect(await failureOf(theft)).toMatchObject({ code: 'FailedPrecondition' });
  expect(changes()).toBe(0);
});

test('an instance of MCM keeps its tags, by which it is found', async () => {
  await madeByMcm({ double, driver }, 'm');
  await retagging.createInstance(moved('m'));
  expect(changes()).toBe(0);
});

test('an instance is adopted without the right to change its tags, and the missing right is remembered', async () => {
  await driver.createInstance(aMachine('m'));
  double.faults.add({ kind: 'refuse', match: 'patch ', status: 403, code: 'AuthorizationFailed' });
  expect(await retagging.createInstance(moved('m'))).toMatchObject({
    found: true,
    lastKnownState: expect.stringContaining(
      'change the tags of network interface m-nic: AuthorizationFailed',
    ),
  });
  // The virtual machine comes last, so the next attempt begins again.
  expect(await retagging.createInstance(moved('m'))).not.toHaveProperty('lastKnownState');
  expect(await retagging.listInstances(listing())).toHaveLength(1);
});
