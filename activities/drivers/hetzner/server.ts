/** A server of Hetzner: what is asked for, how it is made, and how the frame sees it. */
import type { CreateRequest, Instance, ListRequest } from '../driver.ts';
import type { MakeCall, Making, Operation, Part, Plan, Resource, State } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { orAbsent } from '../frame/http.ts';
import { tagsFor } from '../frame/tags.ts';
import { actionOf, listAll, objectIn, title } from './client.ts';
import type { Action, FloatingIp, Hetzner, HetznerServer } from './client.ts';
import { meaningOf } from './errors.ts';
import {
  classLabels,
  clusterLabel,
  labelSpelling,
  locationOf,
  ownerSelector,
  poolLabel,
  roleLabel,
  selectorOf,
  withoutOurs,
  zoneLabel,
} from './labels.ts';
import { specOf } from './validate.ts';

export interface HetznerThing extends Resource {
  server?: HetznerServer;
  floatingIp?: FloatingIp;
}

export interface HetznerBody {
  /** As the API takes them. */
  fields: Readonly<Record<string, unknown>>;
  /** These the API takes by their ID only. */
  sshFingerprint?: string | undefined;
  networkName?: string | undefined;
}

export interface HetznerCloud {
  account: Hetzner;
  thing: HetznerThing;
  content: HetznerBody;
}

export function serverView(server: HetznerServer): HetznerThing {
  const { id, name, labels, created } = server;
  return { ref: String(id), name, tags: labels, createdAt: Date.parse(created), server };
}

export const serverPart: Part<HetznerCloud> = {
  kind: 'server',
  async read({ send }, ref, signal) {
    const what = `get server ${ref}`;
    const answer = await orAbsent(send({ what, method: 'GET', path: `/servers/${ref}`, signal }));
    return answer && serverView(objectIn(what, answer, 'server'));
  },
  search: (account, { machine: { name }, signal }) => serversBy(account, { name }, signal),
  list: listServers,
  bodies: (plan) => [{ name: plan.request.machine.name, content: bodyOf(plan) }],
  make,
  stateOf: ({ server }) => stateOf(server),
  protectionOf: ({ name, server }) =>
    server?.protection?.delete
      ? `server ${name} is protected against deletion: switch the protection off in Hetzner's console`
      : undefined,
  async remove(account, { name, ref }, signal) {
    const what = `delete server ${name}`;
    const call = { what, method: 'DELETE', path: `/servers/${ref}`, signal } as const;
    const action = await orAbsent(actionOf(account, call));
    return action ? operationOf(ref, action) : 'gone';
  },
  refOf: (_place, _name, { name }) => partsOf(name).ref,
  operation: lookAtAction,
  providerIDOf: ({ ref, tags, server }) =>
    `hcloud:///${tags[zoneLabel] ?? server?.location?.name ?? ''}/${ref}`,
  refIn: serverIn,
};

/** Also as Hetzner's cloud controller manager writes it to Nodes: `hcloud://ID`. */
function serverIn(providerID: string): string | undefined {
  if (floatingIpIn(providerID) !== undefined) return undefined;
  const [, id] = /^hcloud:\/\/(?:\/[a-z0-9-]+\/)?([1-9]\d*)$/.exec(providerID) ?? [];
  if (id !== undefined) return id;
  const form = 'hcloud:///LOCATION/ID';
  throw fault('input', `spec.providerID: "${providerID}" is not of the form ${form}`);
}

export function floatingIpIn(providerID: string): string | undefined {
  return /^hcloud:\/\/\/floating-ips\/([1-9]\d*)$/.exec(providerID)?.[1];
}

