/** What is sent to EC2 to make an instance. Depends on nothing but the request and the image. */
import { createHash } from 'node:crypto';
import type {
  _InstanceType,
  InstanceNetworkInterfaceSpecification,
  ResourceType,
  RunInstancesCommandInput,
  TagSpecification,
  CapacityReservationPreference,
  InstanceMarketOptionsRequest,
  Placement,
  BlockDeviceMapping,
  EbsBlockDevice,
} from '@aws-sdk/client-ec2';
import { DriverError, type CreateRequest } from '../driver.ts';
import { base64UserData } from '../user-data-bytes.ts';
import type {
  AwsNetworkInterface,
  AwsProviderSpec,
  AwsBlockDevice,
  AwsEbsVolume,
} from './provider-spec.ts';
import { tagList, ourTags, nameTag, ownerTag } from './tags.ts';
import { tagsWithin } from '../owner-tag.ts';

export interface RunParts {
  request: Pick<
    CreateRequest,
    'cluster' | 'machine' | 'token' | 'userData' | 'userDataBytes' | 'nodeAnnotations'
  >;
  spec: AwsProviderSpec;
  /** The root device of the image, such as `/dev/xvda`. */
  rootDeviceName: string;
}

export function runInstancesInput(parts: RunParts): RunInstancesCommandInput {
  const { request, spec, rootDeviceName } = parts;
  const { ami, machineType, iam, keyName, networkInterfaces, blockDevices } = spec;
  return {
    ClientToken: clientTokenOf(request.token),
    MinCount: 1,
    MaxCount: 1,
    ImageId: ami,
    InstanceType: isInstanceType(machineType) ? machineType : undefined,
    UserData: presentText(base64UserData(request)),
    KeyName: presentText(keyName),
    IamInstanceProfile: { Name: presentText(iam.name), Arn: presentText(iam.arn) },
    NetworkInterfaces: networkInterfaces.map(networkInterfaceOf),
    BlockDeviceMappings: blockDevicesOf(blockDevices, rootDeviceName),
    TagSpecifications: tagSpecificationsOf(parts),
    ...launchOptionsOf(spec, request.nodeAnnotations),
  };
}

/** EC2 validates the text: it knows types that its SDK does not list. */
function isInstanceType(name: string): name is _InstanceType {
  return name !== '';
}

/** EC2 takes 64 characters of ASCII. */
export function clientTokenOf(token: string): string {
  return token.length <= 64 ? token : createHash('sha256').update(token).digest('hex');
}

function networkInterfaceOf(
  from: AwsNetworkInterface,
  position: number,
): InstanceNetworkInterfaceSpecification {
  const { ipv6AddressCount } = from;
  return {
    SubnetId: from.subnetID,
    Groups: from.securityGroupIDs,
    DeviceIndex: from.deviceIndex ?? position,
    NetworkCardIndex: from.networkCardIndex,
    InterfaceType: from.interfaceType,
    AssociatePublicIpAddress: from.associatePublicIPAddress,
    DeleteOnTermination: from.deleteOnTermination ?? true,
    Description: presentText(from.description),
    Ipv6AddressCount: ipv6AddressCount,
    PrimaryIpv6: ipv6AddressCount === undefined ? undefined : (from.primaryIpv6 ?? true),
  };
}

/** With the create, so that there is no instance without them at any time. */
function tagSpecificationsOf({ request, spec }: RunParts): TagSpecification[] {
  const tags = tagList(tagsFor(spec.tags, request));
  const types: ResourceType[] = ['instance', 'volume', 'network-interface'];
  return types.map((type) => ({ ResourceType: type, Tags: tags }));
}

/** How an instance is bought, placed and set up, as EC2 wants to hear of it. */
type LaunchOptions = Pick<
  RunInstancesCommandInput,
  | 'EbsOptimized'
  | 'Monitoring'
  | 'InstanceMarketOptions'
  | 'Placement'
  | 'CapacityReservationSpecification'
  | 'MetadataOptions'
  | 'CpuOptions'
