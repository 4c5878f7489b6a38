/** Floating IPs: made, assigned and deleted as Hetzner's API does. */
import { aText, anId, fieldFaults } from '../rest/field-rules.ts';
import type { RestReply } from '../rest/rest-double.ts';
import { invalidInput, locked, taken } from './answers.ts';
import { locations } from './catalog.ts';
import { someLabels } from './labels.ts';
import type { Project, StoredAction, StoredFloatingIp } from './project.ts';
import { noRoute, pageOf, type Asked } from './routes.ts';

const createRules = {
  type: { rule: aText(/^ipv[46]$/), isNeeded: true },
  name: { rule: aText() },
  home_location: { rule: aText() },
  server: { rule: anId },
  description: { rule: aText() },
  labels: { rule: someLabels },
};

export function floatingIpRoutes(project: Project, { request, id, rest }: Asked): RestReply {
  const { method, body } = request;
  if (id === undefined) {
    if (method === 'POST') return create(project, Object(body));
    if (method !== 'GET') throw noRoute();
    return pageOf(request, 'floating_ips', [...project.floatingIps.values()].map(shown));
  }
  const floatingIp = project.floatingIpOf(id);
  if (method === 'POST' && rest.join('/') === 'actions/assign') {
    return assign(project, floatingIp, body);
  }
  if (rest.length > 0) throw noRoute();
  if (method === 'GET') return { status: 200, body: { floating_ip: shown(floatingIp) } };
  if (method !== 'DELETE') throw noRoute();
  project.floatingIps.delete(id);
  return { status: 204 };
}

function create(project: Project, body: Readonly<Record<string, unknown>>): RestReply {
  const faults = fieldFaults(body, createRules);
  if (faults.length > 0) throw invalidInput(faults);
  const { name, home_location: location, server: of, labels = {} } = body;
  if ((location === undefined) === (of === undefined)) {
    throw invalidInput([{ name: 'home_location', words: 'either it or server has to be given' }]);
  }
  const server = of === undefined ? undefined : project.serverOf(Number(of));
  const home = server ? server.body['location'] : location;
  if (!locations.some((one) => one.name === home)) {
    throw invalidInput([{ name: 'home_location', words: 'does not exist' }]);
  }
  if ([...project.floatingIps.values()].some((one) => one.name === name)) {
    throw taken('floating_ip');
  }
  if (server && project.isLocked(server.id)) throw locked('server');
  const floatingIp: StoredFloatingIp = {
    id: project.nextId(),
    name: String(name),
    created: project.clock.text(),
    labels: Object(labels),
    location: String(home),
    server: null,
  };
  project.floatingIps.set(floatingIp.id, floatingIp);
  const action = server ? assigning(project, floatingIp, server.id) : null;
  return { status: 201, body: { floating_ip: shown(floatingIp), action } };
}

function assigning(project: Project, floatingIp: StoredFloatingIp, server: number): StoredAction {
  return project.begin('assign_floating_ip', { server, floatingIp: floatingIp.id }, () => {
    floatingIp.server = server;
    return null;
  });
}

function assign(project: Project, floatingIp: StoredFloatingIp, body: unknown): RestReply {
  const faults = fieldFaults(body, { server: { rule: anId, isNeeded: true } });
  if (faults.length > 0) throw invalidInput(faults);
  const server = project.serverOf(Number(Object(body)['server']));
  if (project.isLocked(server.id)) throw locked('server');
  return { status: 201, body: { action: assigning(project, floatingIp, server.id) } };
}

function shown({ id, name, created, labels, location, server }: StoredFloatingIp) {
  return {
    id,
    name,
    description: null,
    created,
    ip: `198.51.100.${id % 250}`,
    type: 'ipv4',
    server,
    dns_ptr: [],
    home_location: locations.find((one) => one.name === location),
    blocked: false,
    protection: { delete: false },
    labels,
  };
}
