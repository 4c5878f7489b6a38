import {
  clientTokenOf,
  runInstancesInput,
} from '../../../../activities/drivers/aws/run-instances-input.ts';
import { specOf } from '../../../../activities/drivers/aws/spec.ts';
import { aRequest } from '../a-request.ts';
import { aSpec } from './a-class.ts';

function inputOf(more: Record<string, unknown> = {}, request = aRequest('m-1')) {
  return runInstancesInput({ request, spec: specOf(aSpec(more)), rootDeviceName: '/dev/xvda' });
}

const ebs = { volumeType: 'gp3', volumeSize: 50 };
const networkInterface = { subnetID: 'subnet-1', securityGroupIDs: ['sg-1'] };

test('a small class has the defaults of Gardener', () => {
  expect(inputOf()).toMatchObject({
    NetworkInterfaces: [
      { SubnetId: 'subnet-1', Groups: ['sg-1'], DeviceIndex: 0, DeleteOnTermination: true },
    ],
    BlockDeviceMappings: [
      {
        DeviceName: '/dev/xvda',
        Ebs: { VolumeType: 'gp3', VolumeSize: 50, DeleteOnTermination: true },
      },
    ],
  });
  // `undefined` is not sent.
  expect(JSON.parse(JSON.stringify(inputOf()))).not.toHaveProperty('Placement');
});

test('the same request gives the same input, in whatever order the class has its tags', () => {
  const { tags } = aSpec();
  const turned = Object.fromEntries(Object.entries(tags).toReversed());
  expect(JSON.stringify(inputOf({ tags: turned }))).toBe(JSON.stringify(inputOf({ tags })));
});

test('the names of the Machine and of ours are no business of the class', () => {
  const tags = { ...aSpec().tags, Name: 'other', 'millwright.dev/token': 'other' };
  const [instance] = inputOf({ tags }).TagSpecifications ?? [];
  expect(instance?.Tags).toContainEqual({ Key: 'Name', Value: 'm-1' });
  expect(instance?.Tags).toContainEqual({ Key: 'millwright.dev/token', Value: 'uid-of-m-1-0' });
  expect(instance?.Tags?.filter(({ Value }) => Value === 'other')).toEqual([]);
});

test('a token that is too long for EC2 becomes a digest, always the same', () => {
  expect(clientTokenOf('a'.repeat(64))).toBe('a'.repeat(64));
  expect(clientTokenOf('a'.repeat(65))).toMatch(/^[0-9a-f]{64}$/);
  expect(clientTokenOf('a'.repeat(65))).not.toBe(clientTokenOf('a'.repeat(66)));
});

test.each([
  { name: 'empty is not sent', userData: '', expected: undefined },
  { name: 'is sent in Base64', userData: 'hällo', expected: 'aMOkbGxv' },
])('user data: $name', ({ userData, expected }) => {
  expect(inputOf({}, aRequest('m-1', { userData })).UserData).toBe(expected);
});

test('interfaces have their position as index, and their first IPv6 address is the primary one', () => {
  const networkInterfaces = [
    networkInterface,
    { ...networkInterface, ipv6AddressCount: 1, deleteOnTermination: false },
    { ...networkInterface, ipv6AddressCount: 1, primaryIpv6: false, deviceIndex: 7 },
    // Without an address there is no primary one, and EC2 refuses it.
    { ...networkInterface, primaryIpv6: true },
  ];
  expect(inputOf({ networkInterfaces }).NetworkInterfaces).toMatchObject([
    { DeviceIndex: 0, PrimaryIpv6: undefined },
    { DeviceIndex: 1, PrimaryIpv6: true, DeleteOnTermination: false },
    { DeviceIndex: 7, PrimaryIpv6: false },
    { DeviceIndex: 3, PrimaryIpv6: undefined },
  ]);
});

function deviceNames(blockDevices: object[]) {
  return inputOf({ blockDevices }).BlockDeviceMappings?.map(({ DeviceName }) => DeviceName);
}

