/** What Gardener’s driver does not do likewise, see `upstream.test.ts`. */
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

const networkInterface = { subnetID: 'subnet-1', securityGroupIDs: ['sg-1'] };

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

test('no user data is sent where there is none', () => {
  expect(inputOf().UserData).toBeUndefined();
});

test('fields are sent that Gardener’s driver takes and does not send', () => {
  const ebs = { volumeType: 'gp3', volumeSize: 50, encrypted: true, kmsKeyID: 'k' };
  const blockDevices = [
    { deviceName: '/root', ebs },
    { deviceName: '/dev/sdf', virtualName: 'ephemeral0' },
    { deviceName: '/dev/sdg', noDevice: 'true' },
  ];
  expect(inputOf({ blockDevices, ebsOptimized: true, monitoring: true })).toMatchObject({
    BlockDeviceMappings: [
      { DeviceName: '/dev/xvda', Ebs: { Encrypted: true, KmsKeyId: 'k' } },
      { DeviceName: '/dev/sdf', VirtualName: 'ephemeral0' },
      { DeviceName: '/dev/sdg', NoDevice: '' },
    ],
    EbsOptimized: true,
    Monitoring: { Enabled: true },
  });
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
