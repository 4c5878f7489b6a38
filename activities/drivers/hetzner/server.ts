/** A server of Hetzner: how it is found and made, and how the frame sees it. */
import type { CreateRequest, Instance, ListRequest } from '../driver.ts';
import type { MakeCall, Making, Operation, Part, Resource } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { orAbsent, type RestClient } from '../frame/http.ts';
import { ownerTags, tagsFor } from '../frame/tags.ts';
import { listThings, readThing, thingIn, title } from './client.ts';
import type { Action, FloatingIp, HetznerServer } from './client.ts';
import { failureOf, stateOf } from './errors.ts';
import { classLabels, clusterLabel, labelSpelling, locationOf } from './labels.ts';
import { poolLabel, roleLabel, selectorOf, zoneLabel } from './labels.ts';
import type { HetznerProviderSpec } from './provider-spec.ts';
import { specOf } from './validate.ts';

export interface HetznerThing extends Resource {
  server?: HetznerServer;
}

interface ServerBody {
  /** As the API takes them, but for what it takes by IDs only: `spec` has it by name. */
  fields: Readonly<Record<string, unknown>>;
  spec: HetznerProviderSpec;
}

export interface HetznerCloud {
  account: RestClient;
  thing: HetznerThing;
  content: ServerBody;
}

/** Of a server or a floating IP. */
export function resourceOf({ id, name, labels, created }: HetznerServer | FloatingIp): Resource {
  return { ref: String(id), name, tags: labels, createdAt: Date.parse(created) };
}

export const viewOf = (server: HetznerServer): HetznerThing => ({ ...resourceOf(server), server });

export const serverPart: Part<HetznerCloud> = {
  kind: 'server',
  async read(account, ref, signal) {
    const found = await readThing(account, { kind: 'server', ref, signal });
    return found && viewOf(found);
  },
  async search(account, { machine: { name }, signal }) {
    const asked = { of: 'servers', queries: [{ name }] };
    return (await listThings<HetznerServer>(account, asked, signal)).map(viewOf);
  },
  list: async (account, request) =>
    (await listOwned<HetznerServer>(account, 'servers', request)).map(viewOf),
  bodies: ({ request }) => [{ name: request.machine.name, content: bodyOf(request) }],
  make,
  stateOf: ({ server }) => stateOf(server),
  async remove({ send }, { name, ref }, signal) {
    const what = `delete server ${name}`;
    const call = { what, method: 'DELETE', path: `/servers/${ref}`, signal } as const;
    const answer = await orAbsent(send(call));
    return answer ? operationOf(ref, thingIn(answer, 'action', what)) : 'gone';
  },
  // The name has the server as well, which the action itself is not asked for.
  refOf: (_place, _name, { name }) => name.replace(/:.*$/, ''),
  async operation(account, { name, signal }) {
    const [server = '', ref = ''] = name.split(':');
    const action = await readThing(account, { kind: 'action', ref, signal });
    return action && operationOf(server, action);
  },
  providerIDOf: ({ ref, tags, server }) =>
    `hcloud:///${tags[zoneLabel] ?? server?.location?.name ?? ''}/${ref}`,
  refIn(providerID) {
    if (floatingIpIn(providerID) !== undefined) return undefined;
    // Also as Hetzner's cloud controller manager writes it to Nodes: `hcloud://ID`.
    const [, id] = /^hcloud:\/\/(?:\/[a-z0-9-]+\/)?([1-9]\d*)$/.exec(providerID) ?? [];
    if (id !== undefined) return id;
    const form = 'hcloud:///LOCATION/ID';
    throw fault('input', `spec.providerID: "${providerID}" is not of the form ${form}`);
  },
};

export function floatingIpIn(providerID: string): string | undefined {
  return /^hcloud:\/\/\/floating-ips\/([1-9]\d*)$/.exec(providerID)?.[1];
}

/** Ours by our labels, and those without them by the label that MCM's driver sets on all. */
export async function listOwned<T extends { id: number }>(
  account: RestClient,
  of: string,
  request: ListRequest,
): Promise<T[]> {
  const { cluster } = Object(request.providerSpec);
  const ours = selectorOf(ownerTags(request, labelSpelling));
  const ofMcm = `${selectorOf({ [clusterLabel]: cluster })},!${labelSpelling.names.cluster}`;
  const selectors = typeof cluster === 'string' ? [ours, ofMcm] : [ours];
  const queries = selectors.map((selector) => ({ label_selector: selector }));
  return await listThings<T>(account, { of, queries }, request.signal);
}

