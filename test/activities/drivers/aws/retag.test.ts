/**
 * Instances of a control cluster that is gone, as after a restore or a move of the control plane.
 */
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import { startEc2Double, type Ec2Double } from '../../../doubles/ec2/ec2-double.ts';
import { aRequest } from '../a-request.ts';
import { aSpec } from './a-class.ts';
import { createdBy } from './following.ts';

let double: Ec2Double;

beforeAll(async () => {
  double = await startEc2Double();
});
beforeEach(() => double.reset());
afterAll(() => double.close());

function aDriver(allowsRetagging: boolean): Driver {
  const env = { AWS_ENDPOINT_URL: double.url };
  return createAwsDriver({ env, allowsAmbientCredentials: false, allowsRetagging });
}

const secret = { accessKeyID: 'key', secretAccessKey: 'secret' };

function theRequest(name: string, more: Partial<CreateRequest> = {}): CreateRequest {
  return aRequest(name, { providerSpec: aSpec(), secret, ...more });
}

/** Made for another control cluster; returns a request of the Machine that has it now. */
async function moved(name: string): Promise<CreateRequest> {
  const before = theRequest(name, { cluster: 'before', token: `of-before-${name}` });
  const { providerID } = await createdBy(aDriver(false), before);
  return theRequest(name, { providerID, machine: { namespace: 'shoot', name, uid: 'restored' } });
}

async function namesListed(driver: Driver): Promise<string[]> {
  const listed = await driver.listInstances({ ...theRequest('any'), namespace: 'shoot' });
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
    const request = theRequest(machine.name, { machine, ...(providerID && { providerID }) });
    await aDriver(true).describeInstance(request);
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
