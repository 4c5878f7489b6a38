import { validateProviderSpec } from '../../../../activities/drivers/aws/validate.ts';
import { aSpec } from './a-class.ts';

const ebs = { volumeType: 'gp3', volumeSize: 50 };
const root = { deviceName: '/root', ebs };
test('null and unknown fields are no faults', () => {
  const more = { isNew: true, placement: null, cpuOptions: { coreCount: null } };
  expect(validateProviderSpec(aSpec(more))).toEqual([]);
});

test('the faults of an empty spec name all that is missing', () => {
  const names = [
    'ami',
    'region',
    'machineType',
    'iam',
    'networkInterfaces',
    'blockDevices',
    'tags',
  ];
  const expected = names.map((name) => `providerSpec.${name} is missing`);
  expect(validateProviderSpec({})).toEqual(expected);
  expect(validateProviderSpec(undefined)).toEqual(expected);
  expect(validateProviderSpec('text')).toEqual(['providerSpec: "text" is not an object']);
});

describe('a fault of the provider spec is reported:', () => {
  test.each([
    [
      { region: 'eu-west-1.example.com/' },
      'providerSpec.region: "eu-west-1.example.com/" is not the name of a region, such as eu-west-1',
    ],
    [{ machineType: 1 }, 'providerSpec.machineType: 1 is not a string: put it in quotes'],
    [{ iam: {} }, 'providerSpec.iam: {} is not an object with either name or arn'],
    [
      { iam: { name: 'n', arn: 'a' } },
      'providerSpec.iam: an object with name, arn is not an object with either name or arn',
    ],
    [{ blockDevices: [{}] }, 'providerSpec.blockDevices[0].ebs is missing'],
    [
      { blockDevices: [root, { deviceName: 'sdf', ebs }] },
      'providerSpec.blockDevices[1].deviceName: "sdf" is not /root, /dev/sd[a-z] or /dev/xvd[a-c][a-z]',
    ],
    [
      { blockDevices: [root, { ebs }] },
      'providerSpec.blockDevices[1].deviceName: nothing is not /root, /dev/sd[a-z] or /dev/xvd[a-c][a-z]',
    ],
    [
      { blockDevices: [root, root] },
      'providerSpec.blockDevices: 2 of them are /root; exactly one has to be',
    ],
    [
      { blockDevices: [root, { deviceName: '/dev/sdf', ebs }, { deviceName: '/dev/sdf', ebs }] },
      'providerSpec.blockDevices: several have the deviceName /dev/sdf; each needs its own',
    ],
    [
      { blockDevices: [{ ebs: { ...ebs, volumeType: 'io1' } }] },
      'providerSpec.blockDevices[0].ebs.iops: nothing is not 1 or more, as volumeType io1 needs it',
    ],
    [
      { tags: { 'kubernetes.io/role/node': '1' } },
      'providerSpec.tags: no key contains kubernetes.io/cluster/; add one, such as kubernetes.io/cluster/my-name',
    ],
    [
      { tags: { 'kubernetes.io/cluster/a': '1' } },
      'providerSpec.tags: no key contains kubernetes.io/role/; add one, such as kubernetes.io/role/my-name',
    ],
    [
      {
        capacityReservation: { capacityReservationPreference: 'open', capacityReservationId: 'c' },
      },
      'providerSpec.capacityReservation: capacityReservationPreference and capacityReservationId exclude each other; keep one',
    ],
    [
      {
        capacityReservation: {
          capacityReservationId: 'c',
          capacityReservationResourceGroupArn: 'a',
        },
      },
      'providerSpec.capacityReservation: capacityReservationId and capacityReservationResourceGroupArn exclude each other; keep one',
    ],
    [
      { placement: { hostId: 'h-1' } },
      'providerSpec.placement.tenancy: nothing is not host, as hostId needs it',
    ],
    [
      { cpuOptions: { coreCount: 2 } },
      'providerSpec.cpuOptions.threadsPerCore is missing: coreCount and threadsPerCore belong together',
    ],
  ])('%j', (more, sentence) => {
    expect(validateProviderSpec(aSpec(more))).toEqual([sentence]);
  });
});

test('faults of several kinds are reported at once, and no shape makes the validation fail', () => {
  const faults = validateProviderSpec({ ...aSpec(), ami: 1, iam: {}, tags: [], blockDevices: 'x' });
  expect(faults).toEqual([
    'providerSpec.ami: 1 is not a string: put it in quotes',
    'providerSpec.blockDevices: "x" is not a list',
    'providerSpec.tags: [] is not an object',
    'providerSpec.iam: {} is not an object with either name or arn',
    expect.stringContaining('kubernetes.io/cluster/'),
    expect.stringContaining('kubernetes.io/role/'),
  ]);
});
