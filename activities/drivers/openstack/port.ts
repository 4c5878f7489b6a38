/** A server's ports: one for each network, made before it. They are what makes a token unique. */
import { createHash } from 'node:crypto';
import { DriverError } from '../driver.ts';
import type { MachineRequest } from '../driver.ts';
import type { MakeCall, Making, Part, Plan } from '../frame/cloud.ts';

import { orAbsent } from '../frame/http.ts';
import { hasToken, tagsFor } from '../frame/tags.ts';
import { pagesOf, type Account } from './client.ts';
import { partIDOf, partIn } from './provider-id.ts';
import { networksOf, searchKeysOf, securityGroupsOf, specOf } from './spec.ts';
import { ownTexts, tagSpelling, tagsIn } from './tags.ts';
import { idByName, textOf, textsIn, timeOf } from './thing.ts';
import type { Content, OpenStackCloud, Thing } from './thing.ts';

/** A class has hardly more networks; where it has, its ports are found all the same. */
const usualNetworksMax = 8;

export const port: Part<OpenStackCloud> = {
  kind: 'port',
  async read(account, ref, signal) {
    const what = `read port ${ref}`;
    const call = { what, method: 'GET', path: `/ports/${ref}`, signal } as const;
    const answer = await orAbsent(account.send('network', call));
    return answer && viewOf(Object(answer.json)['port']);
  },
  search: searchByNames,
  // Neutron's tags come a call later than the port, so its description is looked at.
  list: async (account, { signal }) => await portsBy(account, 'list ports', { query: '', signal }),
  bodies,
  make,
  stateOf: ({ status }) => ({ is: 'ready', words: status }),
  async remove(account, { ref }, signal) {
    await deletePort(account, ref, signal);
    return 'gone';
  },
  providerIDOf: ({ ref }, { region }) => partIDOf(region, 'port', ref),
  refIn: (providerID) => partIn('port', providerID),
};

/** The first has the name of its Machine, as MCM's has; no Machine's name has an underscore. */
const portName = (machine: string, index: number): string =>
  index === 0 ? machine : `${machine}_${index}`;

function viewOf(raw: unknown): Thing {
  const it: Record<string, unknown> = Object(raw);
  const name = String(it['name']);
  // Ours stand in the description, which the create takes.
  const own = textOf(it['description']).split(' ').filter(Boolean);
  return {
    ref: String(it['id']),
    name,
    machineName: name.replace(/_\d+$/, ''),
    tags: { ...tagsIn(textsIn(it['tags'])), ...tagsIn(own) },
    createdAt: timeOf(it['created_at']),
    status: String(it['status']),
    raw: it,
  };
}

interface PortQuery {
  query: string;
  signal: AbortSignal;
}

async function portsBy(
  account: Account,
  what: string,
  { query, signal }: PortQuery,
): Promise<Thing[]> {
  const call = { what, path: `/ports${query}`, key: 'ports', signal };
  return (await pagesOf(account, 'network', call)).map(viewOf);
}

async function searchByNames(
  account: Account,
  { machine, providerSpec, signal }: MachineRequest,
): Promise<Thing[]> {
  const { networks } = Object(specOf(providerSpec));
  const count = Math.max(usualNetworksMax, textsIn(networks).length);
  const names = Array.from({ length: count }, (_, index) => portName(machine.name, index));
  const query = `?${names.map((name) => `name=${encodeURIComponent(name)}`).join('&')}`;
  const found = await portsBy(account, `look for ports of ${machine.name}`, { query, signal });
  return found.toSorted(byAge);
}

/** The same one for all that see the same. */
function byAge(a: Thing, b: Thing): number {
  const difference = (a.createdAt ?? 0) - (b.createdAt ?? 0);
  return difference === 0 ? (a.ref < b.ref ? -1 : 1) : difference;
}

function bodies({ request }: Plan<OpenStackCloud>): { name: string; content: Content }[] {
  const spec = specOf(request.providerSpec);
  const securityGroups = securityGroupsOf(spec);
  const own = ownTexts(tagsFor({}, request, tagSpelling));
  const tags = [...(searchKeysOf(request.providerSpec) ?? []), ...own];
  return networksOf(spec).map((network, index) => {
    const name = portName(request.machine.name, index);
    const body = {
      name,
      description: own.join(' '),
      mac_address: macAddressOf(request.token, index),
      ...(network.id !== undefined && { network_id: network.id }),
      ...(network.subnets.length > 0 && {
        fixed_ips: network.subnets.map((id) => ({ subnet_id: id })),
      }),
      ...(network.podRanges.length > 0 && {
        allowed_address_pairs: network.podRanges.map((range) => ({ ip_address: range })),
      }),
    };
    const named = network.name === undefined ? {} : { networkName: network.name };
    return { name, content: { body, securityGroups, tags, ...named } };
  });
}

