/** What EC2 only does for an instance that exists: source/destination checks off, IPv6 prefixes. */
import type { Instance, InstanceNetworkInterface } from '@aws-sdk/client-ec2';
import type { Ec2 } from './ec2.ts';
import type { AwsProviderSpec } from './provider-spec.ts';

type CardSettings = Pick<AwsProviderSpec, 'srcAndDstChecksEnabled' | 'networkInterfaces'>;

/** For one network interface. */
interface CardChange {
  networkInterfaceId: string;
  disablesChecks: boolean;
  missingPrefixes: number;
}

export function needsInitialization(instance: Instance, wanted: CardSettings): boolean {
  return stepsFor(instance, wanted).length > 0;
}

/** Each step counts what is there first, so that it can be done again. */
export async function initialize(
  ec2: Ec2,
  instance: Instance,
  wanted: CardSettings,
): Promise<void> {
  for (const { networkInterfaceId, disablesChecks, missingPrefixes } of stepsFor(
    instance,
    wanted,
  )) {
    if (disablesChecks) await ec2.disableSourceDestCheck(networkInterfaceId);
    if (missingPrefixes > 0) await ec2.assignIpv6Prefixes(networkInterfaceId, missingPrefixes);
  }
}

/**
 * Only the interfaces of the class: others were attached later, for example by a network plugin.
 */
function stepsFor({ NetworkInterfaces = [] }: Instance, wanted: CardSettings): CardChange[] {
  return wanted.networkInterfaces.flatMap((from, position) => {
    const attached = NetworkInterfaces.find((one) => isAt(one, { position, ...from }));
    if (attached?.NetworkInterfaceId === undefined) return [];
    const step = {
      networkInterfaceId: attached.NetworkInterfaceId,
      disablesChecks: wanted.srcAndDstChecksEnabled === false && checks(attached),
      missingPrefixes: (from.ipv6PrefixCount ?? 0) - (attached.Ipv6Prefixes?.length ?? 0),
    };
    return step.disablesChecks || step.missingPrefixes > 0 ? [step] : [];
  });
}

interface CardPosition {
  position: number;
  deviceIndex?: number;
  networkCardIndex?: number;
}

function isAt({ Attachment = {} }: InstanceNetworkInterface, place: CardPosition): boolean {
  const { position, deviceIndex = position, networkCardIndex = 0 } = place;
  const { DeviceIndex, NetworkCardIndex = 0 } = Attachment;
  return DeviceIndex === deviceIndex && NetworkCardIndex === networkCardIndex;
}

/** An Elastic Fabric Adapter has no such check to switch off. */
function checks({ InterfaceType, SourceDestCheck }: InstanceNetworkInterface): boolean {
  const isFabric = InterfaceType === 'efa' || InterfaceType === 'efa-only';
  return !isFabric && SourceDestCheck !== false;
}