function bodyOf(request: CreateRequest): ServerBody {
  const spec = specOf(request.providerSpec);
  const { imageName, firewalls = [], placementGroupID } = spec;
  const { assignPublicIPv4 = true, assignPublicIPv6 = true } = spec;
  const userData = userDataOf(request);
  const fields = {
    name: request.machine.name,
    server_type: spec.serverType,
    image: /^\d+$/.test(imageName) ? Number(imageName) : imageName,
    location: locationOf(spec),
    labels: tagsFor(classLabels(spec), request, labelSpelling),
    firewalls: firewalls.map((firewall) => ({ firewall })),
    public_net: { enable_ipv4: assignPublicIPv4, enable_ipv6: assignPublicIPv6 },
    ...(userData !== '' && { user_data: userData }),
    ...(placementGroupID !== undefined && { placement_group: Number(placementGroupID) }),
  };
  return { fields, spec };
}

/** cloud-init decodes base64 on Hetzner, whose API takes text only. */
function userDataOf({ userData, userDataBytes }: CreateRequest): string {
  return userDataBytes ? Buffer.from(userDataBytes).toString('base64') : userData;
}

const userDataMax = 32 * 1_024;

export function createFaults(request: CreateRequest): string[] {
  const size = Buffer.byteLength(userDataOf(request));
  if (size <= userDataMax) return [];
  return [
    `the Secret's userData: ${size} bytes are more than the ${userDataMax} that Hetzner takes`,
  ];
}

async function make(
  account: RestClient,
  { body, signal }: MakeCall<HetznerCloud>,
): Promise<Making<HetznerCloud>> {
  const { fields, spec } = body.content;
  const { sshKeys = [], networks = [] } = spec;
  const keys = await idsOf(account, ['ssh_keys', 'fingerprint', spec.sshFingerprint], signal);
  const named = await idsOf(account, ['networks', 'name', spec.networkName], signal);
  const all = { ssh_keys: [...sshKeys, ...keys], networks: [...new Set([...networks, ...named])] };
  const what = `create server ${body.name}`;
  const call = { what, method: 'POST', path: '/servers', signal, isCreate: true } as const;
  const answer = await account.send({ ...call, body: { ...fields, ...all } });
  const { id } = thingIn(answer, 'server', what);
  return { operation: operationOf(String(id), thingIn(answer, 'action', what)) };
}

/** What is not there has to be changed in the class, or made. */
async function idsOf(
  account: RestClient,
  [of, filter, value]: [string, string, string | undefined],
  signal: AbortSignal,
): Promise<number[]> {
  if (value === undefined) return [];
  const queries = [{ [filter]: value }];
  const [found] = await listThings<{ id: number }>(account, { of, queries }, signal);
  if (found) return [found.id];
  throw fault('input', `${title}: ${of}: none with ${filter} "${value}" exists`, true);
}

function operationOf(ref: string, action: Action): Operation {
  const { id, status, progress, started, finished } = action;
  return {
    name: `${ref}:${id}`,
    isDone: status !== 'running',
    progress: `${status}, ${progress} %`,
    begunAt: Date.parse(started),
    endedAt: finished === null ? undefined : Date.parse(finished),
    ...(status === 'error' && {
      failure: (_deed, name, settled) => failureOf(action, name, settled),
    }),
  };
}

/** The label says that the class asks for one. */
export function lacksFloatingIp({ tags, server }: HetznerThing): boolean {
  return tags[poolLabel] !== undefined && server?.public_net?.floating_ips?.length === 0;
}

export function instanceOf(thing: HetznerThing, account: RestClient): Instance {
  const { name, server } = thing;
  const { ipv4, ipv6 } = server?.public_net ?? {};
  // The API has the network, of which the server takes the first address.
  const external = [ipv4?.ip, ipv6?.ip.replace(/\/\d+$/, '1')].filter((ip) => ip !== undefined);
  return {
    providerID: serverPart.providerIDOf(thing, account),
    nodeName: name,
    addresses: [
      ...(server?.private_net ?? []).map(({ ip }) => ({ type: 'InternalIP', address: ip })),
      ...external.map((address) => ({ type: 'ExternalIP', address })),
      { type: 'Hostname', address: name },
    ],
    isInitialized: !lacksFloatingIp(thing),
  };
}

/** MCM's have the labels of their class, a server another than a floating IP. */
export function isOfClass({ tags, server }: HetznerThing, providerSpec: unknown): boolean {
  const { cluster } = Object(providerSpec);
  if (typeof cluster !== 'string' || tags[clusterLabel] !== cluster) return false;
  return server ? tags[roleLabel] === 'node' : tags[poolLabel] !== undefined;
}