/** Locally administered, and none that libvirt refuses. */
export function macAddressOf(token: string, index: number): string {
  const digest = createHash('sha256').update(`${token} ${index}`).digest('hex');
  return `fa${digest.slice(0, 10)}`.replaceAll(/..(?=.)/g, '$&:');
}

/** What a create sends, with ids for names. */
async function portOf(
  account: Account,
  { content }: { content: Content },
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { body, networkName: name, securityGroups = [] } = content;
  const filled = { ...body };
  if (name !== undefined) {
    const path = `/networks?name=${encodeURIComponent(name)}`;
    const lookup = { service: 'network', key: 'networks', path, kind: 'network', name } as const;
    filled['network_id'] = await idByName(account, { ...lookup, signal });
  }
  if (securityGroups.length === 0) return filled;
  const ids = await Promise.all(
    securityGroups.map(async (group) => {
      const path = `/security-groups?name=${encodeURIComponent(group)}`;
      const lookup = { service: 'network', key: 'security_groups', path, name: group } as const;
      return await idByName(account, { ...lookup, kind: 'security group', signal });
    }),
  );
  return { ...filled, security_groups: ids };
}

async function make(
  account: Account,
  { body, token, signal }: MakeCall<OpenStackCloud>,
): Promise<Making<OpenStackCloud>> {
  const wanted = await portOf(account, body, signal);
  const made = await madeOnce(account, { name: body.name, wanted, token, signal });
  if (made.isFound) return made;
  await account.send('network', {
    what: `tag port ${body.name}`,
    method: 'PUT',
    path: `/ports/${made.thing.ref}/tags`,
    body: { tags: body.content.tags ?? [] },
    signal,
  });
  return made;
}

interface Wanted {
  name: string;
  wanted: Record<string, unknown>;
  token: string;
  signal: AbortSignal;
}

type Made = Extract<Making<OpenStackCloud>, { thing: unknown }>;

async function madeOnce(account: Account, call: Wanted): Promise<Made> {
  try {
    return { thing: await post(account, call) };
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    if (error.code === 'AlreadyExists') return await takenBy(account, call, error);
    // Neutron lets only the project that owns the network choose a MAC address.
    if (error.code === 'PermissionDenied') return await madeUnguarded(account, call);
    throw error;
  }
}

async function post(account: Account, { name, wanted, signal }: Wanted): Promise<Thing> {
  const answer = await account.send('network', {
    what: `create port ${name}`,
    method: 'POST',
    path: '/ports',
    body: { port: wanted },
    signal,
    isCreate: true,
  });
  return viewOf(Object(answer.json)['port']);
}

/** A port with the MAC address of this token: another call of this attempt has made it. */
async function takenBy(account: Account, call: Wanted, error: DriverError): Promise<Made> {
  const { wanted, token, signal } = call;
  const network = encodeURIComponent(String(wanted['network_id']));
  const query = `?network_id=${network}&mac_address=${String(wanted['mac_address'])}`;
  const [thing] = await portsBy(account, `look for port ${call.name}`, { query, signal });
  if (thing && hasToken(thing, token, tagSpelling)) return { thing, isFound: true };
  throw error;
}

/** Of two that are made at once the older one stays. */
async function madeUnguarded(account: Account, call: Wanted): Promise<Made> {
  const { mac_address: _, ...wanted } = call.wanted;
  const made = await post(account, { ...call, wanted });
  const query = `?name=${encodeURIComponent(call.name)}`;
  const { token, signal } = call;
  const all = await portsBy(account, `look for ports ${call.name}`, { query, signal });
  const own = all.filter((thing) => hasToken(thing, token, tagSpelling)).toSorted(byAge);
  const [first] = own;
  if (!first || first.ref === made.ref) return { thing: made };
  await deletePort(account, made.ref, call.signal);
  return { thing: first, isFound: true };
}

async function deletePort(account: Account, ref: string, signal: AbortSignal): Promise<void> {
  const what = `delete port ${ref}`;
  const call = { what, method: 'DELETE', path: `/ports/${ref}`, signal } as const;
  await orAbsent(account.send('network', call));
}

/**
 * Those that were made for this server, whoever owns it by its tags: once it is gone nothing leads
 * to them.
 */
export async function removePortsOf(
  account: Account,
  server: Thing,
  signal: AbortSignal,
): Promise<void> {
  const query = `?device_id=${server.ref}`;
  const found = await portsBy(account, `look for ports of ${server.name}`, { query, signal });
  const made = found.filter(({ machineName }) => machineName === server.name);
  await Promise.all(made.map(async ({ ref }) => await deletePort(account, ref, signal)));
}
