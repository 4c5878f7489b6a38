/** The driver of `provider: vsphere`: virtual machines, as Gardener's driver makes them. */
import { ClientCache } from '../client-cache.ts';
import type { Driver, Instance, ProviderRequest } from '../driver.ts';
import type { Cloud, Part } from '../frame/cloud.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import { driverOf } from '../frame/driver.ts';
import type { RestDriverLimits } from '../frame/rest-driver.ts';
import { fault } from '../frame/fault.ts';
import { orAbsent } from '../frame/http.ts';
import { childOf, xml } from './vcenter/xml.ts';
import type { DriverSettings } from '../settings.ts';
import { objectSetOf, refIn, VsphereClient, within, type Ref } from './vcenter/client.ts';
import { credentialsOf } from './credentials.ts';
import { folderPath, type Account } from './inventory.ts';
import {
  attachedDisksOf,
  machinesIn,
  selectionOf,
  stateOf,
  type VirtualMachine,
} from './machine.ts';
import { clone, nextStep, removalOf, optionsOf, ownerOptions, type VsphereCloud } from './make.ts';
import { machineControllerRole, searchTagsOf, tags } from './tags.ts';
import { beginTask, readTask } from './vcenter/task.ts';
import { specOf, validateProviderSpec, warningsOf } from './validate.ts';

/** A name is taken once its clone has begun, which may be on its way as long as a call takes. */
const settleSeconds = 60;

export function createVsphereDriver(
  { env, allowsRetagging }: DriverSettings,
  { callTimeoutSeconds = 30, ...waits }: RestDriverLimits = {},
): Driver {
  const clients = new ClientCache<VsphereClient>({ close: (client) => void client.close() });
  const accountOf = async ({ secret, providerSpec }: ProviderRequest): Promise<Account> => {
    const credentials = credentialsOf(secret, env);
    const { url, username, password, isInsecure, ca = '' } = credentials;
    const key = [url.href, username, password, String(isInsecure), ca];
    const make = () => new VsphereClient({ credentials, callTimeoutSeconds, env });
    return { client: clients.get(key, make), spec: specOf(providerSpec) };
  };
  return driverOf(cloudOf(accountOf), { ...waits, allowsRetagging });
}

function cloudOf(account: Cloud<VsphereCloud>['account']): Cloud<VsphereCloud> {
  return {
    title: 'vSphere',
    settleSeconds,
    account,
    parts: [],
    instance,
    uniqueness: { by: 'name' },
    tags,
    // What is still being cloned shows none.
    tagsComeLate: true,
    isOfClass,
    isOfMachineController: ({ isInPlace = false }) => isInPlace,
    instanceOf,
    validate: validateProviderSpec,
    faultsOf: ({ machine: { name } }) =>
      name.length > 80
        ? [`metadata.name: "${name}" is longer than the 80 characters of vSphere`]
        : [],
    async retag({ client }, { thing: { name, vm }, tags: wanted, signal }) {
      const ours = Object.entries(wanted).filter(([key]) => key.startsWith('millwright.'));
      const args = [xml('spec', optionsOf(Object.fromEntries(ours)))];
      const call = { what: `tag instance ${name}`, of: vm, args, signal };
      return await beginTask(client, 'ReconfigVM_Task', call);
    },
    listScope(providerSpec) {
      const { datacenter = '', folder = '' } = specOf(providerSpec);
      return JSON.stringify([datacenter, folder]);
    },
    volumeIds: csiVolumeIds(
      'csi.vsphere.vmware.com',
      ({ vsphereVolume }) => Object(vsphereVolume).volumePath,
    ),
    warnings: warningsOf,
  };
}

