/** `cloudProvider: azure` (machine-controller at f1068332) -> `provider: Azure`. */
import { missingTags, withoutAdded } from './class-tags.ts';
import { addressFamilies, count, flag, off } from './read-values.ts';
import { FieldFault, type Fields, type ProviderTable, type Row } from './table.ts';

const storage = 'properties.storageProfile';
const disk = `${storage}.dataDisks.0`;
const security = 'properties.securityProfile';

const notForMachines = 'machine-controller does not use it for machines either';
const planIsRead =
  'the driver reads the plan of a marketplace image there, and accepts its terms for the subscription';

const rows: readonly Row[] = [
  credential('subscriptionID', 'AZURE_SUBSCRIPTION_ID'),
  credential('tenantID', 'AZURE_TENANT_ID'),
  credential('clientID', 'AZURE_CLIENT_ID'),
  credential('clientSecret', 'AZURE_CLIENT_SECRET'),
  { theirs: 'location', ours: 'location', required: 'write one, such as westeurope' },
  { theirs: 'resourceGroup', ours: 'resourceGroup', required: 'write one' },
  { theirs: 'vnetResourceGroup', ours: 'subnetInfo.vnetResourceGroup' },
  {
    theirs: 'vmSize',
    ours: 'properties.hardwareProfile.vmSize',
    required: 'write one, such as Standard_D4s_v5',
  },
  { theirs: 'vnetName', ours: 'subnetInfo.vnetName', required: 'write one' },
  { theirs: 'subnetName', ours: 'subnetInfo.subnetName', required: 'write one' },
  { theirs: 'loadBalancerSku', ignored: notForMachines },
  { theirs: 'routeTableName', ignored: notForMachines },
  {
    theirs: 'availabilitySet',
    ours: 'properties.availabilitySet.id',
    to: (_name, spec) => (isInSet(spec) ? setIdOf(spec) : undefined),
    back: (id) => String(id).split('/').at(-1),
  },
  {
    theirs: 'assignAvailabilitySet',
    ours: 'properties.availabilitySet.id',
    to: (value, spec) => (flag(value) && isInSet(spec) ? setIdOf(spec) : undefined),
    back: () => true,
  },
  {
    theirs: 'securityGroupName',
    refused:
      'the driver gives a network interface no security group. Attach it to the subnet, and remove it here',
  },
  {
    theirs: 'zones',
    ours: 'properties.zone',
    to: zoneOf,
    back: (zone) => [String(zone)],
  },
  { theirs: 'imagePlan.name', ignored: planIsRead },
  { theirs: 'imagePlan.publisher', ignored: planIsRead },
  { theirs: 'imagePlan.product', ignored: planIsRead },
  ...['publisher', 'offer', 'sku', 'version'].map((part, index): Row => ({
    theirs: `imageReference.${part}`,
    ours: `${storage}.imageReference.urn`,
    to: (_value, spec) => (spec['imageID'] ? undefined : urnOf(spec)),
    back: (urn) => String(urn).split(':')[index],
  })),
  {
    theirs: 'enableAcceleratedNetworking',
    ours: 'properties.networkProfile.acceleratedNetworking',
    to: flag,
  },
  {
    theirs: 'enableBootDiagnostics',
    ours: 'properties.diagnosticsProfile.enabled',
    to: flag,
  },
  { theirs: 'imageID', ours: `${storage}.imageReference.id` },
  {
    theirs: 'osDiskSize',
    ours: `${storage}.osDisk.diskSizeGB`,
    required: 'the driver asks for a size. Write that of the image, in GiB, or more',
    to: count,
  },
  {
    theirs: 'osDiskSKU',
    ours: `${storage}.osDisk.managedDisk.storageAccountType`,
    to: (sku, spec) => (Number(spec['osDiskSize']) > 0 ? sku : undefined),
  },
  { theirs: 'dataDiskSize', ours: `${disk}.diskSizeGB`, to: count },
  {
    theirs: 'dataDiskSKU',
    ours: `${disk}.storageAccountType`,
    to: (sku, spec) => (hasDataDisk(spec) ? sku : undefined),
  },
  {
    theirs: 'assignPublicIP',
    refused:
      'the driver makes no public addresses. Give the subnet a NAT gateway, and remove it here',
    harmless: off,
  },
  { theirs: 'publicIPSKU', ignored: 'there is no public address' },
  { theirs: 'tags', ours: 'tags', back: withoutAdded },
  { theirs: 'securityProfile.securityType', ours: `${security}.securityType` },
  {
    theirs: 'securityProfile.secureBootEnabled',
    ours: `${security}.uefiSettings.secureBootEnabled`,
  },
  { theirs: 'securityProfile.vTpmEnabled', ours: `${security}.uefiSettings.vtpmEnabled` },
];

/** What they take where a template names no image, but for Ubuntu: there they ask Azure. */
const images: Readonly<Record<string, string>> = {
  rhel: 'RedHat:rhel-byos:rhel-lvm95:9.5.2024112215',
  flatcar: 'kinvolk:flatcar-container-linux-corevm-amd64:stable:4459.2.3',
  rockylinux: 'resf:rockylinux-x86_64:9-base:9.6.20250531',
};

