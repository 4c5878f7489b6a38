/** Makes a virtual machine in steps: cloned, configured, given its attributes, switched on. */
import { DriverError, type CreateRequest } from '../driver.ts';
import type { MakeCall, Operation } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { tagsFor } from '../frame/tags.ts';
import { childOf, textOf, typeOf, xml, type XmlElement } from './vcenter/xml.ts';
import { refIn, refTo, type Ref } from './vcenter/client.ts';
import { findNetwork, findOne, findPool, folderPath, type Account } from './inventory.ts';
import { attributeKeysIn, devicesOf, type VirtualMachine } from './machine.ts';
import { beginTask } from './vcenter/task.ts';
import { stepKey, nameKey, tags } from './tags.ts';
import { guestSettings } from './user-data.ts';
import { specOf } from './validate.ts';

export interface VsphereCloud {
  account: Account;
  thing: VirtualMachine;
  /** What `extraConfig` of the clone holds. */
  content: Readonly<Record<string, string>>;
}

/**
 * The owner's, which the clone has from its first moment. A template that was made of a machine
 * of ours has such options as well, which the clone would take over.
 */
export const ownerOptions = (request: CreateRequest): Readonly<Record<string, string>> => ({
  [nameKey]: request.machine.name,
  [stepKey]: 'false',
  ...tagsFor({}, request, tags),
});

const option = ([key, value]: [string, string]): XmlElement =>
  xml('extraConfig', [xml('key', key), xml('value', value, { 'xsi:type': 'xsd:string' })], {
    'xsi:type': 'OptionValue',
  });

export const optionsOf = (texts: Readonly<Record<string, string>>): XmlElement[] =>
  Object.entries(texts).map(option);

const change = (operation: 'add' | 'edit' | 'remove', device: XmlElement): XmlElement =>
  xml('deviceChange', [xml('operation', operation), { ...device, name: 'device' }], {
    'xsi:type': 'VirtualDeviceConfigSpec',
  });

/** Without its files, which are of another owner. */
export const removalOf = (disk: XmlElement): XmlElement => change('remove', disk);

export async function clone(
  account: Account,
  { body, signal }: MakeCall<VsphereCloud>,
): Promise<{ operation: Operation }> {
  const { client, spec } = account;
  const { name, content } = body;
  const template = await findOne(account, 'templateVM', signal);
  const { pool, host } = await findPool(account, signal);
  const path = await folderPath(account, signal);
  const folder = await client.find(path, signal);
  if (folder?.type !== 'Folder') {
    throw fault('input', `providerSpec.folder: there is no folder ${path}`, true);
  }
  const network = await findNetwork(account, signal);
  const values = await client.read(template, ['config.hardware.device'], signal);
  const devices = devicesOf({ values: values ?? {} });
  const specification = (datastore?: Ref): XmlElement[] => [
    xml('location', [
      datastore && refTo('datastore', datastore),
      refTo('pool', pool),
      host && refTo('host', host),
      cardChange(devices, network),
    ]),
    xml('template', false),
    xml('config', [
      spec.numCpus ? xml('numCPUs', spec.numCpus) : undefined,
      spec.memory ? xml('memoryMB', spec.memory) : undefined,
      spec.systemDisk && diskChange(devices, spec.systemDisk.size),
      ...optionsOf(content),
    ]),
    xml('powerOn', false),
  ];
  const datastore = spec.datastoreCluster
    ? await recommended(account, { name, template, folder, specification, signal })
    : await findOne(account, 'datastore', signal);
  const operation = await beginTask(client, 'CloneVM_Task', {
    what: `make instance ${name}`,
    of: template,
    args: [refTo('folder', folder), xml('name', name), xml('spec', specification(datastore))],
    signal,
    isCreate: true,
  });
  return { operation };
}

/** The template's first card gets the class's network; without one there is a new card. */
function cardChange(devices: readonly XmlElement[], backing: XmlElement): XmlElement {
  const card = devices.find((device) => childOf(device, 'macAddress'));
  if (!card) {
    const parts = [xml('key', -1), backing, xml('addressType', 'generated')];
    return change('add', xml('device', parts, { 'xsi:type': 'VirtualVmxnet3' }));
  }
  const children = card.children.map((child) => (child.name === 'backing' ? backing : child));
  return change('edit', { ...card, children });
}

