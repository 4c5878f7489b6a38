/**
 * Instances of a control cluster that is gone, as after a restore or a move of the control plane.
 */
import { failureOf } from '../failure-of.ts';
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import { aSharedEc2, ec2Request } from './ec2-world.ts';
import { createdBy } from '../following.ts';

const { double, settings } = await aSharedEc2();

function aDriver(allowsRetagging: boolean): Driver {
  return createAwsDriver({ ...settings, allowsRetagging });
}

/** Made for another control cluster; returns a request of the Machine that has it now. */
async function moved(name: string): Promise<CreateRequest> {
  const before = ec2Request(name, { cluster: 'before', token: `of-before-${name}` });
  const { providerID } = await createdBy(aDriver(false), before);
  return ec2Request(name, { providerID, machine: { namespace: 'shoot', name, uid: 'restored' } });
}

async function namesListed(driver: Driver): Promise<string[]> {
  const listed = await driver.listInstances({ ...ec2Request('any'), namespace: 'shoot' });
  return listed.map(({ machineName }) => machineName);
}

test('instances of an earlier cluster are listed again once they were searched for or adopted, where retagging is allowed', async () => {
  const driver = aDriver(true);
  const looked = await moved('looked-for');
  const adopted = await moved('adopted');
  expect(await namesListed(driver)).toEqual([]);
  expect(await driver.describeInstance(looked)).toMatchObject({ providerID: looked.providerID });
  await driver.createInstance(adopted);
  expect((await namesListed(driver)).toSorted()).toEqual(['adopted', 'looked-for']);
  const [instance] = double.instances.filter(({ tags }) => tags['Name'] === 'adopted');
  expect(instance?.tags).toMatchObject({
    'millwright.dev/cluster': 'cluster-1',
    'millwright.dev/machine-uid': 'restored',
    'millwright.dev/token': 'of-before-adopted',
  });
  double.reset();
  await driver.describeInstance(looked);
  expect(double.requests.map((form) => form.get('Action'))).toEqual(['DescribeInstances']);
});

test('instances of an earlier cluster keep their tags where retagging is not allowed', async () => {
  const request = await moved('left');
  await aDriver(false).describeInstance(request);
  await aDriver(false).createInstance(request);
  expect(double.requests.map((form) => form.get('Action'))).not.toContain('CreateTags');
});

test.each([
  { name: 'another-machine', machine: { namespace: 'shoot', name: 'thief', uid: 'thief' } },
  { name: 'another-namespace', machine: { namespace: 'other', name: 'other', uid: 'other' } },
])(
  'instances of $name keep their tags: a Machine may name any instance',
  async ({ name, machine }) => {
    const { providerID } = await moved(name);
    const request = ec2Request(machine.name, { machine, ...(providerID && { providerID }) });
    const theft = aDriver(true).describeInstance(request);
    expect(await failureOf(theft)).toMatchObject({ code: 'FailedPrecondition' });
    expect(double.requests.map((form) => form.get('Action'))).not.toContain('CreateTags');
  },
);

test('instances of an earlier cluster work as before without the right to tag them', async () => {
  const request = await moved('refused');
  double.refuse({ action: 'CreateTags', code: 'UnauthorizedOperation', status: 403, times: 2 });
  const { providerID } = request;
  expect(await aDriver(true).createInstance(request)).toMatchObject({ providerID, found: true });
  expect(await aDriver(true).describeInstance(request)).toMatchObject({ providerID });
});
