/** A virtual machine as a vCenter shows it. */
import { nowMs } from '../../system/system.ts';
import type { Resource, State } from '../frame/cloud.ts';
import { allIn, textOf, typeOf, type XmlElement } from './vcenter/xml.ts';
import { objectSetOf, type FoundObject, type Ref, type Selection } from './vcenter/client.ts';
import { stepKey, nameKey, tags } from './tags.ts';

export interface VirtualMachine extends Resource {
  vm: Ref;
  values: FoundObject['values'];
  /** Of the vCenter's custom attributes, the key of each by its name. */
  attributeKeys: Readonly<Record<string, string>>;
  isOn: boolean;
  isConfigured: boolean;
  /**
   * It has its name in the folder of its class, by which machine-controller knows its own, and the
   * class stands for a pool of machine-controller. Default false.
   */
  isInPlace?: boolean;
  address: string;
}

const listed =
  'name customValue runtime.powerState runtime.connectionState config.uuid config.createDate config.extraConfig'.split(
    ' ',
  );
const described =
  'guest.ipAddress config.guestId config.version config.files.vmPathName config.hardware.device config.vAppConfig'.split(
    ' ',
  );

/** With the names of custom attributes, which one manager has for all. */
export function selectionOf(object: XmlElement, attributes: Ref, isList = false): Selection {
  const paths = isList ? listed : [...listed, ...described];
  return {
    objects: [object, objectSetOf(attributes)],
    paths: { VirtualMachine: paths, CustomFieldsManager: ['field'] },
  };
}

export function machinesIn(found: readonly FoundObject[]): VirtualMachine[] {
  const attributeKeys = attributeKeysIn(
    found.find(({ values: { field } }) => field)?.values['field'],
  );
  const machines = found.filter(({ ref }) => ref.type === 'VirtualMachine');
  return machines.map((machine) => viewOf(machine, attributeKeys));
}

/** Of the property `field`: the key of each by its name. */
export function attributeKeysIn(field: XmlElement | undefined): Record<string, string> {
  const definitions = allIn(field, 'CustomFieldDef').filter((one) =>
    ['', 'VirtualMachine'].includes(textOf(one, 'managedObjectType')),
  );
  return Object.fromEntries(definitions.map((one) => [textOf(one, 'name'), textOf(one, 'key')]));
}

function viewOf(
  { ref: vm, values }: FoundObject,
  attributeKeys: Readonly<Record<string, string>>,
): VirtualMachine {
  const text = (path: string): string => values[path]?.text ?? '';
  const options = allIn(values['config.extraConfig'], 'OptionValue');
  const extra = new Map(options.map((one) => [textOf(one, 'key'), textOf(one, 'value')]));
  const given = allIn(values['customValue'], 'CustomFieldValue');
  const attributes = new Map(given.map((one) => [textOf(one, 'key'), textOf(one, 'value')]));
  const name = text('name');
  const isOurs = extra.get(nameKey) === name;
  const ours = Object.values(tags.names).map((key) => [key, isOurs ? extra.get(key) : undefined]);
  const ofClass = Object.entries(attributeKeys).map(([key, id]) => [key, attributes.get(id)]);
  // While it is cloned it has a name, and nothing is known of it yet.
  const isYoung = !values['config.uuid'] && text('runtime.connectionState') === 'connected';
  return {
    ref: text('config.uuid') || `being-cloned:${vm.value}`,
    name,
    tags: Object.fromEntries([...ofClass, ...ours].filter(([, value]) => value !== undefined)),
    createdAt: isYoung ? nowMs() : Date.parse(text('config.createDate')) || undefined,
    vm,
    values,
    attributeKeys,
    isOn: text('runtime.powerState') === 'poweredOn',
    isConfigured: !isOurs || extra.get(stepKey) === 'true',
    address: text('guest.ipAddress'),
  };
}

/** One that MCM made is as it is; ours is coming until it has been switched on. */
export function stateOf({
  isOn,
  isConfigured,
  tags: { [tags.names.token]: token },
  values,
}: VirtualMachine): State {
  const words = values['runtime.powerState']?.text ?? 'unknown';
  const isReady = token === undefined || (isOn && isConfigured);
  return { is: isReady ? 'ready' : 'coming', words };
}

export const devicesOf = ({ values }: Pick<VirtualMachine, 'values'>): XmlElement[] =>
  allIn(values['config.hardware.device'], 'VirtualDevice');

/**
 * Disks that were attached later, as those of PersistentVolumes: they lie in another folder than
 * the machine, or have an identity of their own. They would be deleted with it.
 */
export function attachedDisksOf(machine: VirtualMachine): XmlElement[] {
  const own = folderOf(machine.values['config.files.vmPathName']?.text ?? '');
  return devicesOf(machine).filter((device) => {
    if (typeOf(device) !== 'VirtualDisk') return false;
    return (
      textOf(device, 'vDiskId.id') !== '' || folderOf(textOf(device, 'backing.fileName')) !== own
    );
  });
}

/** Of `[datastore] folder/file`: disks of one machine may lie on several datastores. */
const folderOf = (path: string): string =>
  path.replace(/^\[[^\]]*\]\s*/, '').replace(/\/[^/]*$/, '');