function diskChange(devices: readonly XmlElement[], gibibytes: number): XmlElement {
  const disk = devices.find((device) => typeOf(device) === 'VirtualDisk');
  const kibibytes = gibibytes * 1_048_576;
  const given = Number(textOf(disk, 'capacityInKB'));
  if (!disk || given > kibibytes) {
    const cause = disk
      ? `is smaller than the template's ${given / 1_048_576}`
      : 'needs a disk in it';
    throw fault('input', `providerSpec.systemDisk.size: ${gibibytes} GiB ${cause}`, true);
  }
  const sizes = new Map([
    ['capacityInKB', kibibytes],
    ['capacityInBytes', kibibytes * 1_024],
  ]);
  const children = disk.children.map((child) => {
    const size = sizes.get(child.name);
    return size === undefined ? child : { ...child, text: String(size) };
  });
  return change('edit', { ...disk, children });
}

interface Recommendation {
  name: string;
  template: Ref;
  folder: Ref;
  specification: () => XmlElement[];
  signal: AbortSignal;
}

async function recommended(account: Account, asked: Recommendation): Promise<Ref> {
  const { name, template, folder, specification, signal } = asked;
  const pod = await findOne(account, 'datastoreCluster', signal);
  const answer = await account.client.call('RecommendDatastores', {
    what: `choose a datastore for instance ${name}`,
    of: 'storageResourceManager',
    args: [
      xml('storageSpec', [
        xml('type', 'clone'),
        refTo('vm', template),
        xml('podSelectionSpec', [refTo('storagePod', pod)]),
        xml('cloneSpec', specification()),
        xml('cloneName', name),
        refTo('folder', folder),
      ]),
    ],
    signal,
    isCreate: true,
  });
  const datastore = refIn(childOf(answer, 'returnval.recommendations.action.destination'));
  if (datastore) return datastore;
  const { datastoreCluster } = account.spec;
  throw fault(
    'capacity',
    `vSphere: no datastore of ${datastoreCluster} has room for ${name}`,
    true,
  );
}

/** Older hardware cannot have volumes of the CSI driver. */
const hardwareVersion = 15;

/** The next step of one that is there. Undefined: it only has to be waited for. */
export async function nextStep(
  { client, spec }: Account,
  machine: VirtualMachine,
  request: CreateRequest,
): Promise<Operation | undefined> {
  const { signal } = request;
  const { vm, name, isOn, isConfigured, values } = machine;
  const call = { what: `make instance ${name}`, of: vm, signal };
  if (!isConfigured) {
    const args = [xml('spec', configurationOf(machine, request))];
    return await beginTask(client, 'ReconfigVM_Task', { ...call, args });
  }
  if (isOn) return undefined;
  const version = Number(/^vmx-(\d+)$/.exec(values['config.version']?.text ?? '')?.[1]);
  if (version < hardwareVersion) {
    const args = [xml('version', `vmx-${hardwareVersion}`)];
    return await beginTask(client, 'UpgradeVM_Task', { ...call, args });
  }
  for (const [key, value] of Object.entries(spec.tags ?? {})) {
    if (machine.tags[key] === value) continue;
    const id = machine.attributeKeys[key] ?? (await addAttribute({ client, spec }, key, signal));
    const args = [refTo('entity', vm), xml('key', id), xml('value', value)];
    await client.call('SetField', { ...call, of: 'customFieldsManager', args });
  }
  return await beginTask(client, 'PowerOnVM_Task', call);
}

function configurationOf(machine: VirtualMachine, request: CreateRequest): XmlElement[] {
  const spec = specOf(request.providerSpec);
  const { vApp, extraConfig } = guestSettings(machine, request, spec);
  const { guestId, memoryReservationLockedToMax: isLocked } = spec;
  const options = { ...extraConfig, ...spec.extraConfig, [stepKey]: 'true' };
  return [
    ...(guestId ? [xml('guestId', guestId)] : []),
    xml('flags', [xml('diskUuidEnabled', true)]),
    ...optionsOf(options),
    ...(vApp ? [vApp] : []),
    ...(isLocked === undefined ? [] : [xml('memoryReservationLockedToMax', isLocked)]),
  ];
}

/** Another machine may add it at the same time. */
async function addAttribute(
  { client }: Account,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const what = `add attribute ${name}`;
  const args = [xml('name', name), xml('moType', 'VirtualMachine')];
  const call = { what, of: 'customFieldsManager', args, signal };
  try {
    return textOf(await client.call('AddCustomFieldDef', call), 'returnval.key');
  } catch (error) {
    if (!(error instanceof DriverError) || error.code !== 'AlreadyExists') throw error;
    const manager = await client.manager('customFieldsManager', signal);
    const { field } = (await client.read(manager, ['field'], signal)) ?? {};
    const key = attributeKeysIn(field)[name];
    if (key !== undefined) return key;
    throw fault('conflict', error.message);
  }
}
