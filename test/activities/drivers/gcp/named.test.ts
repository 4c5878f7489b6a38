/** What the class names: project, zone, image and machine type are there, or they are not. */
import { aGcpWorld, aSpec, gcpRequest, project, zone } from './gcp-world.ts';
import { failureOf } from '../failure-of.ts';
import type { GcpWorld } from './gcp-world.ts';

let strict: GcpWorld;
beforeAll(async () => {
  const catalog = {
    projects: [project],
    zones: [zone],
    machineTypes: [aSpec.machineType],
    images: aSpec.disks.map(({ image }) => image),
  };
  strict = await aGcpWorld({ catalog });
});
afterAll(() => strict.double.close());

test('an instance is made where project, zone, image and machine type exist', async () => {
  expect(await strict.driver.createInstance(gcpRequest('right'))).toMatchObject({ found: false });
});

test('a missing zone does not count as a missing instance', async () => {
  const providerSpec = { ...aSpec, zone: 'europe-west9-x' };
  const request = gcpRequest('lost', { providerSpec });
  const is = { code: 'InvalidArgument', settled: false };
  expect(await failureOf(strict.driver.createInstance(request))).toMatchObject(is);
  expect(await failureOf(strict.driver.deleteInstance(request))).toMatchObject(is);
  expect(
    await failureOf(strict.driver.listInstances({ ...request, namespace: 'shoot' })),
  ).toMatchObject(is);
});

test('a missing project does not count as a missing instance', async () => {
  const providerID = `gce:///another-project/${zone}/lost`;
  const is = { code: 'InvalidArgument', settled: false };
  const request = gcpRequest('lost', { providerID });
  expect(await failureOf(strict.driver.describeInstance(request))).toMatchObject(is);
  expect(await failureOf(strict.driver.deleteInstance(request))).toMatchObject(is);
});

test('a missing image is an error of the class', async () => {
  const disks = [{ ...aSpec.disks[0], image: 'projects/i/global/images/gone' }];
  const request = gcpRequest('no-image', { providerSpec: { ...aSpec, disks } });
  expect(await failureOf(strict.driver.createInstance(request))).toMatchObject({
    code: 'InvalidArgument',
    kind: 'input',
    settled: true,
    message: expect.stringContaining('images/gone'),
  });
});

test('a machine type that the zone does not have is a lack of capacity, as with Gardener’s driver', async () => {
  const request = gcpRequest('no-type', { providerSpec: { ...aSpec, machineType: 'z9-huge' } });
  expect(await failureOf(strict.driver.createInstance(request))).toMatchObject({
    code: 'ResourceExhausted',
    kind: 'capacity',
    settled: true,
  });
});
