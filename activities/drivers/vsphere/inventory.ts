/** Finds what a class names in the inventory, by path or, as Gardener's driver does, by name. */
import { fault } from '../frame/fault.ts';
import type { VsphereProviderSpec } from './provider-spec.ts';
import { refIn, refTo, within, type Ref, type VsphereClient } from './vcenter/client.ts';
import { textOf, xml, type XmlElement } from './vcenter/xml.ts';

export interface Account {
  client: VsphereClient;
  /** Unchecked where nothing is made. */
  spec: Partial<VsphereProviderSpec>;
}

/** Below which folder of the datacenter, and of which types. */
const places = {
  templateVM: { below: 'vm', types: ['VirtualMachine'] },
  datastore: { below: 'datastore', types: ['Datastore'] },
  datastoreCluster: { below: 'datastore', types: ['StoragePod'] },
  computeCluster: { below: 'host', types: ['ClusterComputeResource', 'ComputeResource'] },
  hostSystem: { below: 'host', types: ['HostSystem'] },
  resourcePool: { below: 'host', types: ['ResourcePool', 'VirtualApp'] },
  network: { below: 'network', types: ['Network', 'DistributedVirtualPortgroup', 'OpaqueNetwork'] },
} as const;

type Field = keyof typeof places;

/** Where machines are made. */
export async function folderPath(account: Account, signal: AbortSignal): Promise<string> {
  const { folder = '' } = account.spec;
  if (folder.startsWith('/')) return folder;
  const root = `${await datacenterPath(account, signal)}/vm`;
  return folder === '' ? root : `${root}/${folder}`;
}

async function datacenterPath({ client, spec }: Account, signal: AbortSignal): Promise<string> {
  if (spec.datacenter) return `/${spec.datacenter}`;
  const root = await client.manager('rootFolder', signal);
  const selection = { objects: [within(root, 'childEntity')], paths: { Datacenter: ['name'] } };
  const call = { what: 'find the datacenter', signal };
  const [only, ...others] = await client.retrieve(selection, call);
  if (only && others.length === 0) return `/${only.values['name']?.text}`;
  const found = only ? 'several datacenters' : 'no datacenter';
  throw fault('input', `providerSpec.datacenter is missing, and the vCenter has ${found}`, true);
}

/** All things that a field of the class names; a fault of the class where there is none. */
async function findAll(account: Account, field: Field, signal: AbortSignal): Promise<Ref[]> {
  const { client, spec } = account;
  const name = spec[field] ?? '';
  const { below, types } = places[field];
  const datacenter = await datacenterPath(account, signal);
  const path = name.startsWith('/') ? name : `${datacenter}/${below}/${name}`;
  const found = await client.find(path, signal);
  if (found && types.some((type) => type === found.type)) return [found];
  const container = name.includes('/') ? undefined : await client.find(datacenter, signal);
  const all = container ? await client.view(container, types, signal) : [];
  const named = all.filter(({ values }) => values['name']?.text === name);
  if (named.length > 0) return named.map(({ ref }) => ref);
  const message = `providerSpec.${field}: "${name}" does not exist: there is no ${types.join(' or ')} at ${path}`;
  throw fault('input', message, true);
}

export async function findOne(account: Account, field: Field, signal: AbortSignal): Promise<Ref> {
  const found = await findAll(account, field, signal);
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  const message = `providerSpec.${field}: "${account.spec[field]}" names ${found.length} things: give its path, such as /DATACENTER/${places[field].below}/...`;
  throw fault('input', message, true);
}

/** The host goes before the cluster and the cluster before the pool, as in Gardener's driver. */
export async function findPool(
  account: Account,
  signal: AbortSignal,
): Promise<{ pool: Ref; host?: Ref }> {
  const { client, spec } = account;
  const field = spec.hostSystem ? 'hostSystem' : 'computeCluster';
  if (!spec[field]) return { pool: await findOne(account, 'resourcePool', signal) };
  const read = async (ref: Ref | undefined, name: string): Promise<Ref | undefined> =>
    ref && refIn((await client.read(ref, [name], signal))?.[name]);
  const found = await findOne(account, field, signal);
  const owner = spec.hostSystem ? await read(found, 'parent') : found;
  const pool = await read(owner, 'resourcePool');
  if (!pool) throw fault('input', `providerSpec.${field}: it has no resource pool`, true);
  return { pool, ...(spec.hostSystem && { host: found }) };
}

/** What a network card of this network is connected to. */
export async function findNetwork(account: Account, signal: AbortSignal): Promise<XmlElement> {
  const { switchUuid = '', network } = account.spec;
  const backings: XmlElement[] = [];
  for (const ref of await findAll(account, 'network', signal)) {
    backings.push(await backingOf(account, ref, signal));
  }
  const isWanted = (one: XmlElement): boolean => textOf(one, 'port.switchUuid') === switchUuid;
  const [only, ...others] = backings.length === 1 ? backings : backings.filter(isWanted);
  if (only && others.length === 0) return only;
  const message = `providerSpec.network: "${network}" names ${backings.length} networks: give the switchUuid of the right one, or its path`;
  throw fault('input', message, true);
}

async function backingOf({ client }: Account, ref: Ref, signal: AbortSignal): Promise<XmlElement> {
  const read = async (of: Ref, ...paths: string[]): Promise<Readonly<Record<string, XmlElement>>> =>
    (await client.read(of, paths, signal)) ?? {};
  if (ref.type === 'Network') {
    const { name } = await read(ref, 'name');
    return backing('Network', [xml('deviceName', name?.text ?? ''), refTo('network', ref)]);
  }
  if (ref.type === 'OpaqueNetwork') {
    const { summary } = await read(ref, 'summary');
    const fields = ['opaqueNetworkId', 'opaqueNetworkType'];
    const content = fields.map((field) => xml(field, textOf(summary, field)));
    return backing('OpaqueNetwork', content);
  }
  const { key, ...more } = await read(ref, 'key', 'config.distributedVirtualSwitch');
  const owner = refIn(more['config.distributedVirtualSwitch']);
  const { uuid } = owner ? await read(owner, 'uuid') : {};
  const port = [xml('switchUuid', uuid?.text ?? ''), xml('portgroupKey', key?.text ?? '')];
  return backing('DistributedVirtualPort', [xml('port', port)]);
}

const backing = (kind: string, content: readonly XmlElement[]): XmlElement =>
  xml('backing', content, { 'xsi:type': `VirtualEthernetCard${kind}BackingInfo` });
