import { validateProviderSpec } from '../../../../activities/drivers/alicloud/validate.ts';
import { alibaba } from '../../../../activities/front/providers/alibaba.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import { checkTable, defaultPool } from './golden.ts';

const theirs = {
  accessKeyID: 'secret-id',
  accessKeySecret: 'secret-key',
  regionID: 'eu-central-1',
  instanceName: 'worker',
  instanceType: 'ecs.g7.large',
  vSwitchID: 'vsw-gw8abc',
  internetMaxBandwidthOut: '10',
  labels: { team: 'blue' },
  zoneID: 'eu-central-1a',
  diskType: 'cloud_essd',
  diskSize: '40',
};
const ours = { imageID: 'm-gw8iqj3z9vzpljm4v3ob', securityGroupID: 'sg-gw8abc' };

checkTable('alibaba', alibaba, {
  validate: validateProviderSpec,
  fields: [...Object.keys(theirs), ...Object.keys(ours)],
  said: { ...theirs, ...ours },
  refused: { internetMaxBandwidthOut: 'much', diskSize: '40Gi' },
  providerIDs: [
    ['eu-central-1.i-gw8abc', { value: 'eu-central-1.i-gw8abc' }],
    ['', { fault: expect.stringContaining('REGION.INSTANCEID') }],
  ],
});

test('what machine-controller asks the cloud for is read from the process as well', () => {
  const env = { ALIBABA_IMAGE_ID: 'm-1', ALIBABA_SECURITY_GROUP_ID: 'sg-1' };
  const { providerSpec, faults } = translate(alibaba, theirs, { pool: defaultPool, env });
  expect(providerSpec).toMatchObject({ imageID: 'm-1', securityGroupID: 'sg-1' });
  expect(faults).toEqual([]);
});

test('theirs finds what ours has made by a tag', () => {
  const { findsInstanceBy } = alibaba;
  const made = 'command' in findsInstanceBy && findsInstanceBy.command('eu-1.i-7', 'UID');
  expect(made).toBe(
    'aliyun ecs TagResources --RegionId eu-1 --ResourceType instance --ResourceId.1 i-7 --Tag.1.Key machine_uid --Tag.1.Value UID',
  );
});
