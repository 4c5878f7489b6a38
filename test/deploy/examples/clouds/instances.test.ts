/** The pools to begin with make instances at the doubles of their clouds, with their user data. */
import { credentialsOf } from '../../../../activities/drivers/aws/credentials.ts';
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import { planCredentials } from '../../../../activities/drivers/azure/credentials.ts';
import { vmOf } from '../../../../activities/drivers/azure/resources.ts';
import { readSpec } from '../../../../activities/drivers/azure/validate.ts';
import { tagsIn } from '../../../doubles/ec2/instances.ts';
import { aRequest } from '../../../activities/drivers/a-request.ts';
import { aSharedEc2 } from '../../../activities/drivers/aws/ec2-world.ts';
import { instantTiming } from '../../../activities/drivers/aws/instant-timing.ts';
import { createdBy, deletedBy } from '../../../activities/drivers/following.ts';
import { aSecret, aSharedGcpWorld } from '../../../activities/drivers/gcp/gcp-world.ts';
import { poolIn, requestOf } from './pools.ts';

const ec2 = await aSharedEc2();
const google = await aSharedGcpWorld();

describe('at EC2', () => {
  const { double, settings, statesOf } = ec2;
  const ofWorker = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

  test.each([
    { file: 'aws-kubeadm.yaml', env: {}, allowsAmbientCredentials: false },
    { file: 'aws-eks.yaml', env: ofWorker, allowsAmbientCredentials: true },
  ])('$file makes an instance with its user data', async ({ file, env, ...more }) => {
    const pool = poolIn(file);
    const all = { ...settings, ...more, env: { ...settings.env, ...env } };
    expect(credentialsOf(pool.secret.stringData, all)).toMatchObject({ kind: 'keys' });
    const driver = createAwsDriver(all, { timing: instantTiming(), callTimeoutSeconds: 600 });
    // The image that the double knows; other identities it takes as they are.
    const providerSpec = { ...Object(pool.machineClass.providerSpec), ami: 'ami-1' };
    const { machine, token: ownToken } = aRequest(file);
    const another = { machine, token: ownToken };
    const request = { ...requestOf(pool), ...another, providerSpec };
    const { providerID, isInitialized } = await createdBy(driver, request);
    expect([providerID, isInitialized]).toEqual([
      expect.stringMatching(/^aws:\/\/\/eu-west-1\/i-/),
      true,
    ]);
    const run = double.requests.find((form) => form.get('Action') === 'RunInstances') ?? new Map();
    expect(Buffer.from(run.get('UserData') ?? '', 'base64').toString()).toBe(request.userData);
    expect(tagsIn(run, 'instance')).toMatchObject({ 'kubernetes.io/cluster/my-cluster': 'owned' });
    await deletedBy(driver, { ...request, providerID });
    expect(statesOf(file)).toEqual(['terminated']);
  });
});

test('gcp-kubeadm.yaml makes an instance with its user data at Google', async () => {
  const request = { ...requestOf(poolIn('gcp-kubeadm.yaml')), secret: aSecret };
  await createdBy(google.driver, request);
  const [instance] = google.double.cloud.instances;
  const items = [{ key: 'user-data', value: request.userData }];
  expect(instance?.body).toMatchObject({ name: 'm-1', metadata: { items } });
});

test('azure-kubeadm.yaml has credentials, and its virtual machine gets the user data', () => {
  const request = requestOf(poolIn('azure-kubeadm.yaml'));
  const settings = { env: {}, allowsAmbientCredentials: false };
  expect(planCredentials(request.secret, settings)).toMatchObject({ kind: 'secret' });
  const blueprint = { spec: readSpec(request.providerSpec), request };
  const { osProfile } = vmOf(blueprint, { nicId: '/nic', diskIds: new Map() });
  const customData = Buffer.from(request.userData).toString('base64');
  expect(osProfile).toMatchObject({ computerName: 'm-1', customData });
});
