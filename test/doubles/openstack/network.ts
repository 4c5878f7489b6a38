/** Neutron: ports, and the names of networks and security groups. */
import { randomUUID } from 'node:crypto';
import type { Answer, Asked, World } from './answers.ts';
import { fieldsOf, listOf, Refusal } from './answers.ts';

const networks = [
  { id: 'net-1', name: 'workers' },
  { id: 'net-2', name: 'second' },
];
const groups = [
  { id: 'group-1', name: 'workers' },
  { id: 'group-2', name: 'more' },
];

const portFields = [
  'name',
  'description',
  'mac_address',
  'network_id',
  'fixed_ips',
  'allowed_address_pairs',
  'security_groups',
];

function refused(status: number, type: string, message: string): never {
  throw new Refusal({ status, body: { NeutronError: { type, message, detail: '' } } });
}

function listed(key: string, all: readonly { name: string }[], name: string | null): Answer {
  return { status: 200, body: { [key]: all.filter((one) => one.name === name) } };
}

interface FloatingCall {
  method: string;
  id: string;
  port: string | null;
}

function floating({ floatingIPs }: World, { method, id, port }: FloatingCall): Answer {
  if (method === 'DELETE' && floatingIPs.delete(id)) return { status: 204 };
  const all = [...floatingIPs.values()].map(({ fields }) => fields);
  return { status: 200, body: { floatingips: all.filter((one) => one['port_id'] === port) } };
}

export function createNetwork(world: World, allowsMac: boolean): (asked: Asked) => Answer {
  return ({ method, path, query, body }) => {
    const [, collection, id = '', action] = path.split('/');
    if (collection === 'networks') return listed('networks', networks, query.get('name'));
    if (collection === 'security-groups') {
      return listed('security_groups', groups, query.get('name'));
    }
    if (collection === 'floatingips')
      return floating(world, { method, id, port: query.get('port_id') });
    if (method === 'POST') return create(world, fieldsOf(body['port']), allowsMac);
    if (id === '') {
      const all = [...world.ports.values()].map(({ fields }) => fields);
      const keys = new Set(query.keys());
      const ports = all.filter((port) =>
        [...keys].every((key) => query.getAll(key).includes(String(port[key]))),
      );
      return { status: 200, body: { ports } };
    }
    const held = world.ports.get(id);
    if (!held) refused(404, 'PortNotFound', `Port ${id} could not be found.`);
    if (action === 'tags') {
      held.fields['tags'] = body['tags'];
      return { status: 200, body };
    }
    if (method === 'GET') return { status: 200, body: { port: held.fields } };
    if (method === 'PUT') {
      Object.assign(held.fields, fieldsOf(body['port']));
      return { status: 200, body: { port: held.fields } };
    }
    // Since 2026 a member of the project may not take a server's port from under it.
    if (held.fields['device_id'] !== '') {
      refused(403, 'PolicyNotAuthorized', 'rule:delete_port is disallowed by policy');
    }
    world.ports.delete(id);
    return { status: 204 };
  };
}

function create(world: World, asked: Record<string, unknown>, allowsMac: boolean): Answer {
  const unknown = Object.keys(asked).filter((key) => !portFields.includes(key));
  if (unknown.length > 0) {
    refused(400, 'HTTPBadRequest', `Unrecognized attribute(s) '${unknown.join(', ')}'`);
  }
  const { mac_address: mac, network_id: network } = asked;
  if (mac !== undefined && !allowsMac) {
    const message = '((rule:create_port and rule:create_port:mac_address)) is disallowed by policy';
    refused(403, 'PolicyNotAuthorized', message);
  }
  if (!networks.some((one) => one.id === network)) {
    refused(404, 'NetworkNotFound', `Network ${String(network)} could not be found.`);
  }
  const others = [...world.ports.values()].map(({ fields }) => fields);
  const isTaken = others.some(
    (port) => port['network_id'] === network && port['mac_address'] === mac,
  );
  if (isTaken) {
    const message = `Unable to complete operation for network ${String(network)}. The mac address ${String(mac)} is in use.`;
    refused(409, 'MacAddressInUse', message);
  }
  const id = randomUUID();
  const subnets = listOf(asked['fixed_ips']);
  const fields = {
    description: '',
    mac_address: `fa:16:3e:00:00:${id.slice(0, 2)}`,
    tags: [],
    ...asked,
    id,
    status: 'DOWN',
    device_id: '',
    created_at: new Date().toISOString(),
    fixed_ips: (subnets.length > 0 ? subnets : [{ subnet_id: 'subnet-1' }]).map((one, index) => ({
      ...one,
      ip_address: index === 0 ? '10.9.0.7' : 'fd00:9::7',
    })),
  };
  world.ports.set(id, { looks: 0, fields });
  return { status: 201, body: { port: fields } };
}
