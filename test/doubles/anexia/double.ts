/**
 * Anexia's Engine as far as the driver uses it. Requests and answers are held to the types of the
 * vendor's client for Go (engine.json, engine-vm.json); what is asked for takes some looks.
 */
import { randomUUID } from 'node:crypto';
import { readPublished } from '../rest/published.ts';
import { startRestDouble } from '../rest/rest-double.ts';
import type { RestDouble, RestReply, RestRequest } from '../rest/rest-double.ts';

const published = readPublished(new URL('engine.json', import.meta.url));
const publishedVm = readPublished(new URL('engine-vm.json', import.meta.url));

interface Definition {
  hostname: string;
  memory_mb: number;
  cpus: number;
  network: { vlan: string; ips: string[] }[];
}

export interface DoubleVm {
  id: string;
  name: string;
  definition: Definition;
  isLeaving: boolean;
}

interface Task {
  id: string;
  vm: DoubleVm;
  isRemoval: boolean;
  looks: number;
}

export interface AnexiaDouble extends RestDouble {
  vms: DoubleVm[];
  /** By the name of the Machine: how often one was made. */
  countMade: (name: string) => number;
  named: (name: string) => DoubleVm[];
}

export interface AnexiaRules {
  token: string;
  location: string;
  vlan: string;
  prefix: string;
  templates: { id: string; name: string; build: string; bit: string }[];
  /** Of a machine; more fails in its task. */
  memoryMax: number;
}

interface World {
  rules: AnexiaRules;
  vms: DoubleVm[];
  made: string[];
  tasks: Task[];
  addresses: number;
}

/** Of the customer. */
const customer = 'ABC123';

const isOf = (name: string, given: string): boolean =>
  given.slice(customer.length + 1, -21) === name;

export async function startAnexiaDouble(rules: AnexiaRules): Promise<AnexiaDouble> {
  const world: World = { rules, vms: [], made: [], tasks: [], addresses: 0 };
  const double = await startRestDouble((request) => answer(world, request));
  return {
    ...double,
    vms: world.vms,
    countMade: (name) => world.made.filter((given) => isOf(name, given)).length,
    named: (name) => world.vms.filter((vm) => isOf(name, vm.name)),
  };
}

function refusal(code: number, message: string, validation: object = {}): RestReply {
  return { status: code, body: { error: { code, message, validation }, debug: { source: '' } } };
}

function checked(from: typeof published, name: string, value: unknown): unknown {
  const faults = from.faultsOf(name, value);
  if (faults.length > 0) throw new Error(`the double answers what is no ${name}: ${faults.join()}`);
  return value;
}

function answer(world: World, request: RestRequest): RestReply {
  const { rules } = world;
  const { method, path, query, headers, body } = request;
  if (headers['authorization'] !== `Token ${rules.token}`) return refusal(401, 'Unauthorized');
  const [, group = '', rest = ''] =
    /^\/api\/(vsphere\/v1\/[a-z/_]+|ipam\/v1\/[a-z/]+)\.json\/?(.*)$/.exec(path) ?? [];
  const [id = '', , template = ''] = rest.split('/');
  const routes: Record<string, () => RestReply> = {
    'GET vsphere/v1/info': () => info(world, id),
    'GET vsphere/v1/search/by_name': () => search(world, query.get('name') ?? ''),
    'GET vsphere/v1/vmlist/list': () => listing(world, query),
    'GET vsphere/v1/provisioning/templates': () => templatesOf(world, id),
    'GET vsphere/v1/provisioning/progress': () => progress(world, id),
    'POST vsphere/v1/provisioning/vm': () => provision(world, { location: id, template, body }),
    'DELETE vsphere/v1/provisioning/vm': () => deprovision(world, id),
    'POST ipam/v1/address/reserve/ip/count': () => reserve(world, body),
  };
  return routes[`${method} ${group}`]?.() ?? refusal(404, 'Not Found');
}

function templatesOf({ rules }: World, location: string): RestReply {
  return { status: 200, body: location === rules.location ? rules.templates : [] };
}

