/**
 * The Instance resource of Compute Engine's `instances.insert`, made of nothing but the request.
 */
import type { protos } from '@google-cloud/compute';
import { defined } from '../../../workflows/values/defined.ts';
import type { CreateRequest } from '../driver.ts';
import { tagsFor } from '../frame/tags.ts';
import { labelSpelling } from './labels.ts';
import type { Disk, GcpProviderSpec, NetworkInterface, Scheduling } from './provider-spec.ts';
import { takesPodRange } from './validate.ts';

export type InstanceResource = protos.google.cloud.compute.v1.IInstance;
type AttachedDisk = protos.google.cloud.compute.v1.IAttachedDisk;
type DiskParameters = protos.google.cloud.compute.v1.IAttachedDiskInitializeParams;
type EncryptionKey = protos.google.cloud.compute.v1.ICustomerEncryptionKey;
type NetworkCard = protos.google.cloud.compute.v1.INetworkInterface;
type PodRange = protos.google.cloud.compute.v1.IAliasIpRange;
type ComputeScheduling = protos.google.cloud.compute.v1.IScheduling;

export interface ResourceRequest {
  /** Validated. */
  spec: GcpProviderSpec;
  project: string;
  request: Pick<CreateRequest, 'cluster' | 'machine' | 'token' | 'userData'>;
}

/** An empty text is absent, as with Gardener's driver. */
export function instanceResource({ spec, project, request }: ResourceRequest): InstanceResource {
  const { zone, disks, networkInterfaces, scheduling, tags, description, minCpuPlatform } = spec;
  return {
    name: request.machine.name,
    machineType: `zones/${zone}/machineTypes/${spec.machineType}`,
    canIpForward: spec.canIpForward ?? false,
    deletionProtection: spec.deletionProtection ?? false,
    ...(description && { description }),
    ...(minCpuPlatform && { minCpuPlatform }),
    labels: tagsFor(spec.labels ?? {}, request, labelSpelling),
    tags: { items: tags },
    metadata: { items: metadataOf(spec, request.userData) },
    disks: disks.map((disk) => attachedDisk(disk, zone)),
    networkInterfaces: networkInterfaces.map((card) => networkCard(card, spec, project)),
    scheduling: computeScheduling(scheduling),
    serviceAccounts: (spec.serviceAccounts ?? []).map(({ email, scopes = [] }) => ({
      email,
      scopes,
    })),
    ...optionalParts(spec, project),
  };
}

/** cloud-init and Ignition read `user-data`; Google's own agent runs `startup-script`. */
export function userDataKeyOf(userData: string): 'user-data' | 'startup-script' {
  const isRead = /^(?:#cloud-config|\s*\{\s*"ignition")/.test(userData);
  return isRead ? 'user-data' : 'startup-script';
}

function metadataOf(
  { metadata = [] }: GcpProviderSpec,
  userData: string,
): { key: string; value: string }[] {
  const key = userDataKeyOf(userData);
  const items = metadata.map((item) => ({ key: item.key, value: item.value ?? '' }));
  return userData === '' ? items : [{ key, value: userData }, ...items];
}

function attachedDisk(disk: Disk, zone: string): AttachedDisk {
  const encryption = diskEncryption(disk);
  const rest = {
    autoDelete: disk.autoDelete ?? true,
    ...(encryption && { diskEncryptionKey: encryption }),
  };
  if (disk.type === 'SCRATCH') {
    return {
      type: 'SCRATCH',
      boot: false,
      ...(disk.interface && { interface: disk.interface }),
      initializeParams: { diskType: `zones/${zone}/diskTypes/local-ssd` },
      ...rest,
    };
  }
  const initializeParams = diskParameters(disk, zone);
  return { type: 'PERSISTENT', boot: disk.boot ?? false, initializeParams, ...rest };
}

function diskEncryption({ encryption }: Disk): EncryptionKey | undefined {
  if (!encryption) return undefined;
  const kmsKeyServiceAccount = encryption.kmsKeyServiceAccount?.trim();
  return {
    kmsKeyName: encryption.kmsKeyName.trim(),
    ...(kmsKeyServiceAccount && { kmsKeyServiceAccount }),
  };
}

/** Zero is absent, as with Gardener's driver. */
function diskParameters(disk: Disk, zone: string): DiskParameters {
  const { sizeGb, type, image, labels, storagePool } = disk;
  const { provisionedIops, provisionedThroughput } = disk;
  return {
    ...(sizeGb && { diskSizeGb: sizeGb }),
    ...(type && { diskType: `zones/${zone}/diskTypes/${type}` }),
    ...(image && { sourceImage: image }),
    ...(labels && { labels }),
    ...(provisionedIops && { provisionedIops }),
    ...(provisionedThroughput && { provisionedThroughput }),
    ...(storagePool && { storagePool }),
  };
}

function networkCard(
  card: NetworkInterface,
  { region }: GcpProviderSpec,
  project: string,
): NetworkCard {
  const { network, subnetwork, stackType, ipv6accessType } = card;
  const podRange = takesPodRange(card) ? podRangeOf(card) : undefined;
  return {
    ...(network && { network: `projects/${project}/global/networks/${network}` }),
    ...(subnetwork && { subnetwork: `regions/${region}/subnetworks/${subnetwork}` }),
    ...(!card.disableExternalIP && { accessConfigs: [{ type: 'ONE_TO_ONE_NAT' }] }),
    ...(stackType && { stackType }),
    ...(stackType === 'IPV4_IPV6' && ipv6accessType && { ipv6AccessType: ipv6accessType }),
    ...(podRange && { aliasIpRanges: [podRange] }),
  };
}

function podRangeOf({ ipCidrRange, subnetworkRangeName }: NetworkInterface): PodRange | undefined {
  if (!ipCidrRange) return undefined;
  return { ipCidrRange, ...(subnetworkRangeName && { subnetworkRangeName }) };
}

/**
 * `automaticRestart` is sent always: Google's default is true, that of Gardener's driver is false.
 */
function computeScheduling(scheduling: Scheduling): ComputeScheduling {
  const { provisioningModel, instanceTerminationAction, preemptible } = scheduling;
  return {
    automaticRestart: scheduling.automaticRestart ?? false,
    onHostMaintenance: scheduling.onHostMaintenance,
    ...(preemptible && { preemptible }),
    ...(provisioningModel && { provisioningModel }),
    ...(instanceTerminationAction && { instanceTerminationAction }),
  };
}

/** An explicit `false` is sent: Google's default of two of these is true. */
function optionalParts(spec: GcpProviderSpec, project: string): InstanceResource {
  const { gpu, shieldedInstanceConfiguration: shielded, advancedMachineFeatures: features } = spec;
  const acceleratorType = `projects/${project}/zones/${spec.zone}/acceleratorTypes/${gpu?.acceleratorType}`;
  return {
    ...(gpu && { guestAccelerators: [{ acceleratorType, acceleratorCount: gpu.count }] }),
    ...(shielded && {
      shieldedInstanceConfig: defined({
        enableSecureBoot: shielded.secureBoot,
        enableVtpm: shielded.vtpm,
        enableIntegrityMonitoring: shielded.integrityMonitoring,
      }),
    }),
    ...(features && {
      advancedMachineFeatures: defined({
        enableNestedVirtualization: features.enableNestedVirtualization,
      }),
    }),
  };
}
