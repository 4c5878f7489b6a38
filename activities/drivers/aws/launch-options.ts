/** How an instance is bought, placed and set up, as EC2 wants to hear of it. */
import type {
  CapacityReservationPreference,
  InstanceMarketOptionsRequest,
  RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import { annotatedPlacement } from './placement-annotation.ts';
import { presentText } from './present-text.ts';
import type { AwsProviderSpec } from './provider-spec.ts';

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
export function launchOptionsOf(
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
