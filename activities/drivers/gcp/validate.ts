/**
 * What is wrong with a provider spec: by its schema, and by rules that span fields (mostly those of
 * Gardener's driver).
 */
import { specReading } from '../spec-schema.ts';
import { refusal } from '../../schema/schema-check.ts';
import type { Disk, GcpProviderSpec, NetworkInterface, Scheduling } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };
import { classLabelsMax } from './labels.ts';
import { clusterTagPart, roleTagPart, searchTagsOf } from './tags.ts';

export const { specOf, validateProviderSpec } = specReading<GcpProviderSpec>(
  schema,
  faultsBetweenFields,
);

function faultsBetweenFields(spec: GcpProviderSpec): string[] {
  return [
    ...tagFaults(spec.tags),
    ...labelFaults('providerSpec.labels', spec.labels),
    ...labelCountFaults(spec.labels),
    ...bootFaults(spec.disks),
    ...spec.disks.flatMap((disk, index) => diskFaults(disk, `providerSpec.disks[${index}]`)),
    ...spec.networkInterfaces.flatMap((card, index) =>
      networkFaults(card, `providerSpec.networkInterfaces[${index}]`),
    ),
    ...metadataFaults(spec.metadata ?? []),
    ...gpuFaults(spec),
    ...spotFaults(spec.scheduling),
  ];
}

/**
 * Gardener's driver takes such a class, finds none of its instances again, and says that they are
 * deleted.
 */
function tagFaults(tags: readonly string[]): string[] {
  if (searchTagsOf(tags)) return [];
  const allowed = `a list with a tag that contains ${clusterTagPart} and one that contains ${roleTagPart}: without both no instance is found again`;
  return [refusal('providerSpec.tags', tags, allowed)];
}

function labelFaults(path: string, labels: Record<string, string> = {}): string[] {
  return Object.keys(labels).flatMap((key) => {
    if (key.startsWith('millwright-')) {
      return [`${path}.${key}: labels that begin with millwright- are set by Millwright`];
    }
    if (/^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u.test(key)) return [];
    const allowed =
      'the key of a label: up to 63 lower-case letters, digits, dashes and underscores, a letter first';
    return [refusal(path, key, allowed)];
  });
}

function labelCountFaults(labels: Record<string, string> = {}): string[] {
  const count = Object.keys(labels).length;
  return count <= classLabelsMax
    ? []
    : [
        `providerSpec.labels: ${count} are more than ${classLabelsMax}, as Google takes 64 and three are ours`,
      ];
}

function bootFaults(disks: readonly Disk[]): string[] {
  const count = disks.filter(({ boot }) => boot).length;
  return count === 1
    ? []
    : [`providerSpec.disks: ${count} of them have boot: true, not exactly one`];
}

function diskFaults(disk: Disk, path: string): string[] {
  const { boot, image, type, interface: port = '', labels } = disk;
  const faults = labelFaults(`${path}.labels`, labels);
  if (boot && !image) faults.push(`${path}.image is missing: the boot disk needs one`);
  if (type !== 'SCRATCH') return faults;
  if (port !== 'NVME' && port !== 'SCSI') {
    faults.push(refusal(`${path}.interface`, port, 'NVME or SCSI, as a SCRATCH disk needs'));
  }
  if (boot) faults.push(`${path}.boot: a SCRATCH disk cannot be the boot disk`);
  return faults;
}

function networkFaults(card: NetworkInterface, path: string): string[] {
  const { network, subnetwork, ipCidrRange, subnetworkRangeName } = card;
  const faults: string[] = [];
  if (!network && !subnetwork) faults.push(`${path}: network, subnetwork or both are needed`);
  const wantsRange = takesPodRange(card) && (card.useAliasIPs || subnetworkRangeName);
  if (wantsRange && !ipCidrRange) {
    const cause = card.useAliasIPs ? 'useAliasIPs' : 'subnetworkRangeName';
    faults.push(`${path}.ipCidrRange is missing: ${cause} needs the size of the range`);
  }
  return faults;
}

/** Elsewhere Gardener's driver ignores the fields of the range. */
export function takesPodRange({ useAliasIPs, stackType }: NetworkInterface): boolean {
  return useAliasIPs === true || stackType === 'IPV4_IPV6';
}

function metadataFaults(metadata: readonly { key: string }[]): string[] {
  return metadata.flatMap(({ key }, index) => {
    const path = `providerSpec.metadata[${index}].key`;
    if (key === 'user-data') return [`${path}: user-data comes from the Secret's userData`];
    const isDouble = metadata.findIndex((other) => other.key === key) !== index;
    return isDouble ? [`${path}: "${key}" is there twice`] : [];
  });
}

function gpuFaults({ gpu, scheduling }: GcpProviderSpec): string[] {
  if (!gpu || scheduling.onHostMaintenance === 'TERMINATE') return [];
  const allowed = 'TERMINATE, which an instance with a GPU needs';
  return [refusal('providerSpec.scheduling.onHostMaintenance', 'MIGRATE', allowed)];
}

function spotFaults(scheduling: Scheduling): string[] {
  const path = 'providerSpec.scheduling';
  const { provisioningModel, instanceTerminationAction, preemptible } = scheduling;
  const isSpot = provisioningModel === 'SPOT';
  const faults: string[] = [];
  if (instanceTerminationAction !== undefined && !isSpot) {
    faults.push(`${path}.instanceTerminationAction needs provisioningModel SPOT`);
  }
  if (preemptible && provisioningModel === 'STANDARD') {
    faults.push(`${path}.preemptible: true contradicts provisioningModel STANDARD`);
  }
  if (!isSpot && !preemptible) return faults;
  const what = isSpot ? 'a spot instance' : 'a preemptible instance';
  if (scheduling.onHostMaintenance !== 'TERMINATE') {
    faults.push(refusal(`${path}.onHostMaintenance`, 'MIGRATE', `TERMINATE, which ${what} needs`));
  }
  if (scheduling.automaticRestart) {
    faults.push(refusal(`${path}.automaticRestart`, true, `false, which ${what} needs`));
  }
  return faults;
}
