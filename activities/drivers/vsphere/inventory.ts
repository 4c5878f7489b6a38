/** Finds what a class names in the inventory, by path or, as Gardener's driver does, by name. */
import { fault } from '../frame/fault.ts';
import { childOf, textOf, xml, type XmlElement } from '../frame/xml.ts';
import { refIn, refTo, within, type Ref, type VSphereClient } from './client.ts';
import type { VsphereProviderSpec } from './provider-spec.ts';

export interface Account {
  client: VSphereClient;
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
  const what = 'find the datacenter';
  const selection = { objects: [within(root, 'childEntity')], paths: { Datacenter: ['name'] } };
  const [only, ...others] = await client.retrieve(selection, { what, signal });
  if (only && others.length === 0) return `/${only.values['name']?.text}`;
  const found = only ? 'several datacenters' : 'no datacenter';
  throw fault('input', `providerSpec.datacenter is missing, and the vCenter has ${found}`, true);
}

/** All things that a field of the class names; a refusal of the class where there is none. */
async function findAll(account: Account, field: Field, signal: AbortSignal): Promise<Ref[]> {
  const { client, spec } = account;
  const name = spec[field] ?? '';
  const { below, types } = places[field];
  const isType = ({ type }: Ref): boolean => types.some((one) => one === type);
  const datacenter = await datacenterPath(account, signal);
  const path = name.startsWith('/') ? name : `${datacenter}/${below}/${name}`;
  const found = await client.find(path, signal);
  if (found && isType(found)) return [found];
  const container = name.includes('/') ? undefined : await client.find(datacenter, signal);
  const named = container ? await findNamed(account, { container, types, name, signal }) : [];
  if (named.length > 0) return named;
  const message = `providerSpec.${field}: "${name}" does not exist: there is no ${types.join(' or ')} at ${path}`;
  throw fault('input', message, true);
}

interface Naming {
  container: Ref;
  types: readonly string[];
  name: string;
  signal: AbortSignal;
}

async function findNamed({ client }: Account, asked: Naming): Promise<Ref[]> {
  const { container, types, name, signal } = asked;
  const what = `find ${name}`;
  const args = [
    refTo('container', container),
    ...types.map((type) => xml('type', type)),
    xml('recursive', true),
  ];
  const answer = await client.call('CreateContainerView', {
    what,
    of: 'viewManager',
    args,
    signal,
  });
  const view = refIn(childOf(answer, 'returnval')) ?? { type: '', value: '' };
  const paths = Object.fromEntries(types.map((type) => [type, ['name']]));
  const all = await client.retrieve({ objects: [within(view, 'view')], paths }, { what, signal });
  await client.call('DestroyView', { what, of: view, signal });
  return all.filter(({ values }) => values['name']?.text === name).map(({ ref }) => ref);
}

export async function findOne(account: Account, field: Field, signal: AbortSignal): Promise<Ref> {
  const [first, ...others] = await findAll(account, field, signal);
  if (first && others.length === 0) return first;
  const message = `providerSpec.${field}: "${account.spec[field]}" names ${others.length + 1} things: give its path, such as /DATACENTER/${places[field].below}/...`;
  throw fault('input', message, true);
}

/** The host goes before the cluster and the cluster before the pool, as in Gardener's driver. */
export async function findPool(
  account: Account,
  signal: AbortSignal,
): Promise<{ pool: Ref | undefined; host?: Ref }> {
  const { client, spec } = account;
  const read = async (ref: Ref, name: string): Promise<Ref | undefined> =>
    refIn((await client.read(ref, [name], { what: `read ${name}`, signal }))?.[name]);
  if (spec.hostSystem) {
    const host = await findOne(account, 'hostSystem', signal);
    const owner = await read(host, 'parent');
    return { pool: owner && (await read(owner, 'resourcePool')), host };
  }
  if (!spec.computeCluster) return { pool: await findOne(account, 'resourcePool', signal) };
  return { pool: await read(await findOne(account, 'computeCluster', signal), 'resourcePool') };
}

/** What a network card of this network is connected to. */
export async function findNetwork(account: Account, signal: AbortSignal): Promise<XmlElement> {
  const { switchUuid = '', network } = account.spec;
  const found = await findAll(account, 'network', signal);
  const backings: XmlElement[] = [];
  for (const ref of found) backings.push(await backingOf(account, ref, signal));
  const isWanted = (one: XmlElement): boolean => textOf(one, 'port.switchUuid') === switchUuid;
  const [only, ...others] = backings.length === 1 ? backings : backings.filter(isWanted);
  if (only && others.length === 0) return only;
  const message = `providerSpec.network: "${network}" names ${found.length} networks: give the switchUuid of the right one, or its path`;
  throw fault('input', message, true);
}

async function backingOf({ client }: Account, ref: Ref, signal: AbortSignal): Promise<XmlElement> {
  const call = { what: 'read the network', signal };
  const backing = (kind: string, content: readonly XmlElement[]): XmlElement =>
    xml('backing', content, { 'xsi:type': `VirtualEthernetCard${kind}BackingInfo` });
  if (ref.type === 'Network') {
    const values = await client.read(ref, ['name'], call);
    return backing('Network', [
      xml('deviceName', values?.['name']?.text ?? ''),
      refTo('network', ref),
    ]);
  }
  if (ref.type === 'OpaqueNetwork') {
    const summary = (await client.read(ref, ['summary'], call))?.['summary'];
    const fields = ['opaqueNetworkId', 'opaqueNetworkType'];
    return backing(
      'OpaqueNetwork',
      fields.map((field) => xml(field, textOf(summary, field))),
    );
  }
  const paths = ['key', 'config.distributedVirtualSwitch'];
  const values = await client.read(ref, paths, call);
  const owner = refIn(values?.['config.distributedVirtualSwitch']);
  const { uuid } = (owner && (await client.read(owner, ['uuid'], call))) ?? {};
  return backing('DistributedVirtualPort', [
    xml('port', [
      xml('switchUuid', uuid?.text ?? ''),
      xml('portgroupKey', values?.['key']?.text ?? ''),
    ]),
  ]);
}
