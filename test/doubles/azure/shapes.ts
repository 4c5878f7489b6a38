/**
 * The shapes of what Azure takes, from the published descriptions of its APIs. A field that is not
 * known, or of another type, is refused.
 */
import { isRecord } from '../../../workflows/values/is-record.ts';

/** A sentence, or nothing if the value is right. */
export type Shape = (value: unknown, path: string) => string | undefined;

const text: Shape = (value, path) =>
  typeof value === 'string' && value !== '' ? undefined : `${path} is not a text`;
/** Of a disk. */
const diskName: Shape = (value, path) =>
  typeof value === 'string' && value.length <= 80 ? undefined : `${path} is too long`;
const flag: Shape = (value, path) =>
  typeof value === 'boolean' ? undefined : `${path} is not true or false`;
const number: Shape = (value, path) =>
  typeof value === 'number' ? undefined : `${path} is not a number`;
const whole: Shape = (value, path) =>
  Number.isInteger(value) ? undefined : `${path} is not a whole number`;

const oneOf =
  (...allowed: string[]): Shape =>
  (value, path) =>
    allowed.includes(String(value)) ? undefined : `${path} is not one of ${allowed.join(', ')}`;

const matching =
  (pattern: RegExp): Shape =>
  (value, path) =>
    typeof value === 'string' && pattern.test(value) ? undefined : `${path} is not ${pattern}`;

const list =
  (item: Shape): Shape =>
  (value, path) => {
    if (!Array.isArray(value)) return `${path} is not a list`;
    return firstOf(value.map((entry, index) => item(entry, `${path}[${index}]`)));
  };

const mapOf =
  (item: Shape): Shape =>
  (value, path) => {
    if (!isRecord(value)) return `${path} is not an object`;
    return firstOf(Object.entries(value).map(([name, entry]) => item(entry, `${path}.${name}`)));
  };

/** Names that end in `!` have to be there. */
function object(fields: Record<string, Shape>): Shape {
  const required = Object.keys(fields).flatMap((name) => (name.endsWith('!') ? [bare(name)] : []));
  const shapes = new Map(Object.entries(fields).map(([name, shape]) => [bare(name), shape]));
  return (value, path) => {
    if (!isRecord(value)) return `${path} is not an object`;
    const missing = required.find((name) => !(name in value));
    if (missing !== undefined) return `${path}.${missing} is missing`;
    return firstOf(
      Object.entries(value).map(([name, entry]) => {
        const shape = shapes.get(name);
        return shape ? shape(entry, `${path}.${name}`) : `${path}.${name} is not a known member`;
      }),
    );
  };
}

const bare = (name: string): string => name.replace(/!$/, '');
const firstOf = (faults: (string | undefined)[]): string | undefined => faults.find(Boolean);

const tags: Shape = (value, path) => {
  if (!isRecord(value)) return `${path} is not an object`;
  if (Object.keys(value).length > 50) return `${path} has more than 50 tags`;
  return firstOf(
    Object.entries(value).map(([name, entry]) => {
      if (/[<>%&\\?/]/.test(name) || name.length > 512) return `${path}: ${name} is not a tag name`;
      return typeof entry === 'string' && entry.length <= 256
        ? undefined
        : `${path}.${name} is not a text of 256 characters`;
    }),
  );
};

const armId = (type: string): Shape =>
  matching(new RegExp(`^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/${type}/[^/]+$`, 'i'));
const reference = (type: string): Shape => object({ 'id!': armId(type) });

export const networkInterface = object({
  'location!': text,
  tags,
  'properties!': object({
    enableIPForwarding: flag,
    enableAcceleratedNetworking: flag,
    'ipConfigurations!': list(
      object({
        'name!': text,
        'properties!': object({
          privateIPAllocationMethod: oneOf('Dynamic', 'Static'),
          'subnet!': object({
            'id!': matching(/\/virtualNetworks\/[^/]+\/subnets\/[^/]+$/i),
          }),
        }),
      }),
    ),
  }),
});

const imageOfDisk = object({
  id: text,
  sharedGalleryImageId: text,
  communityGalleryImageId: text,
});

