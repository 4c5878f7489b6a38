/**
 * What is sent to Azure for a Machine: made of nothing but the request, so that a second sending is
 * the same.
 */
import type {
  DataDisk,
  Disk,
  ImageReference,
  LinuxConfiguration,
  OSDisk,
  Plan,
  SecurityProfile,
  VirtualMachine,
} from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import type { CreateRequest } from '../driver.ts';
import { base64UserData } from '../user-data-bytes.ts';
import { dataDiskNameOf, nicNameOf, osDiskNameOf } from './names.ts';
import type { AzureProviderSpec } from './provider-spec.ts';
import { publicKeyOfNobody } from './ssh-key.ts';
import { tagsFor } from './tags.ts';

type Properties = AzureProviderSpec['properties'];
type SpecImage = Properties['storageProfile']['imageReference'];
export type SpecDataDisk = NonNullable<Properties['storageProfile']['dataDisks']>[number];

export interface Blueprint {
  spec: AzureProviderSpec;
  request: Pick<CreateRequest, 'machine' | 'cluster' | 'token' | 'userData' | 'userDataBytes'>;
  /**
   * Used when the class has no key. Default: the public part of a key whose private part was thrown
   * away.
   */
  sshPublicKey?: string;
}

/** What Azure said while the parts were made. */
export interface MadeParts {
  /** ARM ids. */
  nicId: string;
  /** ARM ids of the images that data disks are made of, by LUN. */
  diskIds: ReadonlyMap<number, string>;
  /** The plan of a marketplace image that has one. */
  plan?: Plan;
}

export function nicOf({ spec, request }: Blueprint, subnetId: string): NetworkInterface {
  return {
    location: spec.location,
    tags: tagsFor(spec.tags, request),
    enableIPForwarding: true,
    ...known({
      enableAcceleratedNetworking: spec.properties.networkProfile?.acceleratedNetworking,
    }),
    ipConfigurations: [
      {
        name: nicNameOf(request.machine.name),
        privateIPAllocationMethod: 'Dynamic',
        subnet: { id: subnetId },
      },
    ],
  };
}

/** A data disk with an image. `imageId`: ARM id of a marketplace image. */
export function imageDiskOf(
  { spec, request }: Blueprint,
  disk: SpecDataDisk & { imageRef: SpecImage },
  imageId: string | undefined,
): Disk {
  const { zone } = spec.properties;
  return {
    location: spec.location,
    tags: tagsFor(spec.tags, request),
    sku: { name: disk.storageAccountType },
    diskSizeGB: disk.diskSizeGB,
    creationData: { createOption: 'FromImage', ...diskImageOf(disk.imageRef, imageId) },
    ...(zone !== undefined && { zones: [String(zone)] }),
  };
}

function diskImageOf(image: SpecImage, imageId: string | undefined): object {
  if (imageId !== undefined) return { imageReference: { id: imageId } };
  if (image.communityGalleryImageID) {
    return { galleryImageReference: { communityGalleryImageId: image.communityGalleryImageID } };
  }
  if (image.sharedGalleryImageID) {
    return { galleryImageReference: { sharedGalleryImageId: image.sharedGalleryImageID } };
  }
  const isGallery = /\/galleries\//i.test(image.id ?? '');
  return { [isGallery ? 'galleryImageReference' : 'imageReference']: { id: image.id } };
}

export function vmOf(blueprint: Blueprint, parts: MadeParts): VirtualMachine {
  const { spec, request } = blueprint;
  const { properties } = spec;
  return {
    location: spec.location,
    tags: tagsFor(spec.tags, request),
    ...(parts.plan && { plan: parts.plan }),
    ...placementOf(properties),
    ...spotOf(properties),
    ...identityOf(properties),
    ...securityOf(properties),
    ...extrasOf(properties),
    hardwareProfile: { vmSize: properties.hardwareProfile.vmSize },
    osProfile: osProfileOf(blueprint),
    storageProfile: storageOf(blueprint, parts.diskIds),
    networkProfile: {
      networkInterfaces: [{ id: parts.nicId, primary: true, deleteOption: 'Delete' }],
    },
  };
}

function placementOf(properties: Properties): Partial<VirtualMachine> {
  const { zone, availabilitySet, virtualMachineScaleSet, machineSet } = properties;
  if (zone !== undefined) return { zones: [String(zone)] };
  if (availabilitySet?.id) return { availabilitySet: { id: availabilitySet.id } };
  if (virtualMachineScaleSet?.id)
    return { virtualMachineScaleSet: { id: virtualMachineScaleSet.id } };
  if (machineSet?.kind === 'vmo') return { virtualMachineScaleSet: { id: machineSet.id } };
  return machineSet ? { availabilitySet: { id: machineSet.id } } : {};
}

function spotOf({ priority, evictionPolicy, billingProfile }: Properties): Partial<VirtualMachine> {
  if (priority !== 'Spot') return {};
  return {
    priority: 'Spot',
    evictionPolicy: evictionPolicy ?? 'Delete',
    billingProfile: { maxPrice: billingProfile?.maxPrice ?? -1 },
  };
}

