/**
 * What is wrong with a provider spec: the schema's rules, and those that span fields. The rules are
 * those of Gardener's Azure driver.
 */
import { specReading } from '../spec-schema.ts';
import { refusal } from '../../schema/schema-check.ts';
import type { AzureProviderSpec } from './provider-spec.ts';
import { classTagsMax } from './tags.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };

type Properties = AzureProviderSpec['properties'];
type ImageReference = Properties['storageProfile']['imageReference'];
type DataDisk = NonNullable<Properties['storageProfile']['dataDisks']>[number];

export const { specOf: readSpec, validateProviderSpec } = specReading<AzureProviderSpec>(
  schema,
  faultsAcrossFields,
);

function faultsAcrossFields({ tags, properties }: AzureProviderSpec): string[] {
  const { imageReference, dataDisks = [] } = properties.storageProfile;
  return [
    ...tagFaults(tags),
    ...placementFaults(properties),
    ...spotFaults(properties),
    ...reservationFaults(properties),
    ...imageFaults('properties.storageProfile.imageReference', imageReference),
    ...dataDiskFaults(dataDisks),
  ];
}

function tagFaults(tags: Record<string, string>): string[] {
  const names = Object.keys(tags);
  const missing = ['kubernetes.io-cluster-', 'kubernetes.io-role-']
    .filter((prefix) => !names.some((name) => name.startsWith(prefix)))
    .map((prefix) => `providerSpec.tags: a key that begins with ${prefix} is missing`);
  const refused = names
    .filter((name) => name.length > 512 || /[<>%&\\?/]/.test(name))
    .map((name) =>
      refusal(
        'providerSpec.tags',
        name,
        'a name of a tag in Azure: 512 characters at most, none of < > % & \\ ? /',
      ),
    );
  const tooMany =
    names.length > classTagsMax
      ? [
          `providerSpec.tags: ${names.length} are more than ${classTagsMax}, as Azure takes 50 and one is ours`,
        ]
      : [];
  return [...missing, ...refused, ...tooMany];
}

/** The deprecated `machineSet` counts where nothing else is said. */
function placementFaults(properties: Properties): string[] {
  const { zone, availabilitySet, virtualMachineScaleSet, machineSet } = properties;
  const sets = {
    availabilitySet: availabilitySet?.id,
    virtualMachineScaleSet: virtualMachineScaleSet?.id,
  };
  // As in Gardener's driver an empty id is none.
  const given = Object.entries({ zone, ...sets }).flatMap(([name, value]) => (value ? [name] : []));
  if (given.length === 1 || (given.length === 0 && machineSet)) return [];
  const what = given.length === 0 ? 'none' : given.join(' and ');
  return [
    `providerSpec.properties: exactly one of zone, availabilitySet and virtualMachineScaleSet has to be given, and ${what} is`,
  ];
}

function spotFaults({ priority, evictionPolicy, billingProfile }: Properties): string[] {
  const path = 'providerSpec.properties';
  const maxPrice = billingProfile?.maxPrice;
  const price =
    maxPrice !== undefined && maxPrice !== -1 && maxPrice <= 0
      ? [refusal(`${path}.billingProfile.maxPrice`, maxPrice, '-1 or more than 0')]
      : [];
  if (priority === 'Spot') return price;
  const onlySpot = Object.entries({ evictionPolicy, billingProfile })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `${path}.${name} is only allowed with priority: Spot`);
  return [...onlySpot, ...price];
}

const reservationPattern =
  /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Compute\/capacityReservationGroups\/[^/]+$/i;

function reservationFaults({ capacityReservation }: Properties): string[] {
  const id = capacityReservation?.capacityReservationGroupID;
  if (!id || reservationPattern.test(id)) return [];
  const allowed =
    'of the form /subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Compute/capacityReservationGroups/NAME';
  const path = 'providerSpec.properties.capacityReservation.capacityReservationGroupID';
  return [refusal(path, id, allowed)];
}

function imageFaults(path: string, image: ImageReference): string[] {
  const { id, urn, communityGalleryImageID, sharedGalleryImageID } = image;
  const sources = { id, urn, communityGalleryImageID, sharedGalleryImageID };
  // As in Gardener's driver an empty text is none.
  const given = Object.entries(sources).flatMap(([name, value]) => (value ? [name] : []));
  if (given.length === 1) return [];
  const what = given.length === 0 ? 'none' : given.join(' and ');
  return [
    `providerSpec.${path}: exactly one of ${Object.keys(sources).join(', ')} has to be given, and ${what} is`,
  ];
}

function dataDiskFaults(disks: DataDisk[]): string[] {
  const path = 'properties.storageProfile.dataDisks';
  return disks.flatMap((disk, index) => {
    const before = disks.findIndex(({ lun }) => lun === disk.lun);
    const twice =
      before < index
        ? [
            `providerSpec.${path}[${index}].lun: ${disk.lun} is that of dataDisks[${before}] already; each disk needs its own`,
          ]
        : [];
    const image = disk.imageRef ? imageFaults(`${path}[${index}].imageRef`, disk.imageRef) : [];
    return [...twice, ...image];
  });
}