const instance: Part<VsphereCloud> = {
  kind: 'instance',
  async read(account, ref, signal) {
    const args = [xml('uuid', ref), xml('vmSearch', true), xml('instanceUuid', false)];
    const call = { what: `find instance ${ref}`, of: 'searchIndex', args, signal };
    const name = /^name:(.*)$/.exec(ref)?.[1];
    if (name !== undefined) return await readNamed(account, name, signal);
    const answer = await account.client.call('FindByUuid', call);
    const machine = await describe(account, refIn(childOf(answer, 'returnval')), signal);
    if (!machine || !standsForPool(account)) return machine;
    const namesake = await readNamed(account, machine.name, signal);
    return namesake?.vm.value === machine.vm.value ? namesake : machine;
  },
  async search(account, { machine: { name }, signal }) {
    const found = await readNamed(account, name, signal);
    return found ? [found] : [];
  },
  async list(account, { signal }) {
    const path = await folderPath(account, signal);
    const folder = await account.client.find(path, signal);
    if (!folder) throw fault('missing', `vSphere: there is no folder ${path} to list`);
    const attributes = await account.client.manager('customFieldsManager', signal);
    const selection = selectionOf(within(folder, 'childEntity'), attributes, true);
    return machinesIn(await account.client.retrieve(selection, { what: `list ${path}`, signal }));
  },
  bodies: ({ request }) => [{ name: request.machine.name, content: ownerOptions(request) }],
  make: clone,
  stateOf,
  advance: nextStep,
  async remove({ client }, machine, signal) {
    const call = { what: `remove instance ${machine.name}`, of: machine.vm, signal };
    if (machine.isOn) return await beginTask(client, 'PowerOffVM_Task', call);
    const disks = attachedDisksOf(machine);
    if (disks.length === 0) return await beginTask(client, 'Destroy_Task', call);
    const args = [xml('spec', disks.map(removalOf))];
    return await beginTask(client, 'ReconfigVM_Task', { ...call, args });
  },
  refOf: (_place, name) => `name:${name}`,
  operation: async ({ client }, { name, signal }) => await readTask(client, name, signal),
  providerIDOf: ({ ref }, { spec: { region = '' } }) => `vsphere://${region}/${ref}`,
  refIn(providerID) {
    const uuid = /^vsphere:\/\/(?:[^/]*\/)?([\da-f-]{36})$/i.exec(providerID)?.[1];
    if (uuid !== undefined) return uuid.toLowerCase();
    const message = `spec.providerID: "${providerID}" is not of the form vsphere://REGION/UUID`;
    throw fault('input', message);
  },
};

async function readNamed(
  account: Account,
  name: string,
  signal: AbortSignal,
): Promise<VirtualMachine | undefined> {
  const path = `${await folderPath(account, signal)}/${name}`;
  const found = await describe(account, await account.client.find(path, signal), signal);
  return found && { ...found, isInPlace: standsForPool(account) };
}

const standsForPool = ({ spec }: Account): boolean =>
  searchTagsOf(spec.tags).role === machineControllerRole;

async function describe(
  { client }: Account,
  vm: Ref | undefined,
  signal: AbortSignal,
): Promise<VirtualMachine | undefined> {
  if (vm?.type !== 'VirtualMachine') return undefined;
  const attributes = await client.manager('customFieldsManager', signal);
  const call = { what: `read ${vm.value}`, signal };
  const found = await orAbsent(client.retrieve(selectionOf(objectSetOf(vm), attributes), call));
  return machinesIn(found ?? [])[0];
}

/** MCM knows its own by the cluster and role in their attributes. */
function isOfClass({ tags: attributes }: VirtualMachine, providerSpec: unknown): boolean {
  const wanted = searchTagsOf(specOf(providerSpec).tags);
  const given = searchTagsOf(attributes);
  const isWhole = wanted.cluster !== undefined && wanted.role !== undefined;
  return isWhole && given.cluster === wanted.cluster && given.role === wanted.role;
}

function instanceOf(machine: VirtualMachine, account: Account): Instance {
  const { name, address } = machine;
  return {
    providerID: instance.providerIDOf(machine, account),
    nodeName: name,
    addresses: [
      ...(address === '' ? [] : [{ type: 'InternalIP', address }]),
      { type: 'Hostname', address: name },
    ],
    isInitialized: true,
  };
}