function identityOf({ identityID }: Properties): Partial<VirtualMachine> {
  if (!identityID) return {};
  return { identity: { type: 'UserAssigned', userAssignedIdentities: { [identityID]: {} } } };
}

function securityOf({ securityProfile }: Properties): Partial<VirtualMachine> {
  if (!securityProfile) return {};
  const { securityType, uefiSettings } = securityProfile;
  const security: SecurityProfile = {
    ...(securityType && { securityType }),
    ...(uefiSettings && {
      uefiSettings: known({
        vTpmEnabled: uefiSettings.vtpmEnabled,
        secureBootEnabled: uefiSettings.secureBootEnabled,
      }),
    }),
  };
  return { securityProfile: security };
}

function extrasOf({
  capacityReservation,
  diagnosticsProfile,
}: Properties): Partial<VirtualMachine> {
  const groupId = capacityReservation?.capacityReservationGroupID;
  return {
    ...(groupId && { capacityReservation: { capacityReservationGroup: { id: groupId } } }),
    ...(diagnosticsProfile && {
      diagnosticsProfile: {
        bootDiagnostics: known({
          enabled: diagnosticsProfile.enabled ?? false,
          storageUri: diagnosticsProfile.storageURI,
        }),
      },
    }),
  };
}

function osProfileOf({
  spec,
  request,
  sshPublicKey,
}: Blueprint): NonNullable<VirtualMachine['osProfile']> {
  const { adminUsername, linuxConfiguration } = spec.properties.osProfile;
  const defaultKey = sshPublicKey ?? publicKeyOfNobody();
  return {
    computerName: request.machine.name,
    adminUsername,
    linuxConfiguration: linuxOf(linuxConfiguration, { user: adminUsername, defaultKey }),
    ...known({ customData: base64UserData(request) }),
  };
}

function linuxOf(
  linux: Properties['osProfile']['linuxConfiguration'],
  { user, defaultKey }: { user: string; defaultKey: string },
): LinuxConfiguration {
  const key = linux?.ssh?.publicKeys;
  return {
    ...known({ disablePasswordAuthentication: linux?.disablePasswordAuthentication }),
    ssh: {
      publicKeys: [
        {
          path: key?.path || `/home/${user}/.ssh/authorized_keys`,
          keyData: key?.keyData || defaultKey,
        },
      ],
    },
  };
}

function storageOf(
  { spec, request }: Blueprint,
  diskIds: ReadonlyMap<number, string>,
): NonNullable<VirtualMachine['storageProfile']> {
  const { imageReference, osDisk, dataDisks, diskControllerType } = spec.properties.storageProfile;
  return {
    imageReference: vmImageOf(imageReference),
    osDisk: osDiskOf(request.machine.name, osDisk),
    dataDisks: (dataDisks ?? []).map((disk) =>
      dataDiskOf(request.machine.name, disk, diskIds.get(disk.lun)),
    ),
    ...known({ diskControllerType }),
  };
}

function vmImageOf(image: SpecImage): ImageReference {
  if (image.urn) {
    const [publisher = '', offer = '', sku = '', version = ''] = image.urn.split(':');
    return { publisher, offer, sku, version };
  }
  if (image.communityGalleryImageID) {
    return { communityGalleryImageId: image.communityGalleryImageID };
  }
  if (image.sharedGalleryImageID) return { sharedGalleryImageId: image.sharedGalleryImageID };
  return known({ id: image.id });
}

function osDiskOf(machineName: string, disk: Properties['storageProfile']['osDisk']): OSDisk {
  const { storageAccountType, securityProfile } = disk.managedDisk ?? {};
  const securityEncryptionType = securityProfile?.securityEncryptionType;
  return {
    name: osDiskNameOf(machineName),
    createOption: disk.createOption,
    diskSizeGB: disk.diskSizeGB,
    ...known({ caching: disk.caching }),
    managedDisk: {
      ...known({ storageAccountType }),
      ...(securityEncryptionType && { securityProfile: { securityEncryptionType } }),
    },
    deleteOption: 'Delete',
  };
}

/** `id`: of the disk, if it was made of an image before. */
function dataDiskOf(machineName: string, disk: SpecDataDisk, id: string | undefined): DataDisk {
  const shared = {
    lun: disk.lun,
    name: dataDiskNameOf(machineName, disk),
    // Left out, Azure takes ReadOnly for some kinds of disks.
    caching: disk.caching || 'None',
    deleteOption: 'Delete',
  } as const;
  if (id !== undefined) return { ...shared, createOption: 'Attach', managedDisk: { id } };
  return {
    ...shared,
    createOption: 'Empty',
    diskSizeGB: disk.diskSizeGB,
    managedDisk: { storageAccountType: disk.storageAccountType },
  };
}

/** Without the fields that are undefined. */
function known<T extends object>(fields: T): Known<T> {
  const given: Known<T> = { ...fields };
  for (const name in given)
    if (fields[name] === undefined || fields[name] === '') delete given[name];
  return given;
}

type Known<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };
