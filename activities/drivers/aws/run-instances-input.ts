/** What is sent to EC2 to make an instance. Depends on nothing but the request and the image. */
import { createHash } from 'node:crypto';
import type {
  _InstanceType,
  InstanceNetworkInterfaceSpecification,
  ResourceType,
  RunInstancesCommandInput,
  TagSpecification,
} from '@aws-sdk/client-ec2';
import type { CreateRequest } from '../driver.ts';
import { blockDevicesOf } from './block-devices.ts';
import { base64UserData } from '../user-data-bytes.ts';
import { launchOptionsOf } from './launch-options.ts';
import { presentText } from './present-text.ts';
import type { AwsNetworkInterface, AwsProviderSpec } from './provider-spec.ts';
import { tagList, tagsFor } from './tags.ts';

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