export const disk = object({
  'location!': text,
  tags,
  zones: list(text),
  'sku!': object({ 'name!': text }),
  'properties!': object({
    diskSizeGB: whole,
    'creationData!': object({
      'createOption!': oneOf('FromImage', 'Empty', 'Copy'),
      imageReference: imageOfDisk,
      galleryImageReference: imageOfDisk,
    }),
  }),
});

const caching = oneOf('None', 'ReadOnly', 'ReadWrite');
const managedDisk = object({
  id: armId('Microsoft.Compute/disks'),
  storageAccountType: text,
  securityProfile: object({
    securityEncryptionType: oneOf('VMGuestStateOnly', 'DiskWithVMGuestState', 'NonPersistedTPM'),
  }),
});

const storageProfile = object({
  imageReference: object({
    id: text,
    publisher: text,
    offer: text,
    sku: text,
    version: text,
    sharedGalleryImageId: text,
    communityGalleryImageId: text,
  }),
  'osDisk!': object({
    name: diskName,
    caching,
    'createOption!': oneOf('FromImage', 'Attach'),
    diskSizeGB: whole,
    managedDisk,
    deleteOption: oneOf('Delete', 'Detach'),
  }),
  dataDisks: list(
    object({
      'lun!': whole,
      name: diskName,
      caching,
      'createOption!': oneOf('Empty', 'Attach', 'FromImage'),
      diskSizeGB: whole,
      managedDisk,
      deleteOption: oneOf('Delete', 'Detach'),
    }),
  ),
  diskControllerType: oneOf('SCSI', 'NVMe'),
});

const osProfile = object({
  'computerName!': matching(/^[a-z0-9][a-z0-9.-]{0,63}$/i),
  'adminUsername!': text,
  customData: matching(/^[A-Za-z0-9+/]+=*$/),
  linuxConfiguration: object({
    disablePasswordAuthentication: flag,
    ssh: object({
      publicKeys: list(
        object({
          'path!': text,
          'keyData!': matching(/^ssh-(rsa|ed25519) [A-Za-z0-9+/]+=*( .*)?$/),
        }),
      ),
    }),
  }),
});

const networkProfile = object({
  'networkInterfaces!': list(
    object({
      'id!': armId('Microsoft.Network/networkInterfaces'),
      'properties!': object({ primary: flag, deleteOption: oneOf('Delete', 'Detach') }),
    }),
  ),
});

export const virtualMachine = object({
  'location!': text,
  tags,
  zones: list(text),
  plan: object({ 'name!': text, 'publisher!': text, 'product!': text }),
  identity: object({
    'type!': oneOf('UserAssigned'),
    'userAssignedIdentities!': mapOf(object({})),
  }),
  'properties!': object({
    'hardwareProfile!': object({ 'vmSize!': text }),
    'storageProfile!': storageProfile,
    'osProfile!': osProfile,
    'networkProfile!': networkProfile,
    securityProfile: object({
      securityType: oneOf('TrustedLaunch', 'ConfidentialVM', 'Standard'),
      uefiSettings: object({ vTpmEnabled: flag, secureBootEnabled: flag }),
    }),
    diagnosticsProfile: object({
      bootDiagnostics: object({ enabled: flag, storageUri: text }),
    }),
    availabilitySet: reference('Microsoft.Compute/availabilitySets'),
    virtualMachineScaleSet: reference('Microsoft.Compute/virtualMachineScaleSets'),
    capacityReservation: object({
      'capacityReservationGroup!': reference('Microsoft.Compute/capacityReservationGroups'),
    }),
    priority: oneOf('Spot', 'Regular'),
    evictionPolicy: oneOf('Delete', 'Deallocate'),
    billingProfile: object({ maxPrice: number }),
  }),
});

export const graphRequest = object({
  'subscriptions!': list(text),
  'query!': text,
  options: object({
    $top: whole,
    $skipToken: text,
    resultFormat: oneOf('objectArray', 'table'),
  }),
});

export const tagsChange = object({ 'tags!': tags });

/** What of a virtual machine goes with it. */
export const belongingsChange = object({
  'properties!': object({ storageProfile: mapOf(() => undefined), networkProfile: networkProfile }),
});

export const terms = object({ 'properties!': mapOf(() => undefined) });