describe('volumes:', () => {
  test.each([
    { name: 'a key means encryption', more: { kmsKeyID: 'k' }, expected: [true, 'k'] },
    {
      name: 'a key without encryption is not sent, as by Gardener',
      more: { kmsKeyID: 'k', encrypted: false },
      expected: [false, undefined],
    },
    { name: 'encryption without a key', more: { encrypted: true }, expected: [true, undefined] },
  ])('$name', ({ more, expected }) => {
    const [device] =
      inputOf({ blockDevices: [{ ebs: { ...ebs, ...more } }] }).BlockDeviceMappings ?? [];
    expect([device?.Ebs?.Encrypted, device?.Ebs?.KmsKeyId]).toEqual(expected);
  });

  test('the only one is the root, whatever its name; of several it is /root', () => {
    expect(deviceNames([{ deviceName: '/dev/sdb', ebs }])).toEqual(['/dev/xvda']);
    expect(
      deviceNames([
        { deviceName: '/dev/sdb', ebs },
        { deviceName: '/root', ebs },
      ]),
    ).toEqual(['/dev/sdb', '/dev/xvda']);
  });

  test('iops of 0 are left out', () => {
    const [device] =
      inputOf({ blockDevices: [{ ebs: { ...ebs, iops: 0 } }] }).BlockDeviceMappings ?? [];
    expect(device?.Ebs?.Iops).toBeUndefined();
  });
});

test.each([
  { name: 'on demand', more: {}, expected: undefined },
  {
    name: 'spot without a limit',
    more: { spotPrice: '' },
    expected: { MarketType: 'spot', SpotOptions: { SpotInstanceType: 'one-time' } },
  },
  {
    name: 'spot with a limit',
    more: { spotPrice: '0.1' },
    expected: {
      MarketType: 'spot',
      SpotOptions: { SpotInstanceType: 'one-time', MaxPrice: '0.1' },
    },
  },
  {
    name: 'market options go before the price',
    more: { spotPrice: '0.1', instanceMarketOptions: { marketType: 'capacity-block' } },
    expected: { MarketType: 'capacity-block' },
  },
])('the market options of an instance: $name', ({ more, expected }) => {
  expect(inputOf(more).InstanceMarketOptions).toEqual(expected);
});

test.each([
  {
    from: { capacityReservationPreference: 'none' },
    expected: { CapacityReservationPreference: 'none' },
  },
  {
    from: { capacityReservationResourceGroupArn: 'arn:group' },
    expected: {
      CapacityReservationTarget: { CapacityReservationResourceGroupArn: 'arn:group' },
    },
  },
  { from: { capacityReservationPreference: '' }, expected: undefined },
])('the capacity reservation of a class, from $from', ({ from, expected }) => {
  const input = inputOf({ capacityReservation: from });
  expect(input.CapacityReservationSpecification).toEqual(expected);
});

test('the IAM profile may be an ARN; empty and null fields are absent', () => {
  const input = inputOf({ iam: { arn: 'arn:p', name: '' }, keyName: '', placement: null });
  expect(input.IamInstanceProfile).toEqual({ Arn: 'arn:p' });
  expect(input.KeyName).toBeUndefined();
  expect(input.Placement).toBeUndefined();
});

describe('a placement in an annotation of the Machine', () => {
  const annotation = 'machine.sapcloud.io/awsPlacement';
  const placementOf = (text: string, more: Record<string, unknown> = {}): unknown =>
    inputOf(more, aRequest('m-1', { nodeAnnotations: { [annotation]: text } })).Placement;

  test.each([
    { text: '{"Tenancy":"dedicated"}', expected: { Tenancy: 'dedicated' } },
    {
      text: '{"tenancy":"host","hostID":"h-1","Affinity":"","partitionNumber":3,"GroupName":null}',
      expected: { Tenancy: 'host', HostId: 'h-1', PartitionNumber: 3 },
    },
    { text: '{"Odd":true}', expected: undefined },
    { text: '{}', expected: undefined },
    { text: 'null', expected: undefined },
    { text: '', expected: undefined },
  ])('$text is sent as $expected', ({ text, expected }) => {
    expect(placementOf(text)).toEqual(expected);
  });

  test('does not go before that of the class', () => {
    const placement = { tenancy: 'default' };
    expect(placementOf('{"Tenancy":"dedicated"}', { placement })).toMatchObject({
      Tenancy: 'default',
    });
  });

  test.each(['dedicated', '[]', '5', '{"Tenancy":5}', '{"PartitionNumber":"3"}'])(
    '%s is refused: an instance on other hardware than was wanted is worse than none',
    (text) => {
      expect(() => placementOf(text)).toThrow(
        expect.objectContaining({
          code: 'InvalidArgument',
          kind: 'input',
          settled: true,
          message: expect.stringContaining(annotation),
        }),
      );
    },
  );
});
