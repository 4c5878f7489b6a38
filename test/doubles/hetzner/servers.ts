/** Servers: made, read, labelled and deleted as Hetzner's API does. */
import {
  aText,
  anId,
  anObject,
  aTruth,
  eitherOf,
  fieldFaults,
  listOf,
  type FieldFault,
} from '../rest/field-rules.ts';
import type { RestReply } from '../rest/rest-double.ts';
import { invalidInput, locked, Refusal, taken } from './answers.ts';
import {
  firewallIds,
  images,
  locations,
  networks,
  placementGroupIds,
  placementGroupMax,
  serverTypes,
  sshKeys,
} from './catalog.ts';
import { someLabels } from './labels.ts';
import type { Project, StoredServer } from './project.ts';
import { noRoute, pageOf, type Asked } from './routes.ts';

const hostname = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/i;
const userDataMax = 32 * 1_024;

/** Those of `ServerCreateRequest` that a server for a Node may have; it knows no `datacenter`. */
const createRules = {
  name: { rule: aText(hostname, 253), isNeeded: true },
  server_type: { rule: eitherOf(anId, aText()), isNeeded: true },
  image: { rule: eitherOf(anId, aText()), isNeeded: true },
  location: { rule: aText() },
  labels: { rule: someLabels },
  ssh_keys: { rule: listOf(eitherOf(anId, aText())) },
  user_data: { rule: aText(/^/, userDataMax) },
  start_after_create: { rule: aTruth },
  automount: { rule: aTruth },
  volumes: { rule: listOf(anId) },
  networks: { rule: listOf(anId) },
  firewalls: { rule: listOf(anObject({ firewall: { rule: anId, isNeeded: true } })) },
  placement_group: { rule: anId },
  public_net: {
    rule: anObject({
      enable_ipv4: { rule: aTruth },
      enable_ipv6: { rule: aTruth },
      ipv4: { rule: anId },
      ipv6: { rule: anId },
    }),
  },
};

const updateRules = { name: { rule: aText(hostname, 253) }, labels: { rule: someLabels } };

export function serverRoutes(project: Project, { request, id, rest }: Asked): RestReply {
  const { method, body } = request;
  if (rest.length > 0) throw noRoute();
  if (id === undefined) {
    if (method === 'POST') return create(project, Object(body));
    if (method !== 'GET') throw noRoute();
    const all = [...project.servers.values()].map((server) => shown(project, server));
    return pageOf(request, 'servers', all);
  }
  const server = project.serverOf(id);
  if (method === 'GET') return { status: 200, body: { server: shown(project, server) } };
  if (method === 'PUT') {
    const faults = fieldFaults(body, updateRules);
    if (faults.length > 0) throw invalidInput(faults);
    Object.assign(server, body);
    return { status: 200, body: { server: shown(project, server) } };
  }
  if (method === 'DELETE') return destroy(project, server);
  throw noRoute();
}

type Body = Readonly<Record<string, unknown>>;

function create(project: Project, body: Body): RestReply {
  const faults = fieldFaults(body, createRules);
  if (faults.length > 0) throw invalidInput(faults);
  const references = referenceFaults(body);
  if (references.length > 0) throw invalidInput(references);
  const { name, server_type: type, location } = body;
  const known = serverTypes.find((one) => one.name === type || one.id === type);
  if (!known?.locations.some((at) => at.name === location)) {
    throw new Refusal(422, 'invalid_input', 'unsupported location for server type');
  }
  if (project.living(String(name)).length > 0) throw taken('server');
  if (project.servers.size >= project.serverMax) {
    throw new Refusal(403, 'resource_limit_exceeded', 'server limit exceeded');
  }
  if (project.soldOut.has(known.name)) {
    throw new Refusal(412, 'resource_unavailable', 'error during placement');
  }
  const server: StoredServer = {
    id: project.nextId(),
    name: String(name),
    status: 'initializing',
    created: project.clock.text(),
    labels: Object(body['labels'] ?? {}),
    body,
    isProtected: false,
  };
  project.servers.set(server.id, server);
  project.madeByName.set(server.name, (project.madeByName.get(server.name) ?? 0) + 1);
  const action = project.begin('create_server', { server: server.id }, () =>
    placed(project, server),
  );
  const hasKey = Array.isArray(body['ssh_keys']) && body['ssh_keys'].length > 0;
  return {
    status: 201,
    body: {
      server: shown(project, server),
      action,
      next_actions: [],
      root_password: hasKey ? null : 'YItygq1v3GYjjMomLaKc',
    },
  };
}

