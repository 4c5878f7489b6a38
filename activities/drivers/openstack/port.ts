/** A server's ports: one for each network, made before it. They are what makes a token unique. */
import { createHash } from 'node:crypto';
import { DriverError, type MachineRequest } from '../driver.ts';
import type { Body, MakeCall, Making, Part, Plan } from '../frame/cloud.ts';
import { orAbsent } from '../frame/http.ts';
import { hasToken, tagsFor } from '../frame/tags.ts';
import type { Account } from './client.ts';
import { partIDOf, partIn } from './provider-id.ts';
import { networksOf, searchKeysOf, securityGroupsOf, specOf } from './spec.ts';
import { ownTexts, tagSpelling } from './tags.ts';
import {
  callsOf,
  idOf,
  textOf,
  resourceOf,
  type Content,
  type OpenStackCloud,
  type StackResource,
} from './resource.ts';

const ports = callsOf('port', 'network');
const floatingIPs = callsOf('floatingip', 'network');

export const port: Part<OpenStackCloud> = {
  kind: 'port',
  read: ports.read,
  search,
  // Neutron's tags come a call later than the port, so its description decides.
  list: (account, { signal }) => ports.all(account, '', signal),
  bodies,
  make,
  stateOf: ({ status }) => ({ is: 'ready', words: status }),
  async remove(account, { ref }, signal) {
    await removePort(account, ref, signal);
    return 'gone';
  },
  providerIDOf: ({ ref }, { region }) => partIDOf(region, 'port', ref),
  refIn: (providerID) => partIn('port', providerID),
};

/** The first has the name of its Machine, as MCM's has; no Machine's name has an underscore. */
const portName = (machine: string, index: number): string =>
  index === 0 ? machine : `${machine}_${index}`;

/** Of a class that has become unreadable, or has other networks by now. */
const usualNetworksMax = 8;

async function search(
  account: Account,
  { machine, providerSpec, signal }: MachineRequest,
): Promise<StackResource[]> {
  const { networks } = Object(specOf(providerSpec));
  const length = Math.max(usualNetworksMax, Array.isArray(networks) ? networks.length : 0);
  const names = Array.from({ length }, (_, index) => portName(machine.name, index));
  const query = names.map((name) => `name=${encodeURIComponent(name)}`).join('&');
  const found = await ports.all(account, `?${query}`, signal);
  return found.filter(({ name }) => names.includes(name)).toSorted(byAge);
}

/** The same one for all that see the same. */
export function byAge(a: StackResource, b: StackResource): number {
  const difference = (a.createdAt ?? 0) - (b.createdAt ?? 0);
  return difference === 0 ? a.ref.localeCompare(b.ref) : difference;
}

function bodies({ request }: Plan<OpenStackCloud>): Body<Content>[] {
  const spec = specOf(request.providerSpec);
  const securityGroups = securityGroupsOf(spec);
  const own = ownTexts(tagsFor({}, request, tagSpelling));
  const tags = [...(searchKeysOf(request.providerSpec) ?? []), ...own];
  return networksOf(spec).map(({ id, name: networkName, subnets, podRanges }, index) => {
    const name = portName(request.machine.name, index);
    const body = {
      name,
      // Which the create takes, unlike tags.
      description: own.join(' '),
      mac_address: macAddressOf(request.token, index),
      ...(id && { network_id: id }),
      ...(subnets.length > 0 && { fixed_ips: subnets.map((subnet) => ({ subnet_id: subnet })) }),
      ...(podRanges.length > 0 && {
        allowed_address_pairs: podRanges.map((range) => ({ ip_address: range })),
      }),
    };
    return { name, content: { body, securityGroups, tags, ...(networkName && { networkName }) } };
  });
}

/** Locally administered, and none that libvirt refuses. */
export function macAddressOf(token: string, index: number): string {
  const digest = createHash('sha256').update(`${token} ${index}`).digest('hex');
  return `fa${digest.slice(0, 10)}`.replaceAll(/..(?=.)/g, '$&:');
}

