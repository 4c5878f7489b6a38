import { aws } from '../../../../activities/front/providers/aws.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import { validateProviderSpec } from '../../../../activities/drivers/aws/validate.ts';
import { checkTable, defaultPool } from './golden.ts';

checkTable('aws', aws, {
  validate: validateProviderSpec,
  fields: [
    'accessKeyId',
    'secretAccessKey',
    'assumeRoleARN',
    'assumeRoleExternalID',
    'region',
    'availabilityZone',
    'vpcId',
    'subnetId',
    'securityGroupIDs',
    'instanceProfile',
    'instanceType',
    'ami',
    'diskSize',
    'diskType',
    'diskIops',
    'ebsVolumeEncrypted',
    'tags',
    'assignPublicIP',
    'isSpotInstance',
    'spotInstanceConfig.maxPrice',
    'spotInstanceConfig.persistentRequest',
    'spotInstanceConfig.interruptionBehavior',
  ],
  said: {
    accessKeyId: 'AKIAEXAMPLE',
    secretAccessKey: 'a-secret-key',
    assumeRoleExternalID: 'outside',
    region: 'eu-central-1',
    availabilityZone: 'eu-central-1a',
    vpcId: 'vpc-1',
    subnetId: 'subnet-1',
    securityGroupIDs: ['sg-1', 'sg-2'],
    instanceProfile: 'kubernetes-worker',
    instanceType: 'm5.large',
    ami: 'ami-1',
    diskSize: 50,
    diskType: 'gp3',
    diskIops: 4000,
    ebsVolumeEncrypted: true,
    tags: { 'kubernetes.io/cluster/abc': 'owned', team: 'blue' },
    assignPublicIP: false,
    isSpotInstance: true,
    spotInstanceConfig: { maxPrice: '0.10', interruptionBehavior: 'stop' },
  },
  refused: {
    accessKeyId: 'AKIAEXAMPLE',
    secretAccessKey: 'a-secret-key',
    assumeRoleARN: 'arn:aws:iam::1:role/machines',
    diskType: 'io2',
    assignPublicIP: 'perhaps',
    isSpotInstance: true,
    spotInstanceConfig: { persistentRequest: true },
    subnetID: 'subnet-1',
  },
  pool: { network: { ipFamily: 'IPv4+IPv6' } },
  providerIDs: [
    ['aws:///eu-central-1a/i-0abc', { value: 'aws:///eu-central-1/i-0abc' }],
    ['aws:///i-0abc', { value: 'aws:///eu-central-1/i-0abc' }],
    ['aws:///x', { fault: '"aws:///x" is not of the form aws:///ZONE/INSTANCE' }],
  ],
});

test('what machine-controller takes by itself is taken here', () => {
  const { providerSpec } = translate(
    aws,
    { diskSize: 50, diskIops: 4000 },
    { pool: defaultPool, env: {} },
  );
  expect(providerSpec).toEqual({
    networkInterfaces: [{ associatePublicIPAddress: true }],
    blockDevices: [{ ebs: { volumeSize: 50, volumeType: 'standard' } }],
    tags: {
      'kubernetes.io/cluster/example': 'millwright-front',
      'kubernetes.io/role/node': 'millwright-front',
    },
    instanceMetadataOptions: { httpPutResponseHopLimit: 3 },
  });
});

test('a machine that Millwright made is found by machine-controller after this command', () => {
  const { findsInstanceBy } = aws;
  expect(
    'tag' in findsInstanceBy && findsInstanceBy.command('aws:///eu-central-1/i-0abc', 'uid-1'),
  ).toBe(
    'aws ec2 create-tags --region eu-central-1 --resources i-0abc --tags Key=Machine-UID,Value=uid-1',
  );
});
