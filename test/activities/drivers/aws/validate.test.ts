import { validateProviderSpec } from '../../../../activities/drivers/aws/validate.ts';
import { aSpec } from './a-class.ts';

const ebs = { volumeType: 'gp3', volumeSize: 50 };
const root = { deviceName: '/root', ebs };
const network = { subnetID: 'subnet-1', securityGroupIDs: ['sg-1'] };

test.each([
  { name: 'a small class', more: {} },
  { name: 'a field that nobody knows', more: { isNew: true } },
  { name: 'null, which is absent', more: { placement: null, cpuOptions: { coreCount: null } } },
  { name: 'one disk of any name', more: { blockDevices: [{ deviceName: 'any', ebs }] } },
  { name: 'the profile by ARN', more: { iam: { arn: 'arn:p', name: '' } } },
  { name: 'AMD alone', more: { cpuOptions: { amdSevSnp: 'enabled' } } },
  { name: 'empty texts of metadata', more: { instanceMetadataOptions: { httpTokens: '' } } },
  {
    name: 'several disks',
    more: {
      blockDevices: [root, { deviceName: '/dev/sdf', ebs }, { deviceName: '/dev/xvdcz', ebs }],
    },
  },
  {
    name: 'a device that is left out',
    more: { blockDevices: [root, { deviceName: '/dev/sdb', noDevice: 'true' }] },
  },
  {
    name: 'io1 with operations',
    more: { blockDevices: [{ ebs: { ...ebs, volumeType: 'io1', iops: 1 } }] },
  },
])('nothing is wrong with $name', ({ more }) => {
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
    [{ ami: '' }, 'providerSpec.ami: "" is not a non-empty string'],
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
    [
      { networkInterfaces: [] },
      'providerSpec.networkInterfaces: [] is not a list with at least 1 of them',
    ],
    [
      { networkInterfaces: [{ ...network, subnetID: '' }] },
      'providerSpec.networkInterfaces[0].subnetID: "" is not a non-empty string',
    ],
    [
      { networkInterfaces: [{ subnetID: 's' }] },
      'providerSpec.networkInterfaces[0].securityGroupIDs is missing',
    ],
    [
      { networkInterfaces: [{ ...network, securityGroupIDs: ['a', ''] }] },
      'providerSpec.networkInterfaces[0].securityGroupIDs[1]: "" is not a non-empty string',
    ],
    [
      { networkInterfaces: [{ ...network, deviceIndex: -1 }] },
      'providerSpec.networkInterfaces[0].deviceIndex: -1 is not 0 or more',
    ],
    [
      { networkInterfaces: [{ ...network, networkCardIndex: -1 }] },
      'providerSpec.networkInterfaces[0].networkCardIndex: -1 is not 0 or more',
    ],
    [
      { networkInterfaces: [{ ...network, interfaceType: 'trunk' }] },
      'providerSpec.networkInterfaces[0].interfaceType: "trunk" is not one of interface, efa, efa-only',
    ],
    [{ blockDevices: [] }, 'providerSpec.blockDevices: [] is not a list with at least 1 of them'],
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
      { blockDevices: [{ ebs: { ...ebs, volumeType: 'io2' } }] },
      'providerSpec.blockDevices[0].ebs.volumeType: "io2" is not one of gp2, gp3, io1, st1, sc1, standard',
    ],
    [
      { blockDevices: [{ ebs: { ...ebs, volumeSize: 0 } }] },
      'providerSpec.blockDevices[0].ebs.volumeSize: 0 is not 1 or more',
    ],
    [
      { blockDevices: [{ ebs: { ...ebs, volumeType: 'io1' } }] },
      'providerSpec.blockDevices[0].ebs.iops: nothing is not 1 or more, as volumeType io1 needs it',
    ],
    [
      { blockDevices: [{ ebs: { ...ebs, iops: -1 } }] },
      'providerSpec.blockDevices[0].ebs.iops: -1 is not 0 or more',
    ],
    [
      { blockDevices: [{ ebs: { ...ebs, throughput: 0 } }] },
      'providerSpec.blockDevices[0].ebs.throughput: 0 is not 1 or more',
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
      { tags: { ...aSpec().tags, cost: 5 } },
      'providerSpec.tags.cost: 5 is not a string: put it in quotes',
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
    [{ instanceMarketOptions: {} }, 'providerSpec.instanceMarketOptions.marketType is missing'],
    [
      { instanceMarketOptions: { marketType: 'on-demand' } },
      'providerSpec.instanceMarketOptions.marketType: "on-demand" is not one of spot, capacity-block, interruptible-capacity-reservation',
    ],
    [
      { placement: { tenancy: 'shared' } },
      'providerSpec.placement.tenancy: "shared" is not one of default, dedicated, host',
    ],
    [
      { placement: { hostId: 'h-1' } },
      'providerSpec.placement.tenancy: nothing is not host, as hostId needs it',
    ],
    [
      { placement: { affinity: 'none' } },
      'providerSpec.placement.affinity: "none" is not one of default, host',
    ],
    [
      { placement: { partitionNumber: 0 } },
      'providerSpec.placement.partitionNumber: 0 is not 1 or more',
    ],
    [
      { instanceMetadataOptions: { httpEndpoint: 'on' } },
      'providerSpec.instanceMetadataOptions.httpEndpoint: "on" is not enabled or disabled',
    ],
    [
      { instanceMetadataOptions: { httpTokens: 'v2' } },
      'providerSpec.instanceMetadataOptions.httpTokens: "v2" is not required or optional',
    ],
    [
      { instanceMetadataOptions: { httpPutResponseHopLimit: 65 } },
      'providerSpec.instanceMetadataOptions.httpPutResponseHopLimit: 65 is not 64 or less',
    ],
    [
      { instanceMetadataOptions: { httpProtocolIpv6: 'on' } },
      'providerSpec.instanceMetadataOptions.httpProtocolIpv6: "on" is not enabled or disabled',
    ],
    [
      { cpuOptions: { coreCount: 2 } },
      'providerSpec.cpuOptions.threadsPerCore is missing: coreCount and threadsPerCore belong together',
    ],
    [
      { cpuOptions: { coreCount: 2, threadsPerCore: 3 } },
      'providerSpec.cpuOptions.threadsPerCore: 3 is not 2 or less',
    ],
    [
      { cpuOptions: { amdSevSnp: 'on' } },
      'providerSpec.cpuOptions.amdSevSnp: "on" is not one of enabled, disabled',
    ],
    [
      { srcAndDstChecksEnabled: 'false' },
      'providerSpec.srcAndDstChecksEnabled: "false" is not true or false',
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