export const azure: ProviderTable = {
  cloudProvider: 'azure',
  provider: 'Azure',
  rows,
  more(spec, { cluster, operatingSystem, network }) {
    const hasImage = Boolean(spec['imageID']) || urnOf(spec) !== ':::';
    const urn = hasImage ? undefined : images[operatingSystem];
    return {
      providerSpec: {
        tags: missingTags(spec['tags'], {
          'kubernetes.io-cluster-': `kubernetes.io-cluster-${cluster}`,
          'kubernetes.io-role-': 'kubernetes.io-role-node',
        }),
        properties: {
          osProfile: {
            adminUsername: operatingSystem === 'flatcar' ? 'core' : operatingSystem,
            linuxConfiguration: { disablePasswordAuthentication: true },
          },
          storageProfile: {
            ...(urn !== undefined && { imageReference: { urn } }),
            osDisk: { createOption: 'FromImage' },
            ...(hasDataDisk(spec) && { dataDisks: [{ lun: 0 }] }),
          },
        },
      },
      faults: [
        ...imageFaults(spec, urn),
        ...placeFaults(spec),
        ...(hasDataDisk(spec) && !spec['dataDiskSKU']
          ? ['cloudProviderSpec.dataDiskSKU is missing: write one, such as StandardSSD_LRS']
          : []),
        ...(addressFamilies(network?.ipFamily).v6
          ? ['network.ipFamily: the driver gives a network interface an IPv4 address alone']
          : []),
      ],
    };
  },
  findsInstanceBy: {
    tag: 'Machine-UID',
    command: (providerID, uid) =>
      `az vm update --ids "$(az vm list --query "[?name=='${nameIn(providerID)}'].id" --output tsv)" --set tags.Machine-UID=${uid}`,
  },
  // Theirs is the ARM id, where ours has location and name. Mirrors of ours have ours.
  providerID(theirs, { location, resourceGroup }) {
    if (/^azure:\/\/\/[^/]+\/[^/]+$/.test(theirs)) return { value: theirs };
    const form =
      /^azure:\/\/\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Compute\/virtualMachines\/([^/]+)$/i;
    const [, group = '', name = ''] = form.exec(theirs) ?? [];
    if (name === '') return { fault: `"${theirs}" is not the ID of a virtual machine` };
    if (group.toLowerCase() === String(resourceGroup).toLowerCase()) {
      return { value: `azure:///${String(location)}/${name}` };
    }
    return { fault: `"${theirs}" is not in resource group ${String(resourceGroup)}` };
  },
};

function credential(theirs: string, env: string): Row {
  return { theirs, env, secret: theirs, required: `write it, or set ${env} of the front` };
}

function nameIn(providerID: string): string {
  return providerID.split('/').at(-1) ?? '';
}

function isInSet({ availabilitySet, assignAvailabilitySet = true }: Fields): boolean {
  return Boolean(availabilitySet) && assignAvailabilitySet !== false;
}

function setIdOf({ subscriptionID, resourceGroup, availabilitySet }: Fields): string {
  return `/subscriptions/${String(subscriptionID)}/resourceGroups/${String(resourceGroup)}/providers/Microsoft.Compute/availabilitySets/${String(availabilitySet)}`;
}

function zoneOf(zones: unknown): number {
  const [zone, ...more] = Array.isArray(zones) ? zones : [];
  if (more.length === 0 && /^[1-9]$/.test(String(zone))) return Number(zone);
  throw new FieldFault(
    'is not a list of one zone, such as ["1"]: make a MachineDeployment for each',
  );
}

function placeFaults(spec: Fields): string[] {
  const hasZone = Array.isArray(spec['zones']) && spec['zones'].length > 0;
  if (hasZone !== isInSet(spec)) return [];
  if (hasZone) return ['cloudProviderSpec.zones and availabilitySet exclude each other: keep one'];
  return ['cloudProviderSpec.zones is missing: the driver needs a zone, or an availabilitySet'];
}

function urnOf({ imageReference }: Fields): string {
  const { publisher = '', offer = '', sku = '', version = '' } = Object(imageReference);
  return [publisher, offer, sku, version].join(':');
}

function imageFaults(spec: Fields, urnOfSystem: string | undefined): string[] {
  if (spec['imageID']) {
    const { name } = Object(spec['imagePlan']);
    if (!name) return [];
    return ['cloudProviderSpec.imagePlan cannot be said with imageID: use an imageReference'];
  }
  if (urnOfSystem !== undefined || /^[^:]+:[^:]+:[^:]+:[^:]+$/.test(urnOf(spec))) return [];
  return [
    'cloudProviderSpec.imageReference is missing, or a part of it is: machine-controller asks Azure which generation a size takes. Write publisher, offer, sku and version, such as Canonical, ubuntu-24_04-lts, server, latest',
  ];
}

function hasDataDisk({ dataDiskSize = 0 }: Fields): boolean {
  return Number(dataDiskSize) > 0;
}
