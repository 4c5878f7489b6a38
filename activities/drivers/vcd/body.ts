/** What is sent to make a machine, in its steps. */
import type { CreateRequest } from '../driver.ts';
import { base64UserData } from '../user-data-bytes.ts';
import type { Section, VappAnswer, VmAnswer } from './client.ts';
import type { VcdProviderSpec } from './provider-spec.ts';

export interface Wanted {
  spec: VcdProviderSpec;
  description: string;
}

interface Sources {
  name: string;
  vapp: VappAnswer;
  /** Paths. */
  template: string;
  storageProfile: string | undefined;
}

/** `RecomposeVAppParamsType`: a copy of the template's machine. */
export function recomposition(
  { description, spec: { networks, ipAllocationMode = 'DHCP' } }: Wanted,
  { name, vapp, template, storageProfile }: Sources,
): object {
  const networkConnection = networks.map((network, index) => ({
    network,
    networkConnectionIndex: index,
    isConnected: true,
    ipAddressAllocationMode: ipAllocationMode,
    networkAdapterType: 'VMXNET3',
  }));
  return {
    // Without them the vApp would lose its own.
    name: vapp.name,
    ...(vapp.description !== undefined && { description: vapp.description }),
    deploy: false,
    powerOn: false,
    sourcedItem: [
      {
        source: { href: template },
        vmGeneralParams: { name, description },
        instantiationParams: {
          section: [{ _type: 'NetworkConnectionSectionType', networkConnection }],
        },
        ...(storageProfile !== undefined && { storageProfile: { href: storageProfile } }),
      },
    ],
    allEULAsAccepted: true,
  };
}

/** `ProductSectionListType`: cloud-init and Ignition read it. */
export function productSections(request: CreateRequest, instanceId: string): object {
  const data = base64UserData(request);
  const isIgnition = request.userData.trimStart().startsWith('{');
  const properties: Record<string, string> = {
    'disk.enableUUID': '1',
    'instance-id': instanceId,
    ...(isIgnition
      ? {
          'guestinfo.ignition.config.data': data,
          'guestinfo.ignition.config.data.encoding': 'base64',
        }
      : { 'user-data': data }),
  };
  const categoryOrProperty = Object.entries(properties).map(([key, value]) => ({
    _type: 'ProductSectionProperty',
    key,
    value,
  }));
  return { productSection: [{ categoryOrProperty }] };
}

/** A template may have product sections of its own. */
export function hasProductSections({ section = [] }: VmAnswer, instanceId: string): boolean {
  const own = section.filter(({ _type }) => _type === 'ProductSectionType');
  return JSON.stringify(own).includes(JSON.stringify(instanceId));
}

/** `VmType`: size, disks and host name, all else as it is. */
export function reconfiguration(
  { name, section = [] }: VmAnswer,
  { description, spec }: Wanted,
): object {
  const { diskSection, ...size } = sectionOf(section, 'VmSpecSectionType');
  const disks = disksOf(diskSection, spec);
  return {
    name,
    description,
    section: [
      {
        ...size,
        numCpus: spec.cpus,
        numCoresPerSocket: spec.cpuCores,
        memoryResourceMb: { ...Object(size['memoryResourceMb']), configured: spec.memoryMB },
        modified: true,
        ...(disks && { diskSection: { diskSettings: disks } }),
      },
      { ...sectionOf(section, 'GuestCustomizationSectionType'), computerName: name },
    ],
  };
}

export function sectionOf(sections: readonly Section[], type: string): Section {
  return sections.find(({ _type }) => _type === type) ?? { _type: type };
}

/** Undefined where the class says nothing of them: what is sent as it is counts as a change. */
function disksOf(section: unknown, { diskSizeGB }: VcdProviderSpec): object[] | undefined {
  const { diskSettings }: Record<string, unknown> = Object(section);
  if (!Array.isArray(diskSettings) || diskSizeGB === undefined) return undefined;
  return diskSettings.map((settings, index): object => {
    const disk: Record<string, unknown> = Object(settings);
    return index === 0 ? { ...disk, sizeMb: diskSizeGB * 1_024 } : disk;
  });
}