/** A server that no host can take is not there any more. */
function placed(project: Project, server: StoredServer): { code: string; message: string } | null {
  const { placement_group: group } = server.body;
  const mates = [...project.servers.values()].filter(
    ({ body }) => body['placement_group'] === group,
  );
  if (group !== undefined && mates.length > placementGroupMax) {
    project.servers.delete(server.id);
    return { code: 'placement_error', message: 'no host is left for this placement group' };
  }
  server.status = project.startsServers ? 'running' : 'off';
  return null;
}

const ofList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function referenceFaults(body: Body): FieldFault[] {
  const {
    image,
    location,
    ssh_keys: keys,
    networks: nets,
    firewalls,
    placement_group: group,
  } = body;
  const faults: FieldFault[] = [];
  const require = (name: string, isThere: boolean): void => {
    if (!isThere) faults.push({ name, words: 'does not exist' });
  };
  require('image', images.some((one) => one.id === image || one.name === image));
  require('location', locations.some((one) => one.name === location));
  for (const key of ofList(keys)) {
    require('ssh_keys', sshKeys.some((one) => one.id === key || one.name === key));
  }
  for (const net of ofList(nets)) require('networks', networks.some(({ id }) => id === net));
  for (const firewall of ofList(firewalls)) {
    require('firewalls', firewallIds.includes(Object(firewall)['firewall']));
  }
  if (group !== undefined) require('placement_group', placementGroupIds.includes(Number(group)));
  return faults;
}

function destroy(project: Project, server: StoredServer): RestReply {
  if (server.isProtected) throw new Refusal(423, 'protected', 'server is delete protected');
  if (project.isLocked(server.id)) throw locked('server');
  server.status = 'deleting';
  const action = project.begin('delete_server', { server: server.id }, () => {
    project.servers.delete(server.id);
    for (const ip of project.floatingIps.values()) if (ip.server === server.id) ip.server = null;
    return null;
  });
  return { status: 200, body: { action } };
}

function shown(project: Project, server: StoredServer) {
  const { id, name, status, created, labels, body, isProtected } = server;
  const { enable_ipv4: has4 = true, enable_ipv6: has6 = true } = Object(body['public_net']);
  const nets: unknown[] = Array.isArray(body['networks']) ? body['networks'] : [];
  const firewalls: unknown[] = Array.isArray(body['firewalls']) ? body['firewalls'] : [];
  const addresses = [...project.floatingIps.values()].filter((ip) => ip.server === id);
  const { server_type: type, image, location } = body;
  const volumes: unknown[] = [];
  return {
    id,
    name,
    status,
    created,
    labels,
    locked: project.isLocked(id),
    location: locations.find((one) => one.name === location),
    server_type: serverTypes.find((one) => one.name === type || one.id === type),
    image: images.find((one) => one.id === image || one.name === image),
    public_net: {
      ipv4: has4 ? { id: id * 10, ip: addressOf(id), blocked: false, dns_ptr: 'a.example' } : null,
      ipv6: has6
        ? { id: id * 10 + 1, ip: `2001:db8:${id.toString(16)}::/64`, blocked: false, dns_ptr: [] }
        : null,
      floating_ips: addresses.map((ip) => ip.id),
      firewalls: firewalls.map((one) => ({ id: Object(one)['firewall'], status: 'applied' })),
    },
    private_net: nets.map((network) => ({
      network,
      ip: `10.0.1.${id % 250}`,
      alias_ips: [],
      mac_address: '86:00:ff:2a:7d:e1',
    })),
    protection: { delete: isProtected, rebuild: isProtected },
    placement_group: null,
    volumes,
    load_balancers: [],
    iso: null,
    rescue_enabled: false,
    backup_window: null,
    outgoing_traffic: null,
    ingoing_traffic: null,
    included_traffic: 0,
    primary_disk_size: 80,
  };
}

const addressOf = (id: number): string => `192.0.2.${id % 250}`;
