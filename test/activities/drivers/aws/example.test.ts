/** The class with every field in deploy/examples becomes the request that it describes. */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { credentialsOf } from '../../../../activities/drivers/aws/credentials.ts';
import { runInstancesInput } from '../../../../activities/drivers/aws/run-instances-input.ts';
import { specOf } from '../../../../activities/drivers/aws/spec.ts';
import { validateProviderSpec } from '../../../../activities/drivers/aws/validate.ts';
import { aRequest } from '../a-request.ts';

const root = new URL('../../../../', import.meta.url);
const text = readFileSync(new URL('deploy/examples/clouds/aws.yaml', root), 'utf8');
const [secret, machineClass] = parseAllDocuments(text).map((document) => document.toJS());
const schema = JSON.parse(
  readFileSync(new URL('activities/drivers/aws/provider-spec.schema.json', root), 'utf8'),
);

test('the example class for AWS has no fault, and the driver takes its Secret', () => {
  expect(machineClass.provider).toBe('AWS');
  expect(validateProviderSpec(machineClass.providerSpec)).toEqual([]);
  const settings = { env: {}, allowsAmbientCredentials: false };
  expect(credentialsOf(secret.stringData, settings)).toMatchObject({ kind: 'keys' });
});

test('the example class for AWS has every field of the schema', () => {
  for (const name of fieldNames(schema)) {
    const lines = text.split('\n').filter((line) => line.includes(`${name}:`));
    expect([name, lines.length > 0]).toEqual([name, true]);
  }
});

function fieldNames(part: { properties?: object; items?: object }): string[] {
  const own = Object.entries(part.properties ?? {});
  const below = [...own.map(([, value]) => value), ...(part.items ? [part.items] : [])];
  return [...own.map(([name]) => name), ...below.flatMap(fieldNames)];
}

test('every field of the example class for AWS is in the request', () => {
  const input = runInstancesInput({
    request: aRequest('m-1', { userData: 'hello' }),
    spec: specOf(machineClass.providerSpec),
    rootDeviceName: '/dev/xvda',
  });
  const tags = [
    { Key: 'Name', Value: 'm-1' },
    { Key: 'kubernetes.io/cluster/my-cluster', Value: '1' },
    { Key: 'kubernetes.io/role/node', Value: '1' },
    { Key: 'millwright.dev/cluster', Value: 'cluster-1' },
    { Key: 'millwright.dev/machine-uid', Value: 'uid-of-m-1' },
    { Key: 'millwright.dev/namespace', Value: 'shoot' },
    { Key: 'millwright.dev/token', Value: 'uid-of-m-1-0' },
    { Key: 'team', Value: 'platform' },
  ];
  expect(input).toEqual({
    ClientToken: 'uid-of-m-1-0',
    MinCount: 1,
    MaxCount: 1,
    ImageId: 'ami-0123456789abcdef0',
    InstanceType: 'm5.large',
    UserData: 'aGVsbG8=',
    KeyName: 'ssh-key',
    IamInstanceProfile: { Name: 'nodes' },
    NetworkInterfaces: [
      {
        SubnetId: 'subnet-0123456789abcdef0',
        Groups: ['sg-0123456789abcdef0'],
        AssociatePublicIpAddress: false,
        DeleteOnTermination: true,
        Description: 'primary interface',
        DeviceIndex: 0,
        NetworkCardIndex: 0,
        InterfaceType: 'interface',
        Ipv6AddressCount: 1,
        PrimaryIpv6: true,
      },
    ],
    BlockDeviceMappings: [
      {
        DeviceName: '/dev/xvda',
        Ebs: {
          VolumeType: 'gp3',
          VolumeSize: 50,
          Iops: 3_000,
          Throughput: 125,
          Encrypted: true,
          KmsKeyId: 'alias/volumes',
          SnapshotId: 'snap-0123456789abcdef0',
          DeleteOnTermination: true,
        },
      },
      { DeviceName: '/dev/sdf', VirtualName: 'ephemeral0' },
      { DeviceName: '/dev/sdg', NoDevice: '' },
    ],
    EbsOptimized: true,
    Monitoring: { Enabled: true },
    TagSpecifications: [
      { ResourceType: 'instance', Tags: tags },
      { ResourceType: 'volume', Tags: tags },
      { ResourceType: 'network-interface', Tags: tags },
    ],
    CapacityReservationSpecification: {
      CapacityReservationTarget: { CapacityReservationId: 'cr-0123456789abcdef0' },
    },
    InstanceMarketOptions: { MarketType: 'spot' },
    Placement: {
      GroupId: 'pg-0123456789abcdef0',
      PartitionNumber: 1,
      Tenancy: 'host',
      HostId: 'h-0123456789abcdef0',
      Affinity: 'host',
    },
    MetadataOptions: {
      HttpEndpoint: 'enabled',
      HttpTokens: 'required',
      HttpPutResponseHopLimit: 2,
      HttpProtocolIpv6: 'disabled',
    },
    CpuOptions: { CoreCount: 1, ThreadsPerCore: 2, AmdSevSnp: 'disabled' },
  });
});
