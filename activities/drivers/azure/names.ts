/**
 * Names of what belongs to a Machine, as Gardener's Azure driver gives them: they are its identity
 * in Azure.
 */
import { tagNames, tagOf, type Tags } from './tags.ts';

export const nicNameOf = (machineName: string): string => `${machineName}-nic`;
export const osDiskNameOf = (machineName: string): string => `${machineName}-os-disk`;

interface NamedDisk {
  name?: string;
  lun: number;
}

/** Azure's limit. */
const longestDiskName = 80;

/** Of a name that Azure would refuse, the disk's own part is cut: its number is its own. */
export function dataDiskNameOf(machineName: string, disk: NamedDisk): string {
  const tooMany = `${machineName}${dataDiskSuffix(disk)}`.length - longestDiskName;
  if (!disk.name || tooMany <= 0) return `${machineName}${dataDiskSuffix(disk)}`;
  return `${machineName}${dataDiskSuffix({ ...disk, name: disk.name.slice(0, -tooMany) })}`;
}

function dataDiskSuffix({ name, lun }: NamedDisk): string {
  return `${name ? `-${name}` : ''}-${lun}-data-disk`;
}

export interface FoundResource {
  /** As `Microsoft.Compute/disks`. */
  type: string;
  name: string;
  tags: Tags;
  /** ARM id of the virtual machine that a disk is attached to. */
  managedBy?: string;
  /** Milliseconds. */
  createdAt?: number;
}

/** Lower-case, as the names of Machines are. Nothing: the driver gives no such name. */
export function machineNameOf(
  resource: FoundResource,
  dataDisks: NamedDisk[] = [],
): string | undefined {
  const name = resource.name.toLowerCase();
  switch (resource.type.toLowerCase()) {
    case 'microsoft.compute/virtualmachines':
      return name;
    case 'microsoft.network/networkinterfaces':
      return withoutSuffix(name, '-nic');
    case 'microsoft.compute/disks':
      return withoutSuffix(name, '-os-disk') ?? machineOfDataDisk(resource, dataDisks);
    default:
      return undefined;
  }
}

/** The name alone does not say where that of the machine ends. */
function machineOfDataDisk(resource: FoundResource, dataDisks: NamedDisk[]): string | undefined {
  const name = resource.name.toLowerCase();
  if (!/-\d+-data-disk$/.test(name)) return undefined;
  const known = tagOf(resource.tags, tagNames.machine) ?? resource.managedBy?.split('/').at(-1);
  if (known) return known.toLowerCase();
  const disks = name.length < longestDiskName ? dataDisks : dataDisks.flatMap(cutVariants);
  const longestFirst = disks.map(dataDiskSuffix).toSorted((a, b) => b.length - a.length);
  const ofClass = longestFirst.map((suffix) => withoutSuffix(name, suffix.toLowerCase()));
  return ofClass.find((found) => found !== undefined) ?? name.replace(/-\d+-data-disk$/, '');
}

/** What may be left of the disk's own part of its name. */
function cutVariants({ name = '', lun }: NamedDisk): NamedDisk[] {
  return Array.from({ length: name.length }, (_, end) => ({ name: name.slice(0, end + 1), lun }));
}

function withoutSuffix(name: string, suffix: string): string | undefined {
  return name.endsWith(suffix) && name.length > suffix.length
    ? name.slice(0, -suffix.length)
    : undefined;
}