function reserve(world: World, json: unknown): RestReply {
  const faults = published.faultsOf('ReserveRandom', json);
  if (faults.length > 0) return refusal(422, 'Validation failed', { body: faults.join() });
  const { vlan_identifier: vlan, prefix_identifier: prefix }: Record<string, unknown> =
    Object(json);
  const { rules } = world;
  if (vlan !== rules.vlan || (prefix !== undefined && prefix !== rules.prefix)) {
    return refusal(422, 'Validation failed', { vlan_identifier: 'does not exist' });
  }
  world.addresses += 1;
  const text = `10.1.${Math.floor(world.addresses / 250)}.${world.addresses % 250}`;
  const data = [{ identifier: randomUUID(), text, prefix: rules.prefix }];
  const page = { limit: 1, page: 1, total_items: 1, total_pages: 1, data };
  return { status: 200, body: checked(published, 'ReserveRandomSummary', page) };
}

interface Order {
  location: string;
  template: string;
  body: unknown;
}

function provision(world: World, { location, template, body }: Order): RestReply {
  const { rules } = world;
  const faults = published.faultsOf('Definition', body);
  if (faults.length > 0) return refusal(422, 'Validation failed', { body: faults.join() });
  const definition: Definition = Object(body);
  if (location !== rules.location) return refusal(404, 'location does not exist');
  if (!rules.templates.some(({ id }) => id === template)) {
    return refusal(422, 'Validation failed', { template: 'does not exist' });
  }
  const id = randomUUID().replaceAll('-', '');
  const vm = { id, name: `${customer}-${definition.hostname}`, definition, isLeaving: false };
  if (definition.memory_mb <= rules.memoryMax) {
    world.vms.push(vm);
    world.made.push(vm.name);
  }
  const task = taskFor(world, vm, false);
  const reply = { progress: 0, errors: [], identifier: task.id, queued: true };
  return { status: 200, body: checked(published, 'ProvisioningResponse', reply) };
}

function taskFor({ tasks }: World, vm: DoubleVm, isRemoval: boolean): Task {
  const task = { id: randomUUID(), vm, isRemoval, looks: 0 };
  tasks.push(task);
  return task;
}

function deprovision(world: World, id: string): RestReply {
  const vm = world.vms.find((one) => one.id === id);
  if (!vm) return refusal(404, 'Not Found');
  vm.isLeaving = true;
  const reply = { identifier: taskFor(world, vm, true).id, delete_will_be_executed_at: '' };
  return { status: 200, body: checked(published, 'DeprovisionResponse', reply) };
}

function progress({ rules, tasks, vms }: World, id: string): RestReply {
  const task = tasks.find((one) => one.id === id);
  if (!task) return refusal(404, 'Not Found');
  task.looks += 1;
  const { vm, isRemoval } = task;
  const isDone = task.looks > 2;
  if (isDone && isRemoval && vms.includes(vm)) vms.splice(vms.indexOf(vm), 1);
  const isRefused = isDone && !isRemoval && vm.definition.memory_mb > rules.memoryMax;
  const reply = {
    identifier: id,
    queued: !isDone,
    progress: isDone && !isRefused ? 100 : 40,
    vm_identifier: isDone && !isRefused ? vm.id : '',
    errors: isRefused ? ['not enough memory in this location'] : [],
    status: isRefused ? '-1' : String(isDone ? 1 : 2),
  };
  return { status: 200, body: checked(published, 'Progress', reply) };
}

/** What is on its way out has no page of its own any more, and stands in listings. */
function info({ rules, vms }: World, id: string): RestReply {
  const vm = vms.find((one) => one.id === id);
  if (!vm || vm.isLeaving) return refusal(404, 'Not Found');
  const network = vm.definition.network.map(({ vlan, ips }, index) => {
    return { nic: index, vlan, id: index, ips_v4: ips, ips_v6: [], mac_address: '' };
  });
  const page = {
    name: vm.name,
    identifier: id,
    location_identifier: rules.location,
    status: 'poweredOn',
    network,
  };
  return { status: 200, body: checked(publishedVm, 'Info', page) };
}

function search({ vms }: World, pattern: string): RestReply {
  const parts = pattern.split('%').map((part) => part.replaceAll(/[^\w-]/g, String.raw`\$&`));
  const form = new RegExp(`^${parts.join('.*')}$`);
  return { status: 200, body: { data: vms.filter(({ name }) => form.test(name)).map(shown) } };
}

function listing({ vms }: World, query: URLSearchParams): RestReply {
  const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
  return { status: 200, body: { data: vms.slice((page - 1) * limit, page * limit).map(shown) } };
}

function shown({ id, name, definition }: DoubleVm): unknown {
  const ip = definition.network[0]?.ips[0] ?? '';
  return checked(publishedVm, 'VM', { name, identifier: id, ip_v4_primary: ip, tags: '' });
}