async function make(
  account: Account,
  { body: { content }, token, signal }: MakeCall<OpenStackCloud>,
): Promise<Making<OpenStackCloud>> {
  const made = await madeOnce({
    account,
    token,
    signal,
    wanted: await withIds(account, content, signal),
  });
  if (made.isFound) return made;
  const body = { tags: content.tags ?? [] };
  await ports.change(account, { ref: made.thing.ref, method: 'PUT', at: '/tags', body, signal });
  return made;
}

async function withIds(
  account: Account,
  { body, networkName, securityGroups = [] }: Content,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const groups = await Promise.all(
    securityGroups.map((name) => idOf(account, 'security group', { name, signal })),
  );
  return {
    ...body,
    ...(networkName && {
      network_id: await idOf(account, 'network', { name: networkName, signal }),
    }),
    ...(groups.length > 0 && { security_groups: groups }),
  };
}

interface PortRequest {
  account: Account;
  wanted: Record<string, unknown>;
  token: string;
  signal: AbortSignal;
}

type Made = Extract<Making<OpenStackCloud>, { thing: unknown }>;

async function madeOnce(asked: PortRequest): Promise<Made> {
  const { account, wanted, signal } = asked;
  try {
    return { thing: resourceOf(await ports.create(account, { port: wanted }, signal)) };
  } catch (error) {
    const { code } = error instanceof DriverError ? error : {};
    // Neutron lets only the project that owns the network choose a MAC address.
    if (code === 'PermissionDenied') return await madeUnguarded(asked);
    const { network_id: network, mac_address: mac } = wanted;
    const query = `?network_id=${textOf(network)}&mac_address=${textOf(mac)}`;
    const [thing] = code === 'AlreadyExists' ? await ownBy(asked, query) : [];
    // Another call of this attempt has made it.
    if (thing) return { thing, isFound: true };
    throw error;
  }
}

async function ownBy(asked: PortRequest, query: string): Promise<StackResource[]> {
  const { account, wanted, token, signal } = asked;
  const found = await ports.all(account, query, signal);
  const namesakes = found.filter(({ name }) => name === wanted['name']);
  return namesakes.filter((thing) => hasToken(thing, token, tagSpelling)).toSorted(byAge);
}

/** Of two that are made at once the older one stays. */
async function madeUnguarded(asked: PortRequest): Promise<Made> {
  const { account, signal } = asked;
  const { mac_address: _, ...wanted } = asked.wanted;
  const thing = resourceOf(await ports.create(account, { port: wanted }, signal));
  const [first] = await ownBy(asked, `?name=${encodeURIComponent(thing.name)}`);
  if (!first || first.ref === thing.ref) return { thing };
  await ports.remove(account, thing.ref, signal);
  return { thing: first, isFound: true };
}

/** Those of a server get the tags of this control cluster. */
export async function takePortsOver(
  account: Account,
  server: StackResource,
  signal: AbortSignal,
): Promise<void> {
  const found = await ports.all(account, `?device_id=${server.ref}`, signal);
  for (const { ref, tags, machineName, raw } of found) {
    if (machineName !== server.name || raw['device_id'] !== server.ref) continue;
    const description = ownTexts({ ...tags, [tagSpelling.names.cluster]: account.cluster });
    const body = { port: { description: description.join(' ') } };
    await ports.change(account, { ref, method: 'PUT', at: '', body, signal });
  }
}

/** With floating IPs that are tagged as the cluster's: others that are attached stay. */
async function removePort(account: Account, ref: string, signal: AbortSignal): Promise<void> {
  const attached = await orAbsent(floatingIPs.all(account, `?port_id=${ref}`, signal));
  for (const { ref: id, tags, raw } of attached ?? []) {
    const isOurs = /^millwright-|kubernetes\.io-cluster-/m.test(Object.keys(tags).join('\n'));
    if (isOurs && raw['port_id'] === ref) await floatingIPs.remove(account, id, signal);
  }
  await ports.remove(account, ref, signal);
}
