/** Nova, with microversion 2.52. */
import { randomUUID } from 'node:crypto';
import type { Answer, Asked, Held, World } from './answers.ts';
import { fieldsOf, listOf, refuse, requireKnown } from './answers.ts';

const flavors = [
  { id: '1', name: 'small' },
  { id: '2', name: 'more-than-quota' },
  { id: '3', name: 'more-than-hosts' },
];

const serverFields = [
  'name',
  'flavorRef',
  'imageRef',
  'networks',
  'security_groups',
  'metadata',
  'user_data',
  'availability_zone',
  'config_drive',
  'key_name',
  'tags',
  'block_device_mapping_v2',
];

export function createCompute(world: World, slowness: number): (asked: Asked) => Answer {
  return (asked) => {
    const { method, path, query, body } = asked;
    const [, collection, id = '', action] = path.split('/');
    if (collection === 'flavors') return { status: 200, body: { flavors } };
    if (collection !== 'servers')
      return { status: 404, body: { message: 'none', code: '404 Not Found' } };
    if (method === 'POST' && id === '') return create(world, body, slowness);
    if (id === 'detail') {
      const pattern = new RegExp(query.get('name') ?? '');
      const all = [...world.servers.values()].filter(({ fields }) =>
        pattern.test(String(fields['name'])),
      );
      return { status: 200, body: { servers: all.map(({ fields }) => fields).toReversed() } };
    }
    const held = world.servers.get(id);
    if (!held) refuse(404, 'itemNotFound', `Instance ${id} could not be found.`);
    if (method === 'GET') return { status: 200, body: { server: looked(world, id, held) } };
    if (method === 'PUT' && action === 'tags') {
      held.fields['tags'] = body['tags'];
      return { status: 200, body };
    }
    if (action === 'action') {
      if (!('os-getConsoleOutput' in body)) refuse(400, 'badRequest', 'There is no such action');
      return { status: 200, body: { output: 'booting\nready\n' } };
    }
    if (!held.isGoing) held.looks = slowness;
    held.isGoing = true;
    held.fields['OS-EXT-STS:task_state'] = 'deleting';
    return { status: 204 };
  };
}

function create(world: World, body: Record<string, unknown>, slowness: number): Answer {
  requireKnown(body, ['server', 'os:scheduler_hints']);
  requireKnown(body['server'], serverFields);
  const asked = fieldsOf(body['server']);
  const { flavorRef, tags, networks } = asked;
  if (!flavors.some(({ id }) => id === flavorRef)) {
    refuse(400, 'badRequest', `Flavor ${String(flavorRef)} could not be found.`);
  }
  if (Array.isArray(tags) && tags.some((tag) => !/^[^,/]{1,60}$/.test(String(tag)))) {
    refuse(400, 'badRequest', 'Invalid input for field/attribute tags');
  }
  if (flavorRef === '2') {
    const message = 'Quota exceeded for cores: Requested 10000, but already used 0 of 200 cores';
    refuse(403, 'forbidden', message);
  }
  const id = randomUUID();
  const isDead = flavorRef === '3';
  const ports = freePorts(world, listOf(networks));
  // A server that finds no host has never bound its port.
  if (!isDead) {
    for (const port of ports) port.fields['device_id'] = id;
    attachDisks(world, listOf(asked['block_device_mapping_v2']), id);
  }
  const fields = {
    ...asked,
    id,
    status: 'BUILD',
    'OS-EXT-STS:task_state': 'spawning',
    created: new Date().toISOString().replace(/\.\d+/, ''),
    addresses: {},
    ...(isDead && {
      fault: {
        code: 500,
        message: 'No valid host was found. There are not enough hosts available.',
      },
    }),
  };
  world.made.push(String(asked['name']));
  world.servers.set(id, { looks: slowness, fields });
  return { status: 202, body: { server: { id, adminPass: 'none' } } };
}

function freePorts(world: World, networks: Record<string, unknown>[]): Held[] {
  return networks.map(({ port: id }) => {
    const port = world.ports.get(String(id));
    if (!port) refuse(400, 'badRequest', `Port ${String(id)} could not be found.`);
    if (port.fields['device_id'] === '') return port;
    return refuse(409, 'conflictingRequest', `Port ${String(id)} is still in use.`);
  });
}

function attachDisks(world: World, disks: Record<string, unknown>[], server: string): void {
  for (const { source_type: source, uuid } of disks) {
    const volume = source === 'volume' ? world.volumes.get(String(uuid)) : undefined;
    if (volume) Object.assign(volume.fields, { status: 'in-use', server });
  }
}

/** It goes on by one step with each look. */
function looked(world: World, id: string, held: Held): Record<string, unknown> {
  held.looks -= 1;
  const { fields } = held;
  if (held.looks >= 0) return fields;
  if (held.isGoing) {
    world.servers.delete(id);
    for (const port of world.ports.values()) {
      if (port.fields['device_id'] === id) port.fields['device_id'] = '';
    }
    for (const volume of world.volumes.values()) {
      if (volume.fields['server'] === id) volume.fields['status'] = 'available';
    }
    return refuse(404, 'itemNotFound', `Instance ${id} could not be found.`);
  }
  fields['status'] = fields['fault'] ? 'ERROR' : 'ACTIVE';
  fields['OS-EXT-STS:task_state'] = null;
  const ports = [...world.ports.values()].filter((port) => port.fields['device_id'] === id);
  const addresses = ports.flatMap((port) => listOf(port.fields['fixed_ips']));
  const disks = [...world.volumes.values()].filter((volume) => volume.fields['server'] === id);
  fields['os-extended-volumes:volumes_attached'] = disks.map((disk) => ({ id: disk.fields['id'] }));
  fields['addresses'] = {
    workers: addresses.map(({ ip_address: addr }) => ({ addr, 'OS-EXT-IPS:type': 'fixed' })),
  };
  return fields;
}