>;

/** `annotations`: of the Machine's Node template. */
function launchOptionsOf(
  spec: AwsProviderSpec,
  annotations?: Readonly<Record<string, string>>,
): LaunchOptions {
  const { ebsOptimized, monitoring } = spec;
  return {
    EbsOptimized: ebsOptimized,
    Monitoring: monitoring === undefined ? undefined : { Enabled: monitoring },
    InstanceMarketOptions: marketOptionsOf(spec),
    // As in MCM the class goes before the Machine.
    Placement: placementOf(spec) ?? annotatedPlacement(annotations),
    CapacityReservationSpecification: reservationOf(spec),
    MetadataOptions: metadataOptionsOf(spec),
    CpuOptions: cpuOptionsOf(spec),
  };
}

function marketOptionsOf({
  instanceMarketOptions,
  spotPrice,
}: AwsProviderSpec): InstanceMarketOptionsRequest | undefined {
  if (instanceMarketOptions) return { MarketType: instanceMarketOptions.marketType };
  if (spotPrice === undefined) return undefined;
  const MaxPrice = presentText(spotPrice);
  return { MarketType: 'spot', SpotOptions: { SpotInstanceType: 'one-time', MaxPrice } };
}

function placementOf({ placement }: AwsProviderSpec): LaunchOptions['Placement'] {
  return (
    placement && {
      GroupId: presentText(placement.groupId),
      Tenancy: placement.tenancy,
      HostId: presentText(placement.hostId),
      PartitionNumber: placement.partitionNumber,
      Affinity: placement.affinity,
    }
  );
}

function reservationOf({
  capacityReservation,
}: AwsProviderSpec): LaunchOptions['CapacityReservationSpecification'] {
  if (!capacityReservation) return undefined;
  const { capacityReservationPreference: preference = '' } = capacityReservation;
  if (isPreference(preference)) return { CapacityReservationPreference: preference };
  const id = presentText(capacityReservation.capacityReservationId);
  const group = presentText(capacityReservation.capacityReservationResourceGroupArn);
  if (id === undefined && group === undefined) return undefined;
  return {
    CapacityReservationTarget: {
      CapacityReservationId: id,
      CapacityReservationResourceGroupArn: group,
    },
  };
}

/** EC2 validates the text: it may know more than its SDK lists. */
function isPreference(text: string): text is CapacityReservationPreference {
  return text !== '';
}

function metadataOptionsOf({
  instanceMetadataOptions: options,
}: AwsProviderSpec): LaunchOptions['MetadataOptions'] {
  return (
    options && {
      HttpEndpoint: presentText(options.httpEndpoint),
      HttpTokens: presentText(options.httpTokens),
      HttpPutResponseHopLimit: options.httpPutResponseHopLimit,
      HttpProtocolIpv6: presentText(options.httpProtocolIpv6),
    }
  );
}

function cpuOptionsOf({ cpuOptions }: AwsProviderSpec): LaunchOptions['CpuOptions'] {
  return (
    cpuOptions && {
      CoreCount: cpuOptions.coreCount,
      ThreadsPerCore: cpuOptions.threadsPerCore,
      AmdSevSnp: cpuOptions.amdSevSnp,
    }
  );
}

/**
 * A placement that stands on the Machine, in `spec.nodeTemplate.metadata.annotations`, as MCM's AWS
 * driver reads it.
 */
const placementAnnotation = 'machine.sapcloud.io/awsPlacement';

const textFields = [
  'Affinity',
  'AvailabilityZone',
  'AvailabilityZoneId',
  'GroupId',
  'GroupName',
  'HostId',
  'HostResourceGroupArn',
  'SpreadDomain',
  'Tenancy',
] as const;
const numberField = 'PartitionNumber';

/**
 * The JSON of EC2's type Placement. Names count in any case and unknown ones are ignored, as by Go;
 * an empty string counts as none. Undefined when there is no annotation, or nothing in it. Fails
 * with `InvalidArgument`, settled: for creates, which have looked before.
 */