async function serversBy(
  account: Hetzner,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<HetznerThing[]> {
  const servers = await listAll<HetznerServer>(account, { collection: 'servers', query }, signal);
  return servers.map(serverView);
}

/** Ours by our labels, and those of MCM by the labels that its driver sets. */
async function listServers(account: Hetzner, request: ListRequest): Promise<HetznerThing[]> {
  const { providerSpec, signal } = request;
  const { cluster } = Object(providerSpec);
  const ours = { label_selector: ownerSelector(request) };
  const found = await serversBy(account, ours, signal);
  if (typeof cluster !== 'string') return found;
  const ofMcm = selectorOf({ [clusterLabel]: cluster, [roleLabel]: 'node' });
  const others = { label_selector: withoutOurs(ofMcm) };
  return [...found, ...(await serversBy(account, others, signal))];
}

function bodyOf({ request }: Plan<HetznerCloud>): HetznerBody {
  const spec = specOf(request.providerSpec);
  const { sshKeys = [], networks = [], firewalls = [], placementGroupID } = spec;
  const { assignPublicIPv4 = true, assignPublicIPv6 = true } = spec;
  const userData = userDataOf(request);
  const hasAllAddresses = assignPublicIPv4 && assignPublicIPv6;
  return {
    fields: {
      name: request.machine.name,
      server_type: spec.serverType,
      image: /^\d+$/.test(spec.imageName) ? Number(spec.imageName) : spec.imageName,
      location: locationOf(spec),
      labels: tagsFor(classLabels(spec), request, labelSpelling),
      ssh_keys: sshKeys,
      networks,
      firewalls: firewalls.map((firewall) => ({ firewall })),
      ...(userData !== '' && { user_data: userData }),
      ...(placementGroupID !== undefined && { placement_group: Number(placementGroupID) }),
      ...(!hasAllAddresses && {
        public_net: { enable_ipv4: assignPublicIPv4, enable_ipv6: assignPublicIPv6 },
      }),
    },
    sshFingerprint: spec.sshFingerprint,
    networkName: spec.networkName,
  };
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
  account: Hetzner,
  { body, signal }: MakeCall<HetznerCloud>,
): Promise<Making<HetznerCloud>> {
  const { fields, sshFingerprint, networkName } = body.content;
  const what = `create server ${body.name}`;
  const key = await idOf(account, ['ssh_keys', 'fingerprint', sshFingerprint], signal);
  const network = await idOf(account, ['networks', 'name', networkName], signal);
  const sent = { ...fields, ssh_keys: joined(fields, 'ssh_keys', key) };
  const answer = await account.send({
    what,
    method: 'POST',
    path: '/servers',
    body: { ...sent, networks: joined(fields, 'networks', network) },
    signal,
    isCreate: true,
  });
  const { id } = objectIn(what, answer, 'server');
  return { operation: operationOf(String(id), objectIn(what, answer, 'action')) };
}

function joined(fields: HetznerBody['fields'], name: string, id: number | undefined): unknown[] {
  const given = fields[name];
  const all: unknown[] = Array.isArray(given) ? given : [];
  return id === undefined || all.includes(id) ? all : [...all, id];
}

type Wanted = [collection: string, filter: string, value: string | undefined];

/** What is not there has to be changed in the class, or made. */
async function idOf(
  account: Hetzner,
  [collection, filter, value]: Wanted,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (value === undefined) return undefined;
  const query = { [filter]: value };
  const [found] = await listAll<{ id: number }>(account, { collection, query }, signal);
  if (found) return found.id;
  throw fault('input', `${title}: ${collection}: none with ${filter} "${value}" exists`, true);
}

const states: Readonly<Record<string, State['is']>> = {
  initializing: 'coming',
  starting: 'coming',
  stopping: 'going',
  deleting: 'going',
  off: 'failed',
};

/** Between its make and its start a server is off, and locked by an action. */
function stateOf({ status, locked = false }: Partial<HetznerServer> = {}): State {
  const words = status ?? 'unknown';
  if (words === 'off' && locked) return { is: 'coming', words };
  return { is: states[words] ?? 'ready', words };
}

/** The name has the server as well, which the action itself is not asked for. */
export function operationOf(ref: string, action: Action): Operation {
  const { id, command, status, progress, started, finished, error } = action;
  return {
    name: `${ref}:${id}`,
    isDone: status !== 'running',
    progress: `${status}, ${progress} %`,
    begunAt: timeOf(started),
    endedAt: timeOf(finished),
    ...(status === 'error' && {
      failure: (_deed, name, settled) => {
        const { code = 'unknown_error', message = 'no reason is given' } = error ?? {};
        const words = `${title}: action ${command} of ${name}: ${code}: ${message}`;
        return fault(meaningOf(code, message), words, settled);
      },
      isForNothing: error?.code === 'not_found',
    }),
  };
}

const timeOf = (text: string | null): number | undefined =>
  text === null ? undefined : Date.parse(text);

function partsOf(operation: string): { ref: string; id: string } {
  const [ref = '', id = ''] = operation.split(':');
  return { ref, id };
}

async function lookAtAction(
  account: Hetzner,
  { name, signal }: { name: string; signal: AbortSignal },
): Promise<Operation | undefined> {
  const { ref, id } = partsOf(name);
  const call = { what: `get action ${id}`, method: 'GET', path: `/actions/${id}`, signal } as const;
  const action = await orAbsent(actionOf(account, call));
  return action && operationOf(ref, action);
}

/** The label says that the class asks for one. */
export function lacksFloatingIp({ tags, server }: HetznerThing): boolean {
  return tags[poolLabel] !== undefined && server?.public_net?.floating_ips?.length === 0;
}

export function instanceOf(thing: HetznerThing, account: Hetzner): Instance {
  const { name, server } = thing;
  const { ipv4, ipv6 } = server?.public_net ?? {};
  return {
    providerID: serverPart.providerIDOf(thing, account),
    nodeName: name,
    addresses: [
      ...(server?.private_net ?? []).map(({ ip }) => ({ type: 'InternalIP', address: ip })),
      ...(ipv4 ? [{ type: 'ExternalIP', address: ipv4.ip }] : []),
      // The API has the network, of which the server takes the first address.
      ...(ipv6 ? [{ type: 'ExternalIP', address: ipv6.ip.replace(/\/\d+$/, '1') }] : []),
      { type: 'Hostname', address: name },
    ],
    isInitialized: !lacksFloatingIp(thing),
  };
}

/** MCM's have the labels of their class, a server another than a floating IP. */
export function isOfClass({ tags, server }: HetznerThing, providerSpec: unknown): boolean {
  const { cluster, floatingPoolName }: Partial<Record<string, unknown>> = Object(providerSpec);
  if (typeof cluster !== 'string' || tags[clusterLabel] !== cluster) return false;
  return server ? tags[roleLabel] === 'node' : tags[poolLabel] === floatingPoolName;
}