function annotatedPlacement(
  annotations: Readonly<Record<string, string>> | undefined,
): Placement | undefined {
  const text = annotations?.[placementAnnotation] ?? '';
  if (text === '') return undefined;
  const given = new Map(
    Object.entries(parsed(text)).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const fields: [string, string | number][] = [
    ...textFields.flatMap((name) => textOf(name, given.get(name.toLowerCase()))),
    ...numberOf(numberField, given.get(numberField.toLowerCase())),
  ];
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function parsed(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused(text, 'JSON');
  }
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw refused(text, 'a JSON object');
  return value;
}

function textOf(name: string, value: unknown): [string, string][] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [[name, value]];
  throw refused(JSON.stringify(value), `a string for ${name}`);
}

function numberOf(name: string, value: unknown): [string, number][] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'number' && Number.isInteger(value)) return [[name, value]];
  throw refused(JSON.stringify(value), `a whole number for ${name}`);
}

function refused(value: string, wanted: string): DriverError {
  const message =
    `Invalid value: spec.nodeTemplate.metadata.annotations[${placementAnnotation}]: ${value} is not ${wanted}. ` +
    `Write a Placement of EC2 as JSON, such as {"Tenancy":"dedicated"}, or use placement of the class`;
  return new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: true });
}

/** `rootDeviceName` is that of the image. A single device is the root device under any name. */
function blockDevicesOf(
  devices: readonly AwsBlockDevice[],
  rootDeviceName: string,
): BlockDeviceMapping[] {
  return devices.map((device) => {
    const isRoot = devices.length === 1 || device.deviceName === '/root';
    return { DeviceName: isRoot ? rootDeviceName : device.deviceName, ...mappingOf(device) };
  });
}

/** EC2 takes one of the three. */
function mappingOf({ ebs, noDevice, virtualName }: AwsBlockDevice): BlockDeviceMapping {
  // The presence of the field counts, not its text.
  if (presentText(noDevice) !== undefined) return { NoDevice: '' };
  const VirtualName = presentText(virtualName);
  if (VirtualName !== undefined) return { VirtualName };
  return ebs ? { Ebs: volumeOf(ebs) } : {};
}

function volumeOf(from: AwsEbsVolume): EbsBlockDevice {
  const kmsKeyId = presentText(from.kmsKeyID);
  const encrypted = from.encrypted ?? (kmsKeyId === undefined ? undefined : true);
  return {
    VolumeType: from.volumeType,
    VolumeSize: from.volumeSize,
    Iops: from.iops === 0 ? undefined : from.iops,
    Throughput: from.throughput,
    Encrypted: encrypted,
    // Gardener's driver never sends the key, so there are classes with a key and without
    // encryption. EC2 refuses both.
    KmsKeyId: encrypted === true ? kmsKeyId : undefined,
    SnapshotId: presentText(from.snapshotID),
    DeleteOnTermination: from.deleteOnTermination ?? true,
  };
}

/** In MCM's classes an empty text is an absent one. */
function presentText<Text extends string>(text: Text | undefined): Exclude<Text, ''> | undefined {
  return text !== undefined && isPresent(text) ? text : undefined;
}

function isPresent<Text extends string>(text: Text): text is Exclude<Text, ''> {
  return text !== '';
}

interface Made {
  cluster: string;
  machine: { namespace: string; name: string; uid: string };
  token: string;
}

/** Those of the class and ours. */
function tagsFor(
  classTags: Readonly<Record<string, string>>,
  { cluster, machine, token }: Made,
): Record<string, string> {
  const ours = {
    [ourTags.cluster]: cluster,
    [ourTags.namespace]: machine.namespace,
    [ourTags.machineUid]: machine.uid,
    [ourTags.token]: token,
  };
  return tagsWithin({ ...classTags, [nameTag]: machine.name }, ours, ownerTag);
}
