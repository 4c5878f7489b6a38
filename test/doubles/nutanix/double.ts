/**
 * Prism Central's v3 API as far as the driver uses it. Bodies are held to the published types
 * (v3.json), in both directions; the forms of answers and errors are those of recorded servers in
 * the vendor's client. What is asked for takes some looks until it is done.
 */
import { randomUUID } from 'node:crypto';
import { readPublished } from '../rest/published.ts';
import { startRestDouble } from '../rest/rest-double.ts';
import type { RestDouble, RestReply, RestRequest } from '../rest/rest-double.ts';

const published = readPublished(new URL('v3.json', import.meta.url));

interface Body {
  metadata: { categories?: Record<string, string>; project_reference?: { uuid: string } };
  spec: {
    name: string;
    description?: string;
    cluster_reference: { uuid: string };
    resources: { memory_size_mib: number; num_sockets: number; nic_list: object[] };
  };
}

export interface DoubleVm {
  uuid: string;
  body: Body;
  created: string;
  state: 'PENDING' | 'COMPLETE' | 'ERROR' | 'DELETE_PENDING';
  message?: string;
  looks: number;
}

interface Task {
  uuid: string;
  vm: DoubleVm;
  looks: number;
}

export interface NutanixDouble extends RestDouble {
  vms: DoubleVm[];
  /** By name: how often one was made. */
  made: Map<string, number>;
  named: (name: string) => DoubleVm[];
}

export interface NutanixRules {
  authorization: string;
  clusterName: string;
  subnetNames: string[];
  imageName: string;
  projectName: string;
  /** Of the largest host. */
  memoryMib: number;
  /** Of the project. */
  socketsMax: number;
  /** Of a page, at most. Default 250. */
  pageMax?: number;
}

interface World {
  rules: NutanixRules;
  vms: DoubleVm[];
  tasks: Task[];
  made: Map<string, number>;
  things: Thing[];
}

interface Thing {
  kind: string;
  name: string;
  uuid: string;
  cluster?: string;
}

export async function startNutanixDouble(rules: NutanixRules): Promise<NutanixDouble> {
  const cluster = { kind: 'cluster', name: rules.clusterName, uuid: randomUUID() };
  const other = { kind: 'cluster', name: 'another', uuid: randomUUID() };
  const things: Thing[] = [
    cluster,
    other,
    // A subnet of the same name in another cluster comes first.
    ...rules.subnetNames.flatMap((name) =>
      [other, cluster].map(({ uuid }) => {
        return { kind: 'subnet', name, uuid: randomUUID(), cluster: uuid };
      }),
    ),
    { kind: 'image', name: rules.imageName, uuid: randomUUID() },
    { kind: 'project', name: rules.projectName, uuid: randomUUID() },
  ];
  const world: World = { rules, vms: [], tasks: [], made: new Map(), things };
  const double = await startRestDouble((request) => answer(world, request));
  const named = (name: string): DoubleVm[] =>
    world.vms.filter(({ body }) => body.spec.name === name);
  return { ...double, vms: world.vms, made: world.made, named };
}

function refusal(status: number, reason: string, message: string): RestReply {
  const list = [{ message, reason }];
  const body = { api_version: '3.1', code: status, kind: 'error', message_list: list };
  return { status, body: { ...body, state: 'ERROR' } };
}

function checked(name: string, value: unknown): unknown {
  const faults = published.faultsOf(name, value);
  if (faults.length > 0) throw new Error(`the double answers what is no ${name}: ${faults.join()}`);
  return value;
}

function answer(world: World, { method, path, headers, body }: RestRequest): RestReply {
  if (headers['authorization'] !== world.rules.authorization) {
    return refusal(401, 'AUTHENTICATION_REQUIRED', 'Authentication required.');
  }
  const [, group = '', id = ''] = /^\/api\/nutanix\/v3\/([a-z]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (method === 'POST' && id === 'list') return listing(world, group, body);
  if (method === 'POST' && group === 'vms' && id === '') return create(world, body);
  if (method === 'GET' && group === 'tasks') return readTask(world, id);
  const vm = world.vms.find(({ uuid }) => uuid === id);
  if (group !== 'vms' || !vm) {
    return refusal(404, 'ENTITY_NOT_FOUND', `The ${group} ${id} does not exist`);
  }
  if (method === 'DELETE') return remove(world, vm);
  look(world, vm);
  return { status: 200, body: checked('VMIntentResponse', shown(vm)) };
}

/** What is under way goes on with each look. */
function look({ rules, vms }: World, vm: DoubleVm): void {
  vm.looks += 1;
  if (vm.state === 'DELETE_PENDING' && vm.looks > 2 && vms.includes(vm)) {
    vms.splice(vms.indexOf(vm), 1);
  }
  if (vm.state !== 'PENDING' || vm.looks < 3) return;
  const hasRoom = vm.body.spec.resources.memory_size_mib <= rules.memoryMib;
  vm.state = hasRoom ? 'COMPLETE' : 'ERROR';
  if (!hasRoom) vm.message = 'NoHostResources: No host has enough available resources for VM';
}

function create({ rules, vms, made, things }: World, json: unknown): RestReply {
  const faults = published.faultsOf('VMIntentInput', json);
  if (faults.length > 0) return refusal(422, 'INVALID_REQUEST', faults.join('; '));
  const body: Body = Object(json);
  const { name, cluster_reference: cluster, resources } = body.spec;
  if (!things.some(({ kind, uuid }) => kind === 'cluster' && uuid === cluster.uuid)) {
    return refusal(422, 'INVALID_REQUEST', 'cluster_reference: entity does not exist');
  }
  if (resources.num_sockets > rules.socketsMax) {
    return refusal(422, 'QUOTA_EXCEEDED', 'The vcpus quota of the project is exceeded');
  }
  const created = new Date().toISOString();
  const vm: DoubleVm = { uuid: randomUUID(), body, created, state: 'PENDING', looks: 0 };
  vms.push(vm);
  made.set(name, (made.get(name) ?? 0) + 1);
  const { metadata, spec } = body;
  const status = { state: 'PENDING', execution_context: { task_uuid: randomUUID() } };
  const intent = { metadata: { ...metadata, uuid: vm.uuid }, api_version: '3.1', spec, status };
  return { status: 202, body: checked('VMIntentResponse', intent) };
}

function remove({ tasks }: World, vm: DoubleVm): RestReply {
  vm.state = 'DELETE_PENDING';
  vm.looks = 0;
  const task = { uuid: randomUUID(), vm, looks: 0 };
  tasks.push(task);
  const status = { state: 'DELETE_PENDING', execution_context: { task_uuid: task.uuid } };
  const metadata = { kind: 'vm', uuid: vm.uuid };
  const body = { status, spec: '', api_version: '3.1', metadata };
  return { status: 202, body: checked('DeleteResponse', body) };
}

function readTask({ tasks, vms }: World, id: string): RestReply {
  const task = tasks.find(({ uuid }) => uuid === id);
  if (!task) return refusal(404, 'ENTITY_NOT_FOUND', `Task ${id} does not exist`);
  task.looks += 1;
  const isDone = task.looks > 2;
  if (isDone && vms.includes(task.vm)) vms.splice(vms.indexOf(task.vm), 1);
  const now = new Date().toISOString();
  const body = {
    uuid: task.uuid,
    status: isDone ? 'SUCCEEDED' : 'RUNNING',
    percentage_complete: isDone ? 100 : 40,
    operation_type: 'delete_vm_intent',
    creation_time: now,
    last_update_time: now,
    // Spelled so in the vendor's client.
    completion_timev: now,
  };
  return { status: 200, body: checked('TasksResponse', body) };
}

function listing(world: World, group: string, json: unknown): RestReply {
  const faults = published.faultsOf('DSMetadata', json);
  if (faults.length > 0) return refusal(422, 'INVALID_REQUEST', faults.join('; '));
  const { filter, offset = 0, length = 20 }: ListBody = Object(json);
  const { pageMax = 250 } = world.rules;
  const name = filter?.replace(/^(vm_)?name==/, '');
  const vms = world.vms.filter(({ body }) => name === undefined || body.spec.name === name);
  for (const vm of vms) look(world, vm);
  const things = world.things.filter((one) => `${one.kind}s` === group && one.name === name);
  const all = group === 'vms' ? vms.map(shown) : things.map(thingShown);
  const entities = all.slice(offset, offset + Math.min(length, pageMax));
  const metadata = { kind: group.slice(0, -1), offset, length: entities.length };
  const body = {
    api_version: '3.1',
    entities,
    metadata: { ...metadata, total_matches: all.length },
  };
  return { status: 200, body: group === 'vms' ? checked('VMListIntentResponse', body) : body };
}

interface ListBody {
  filter?: string;
  offset?: number;
  length?: number;
}

function thingShown({ kind, name, uuid, cluster }: Thing): unknown {
  const reference =
    cluster === undefined ? {} : { cluster_reference: { kind: 'cluster', uuid: cluster } };
  return { metadata: { kind, uuid }, status: { name, state: 'COMPLETE', ...reference } };
}

function shown({ uuid, body, created, state, message }: DoubleVm): unknown {
  const { name, description = '', cluster_reference: cluster, resources } = body.spec;
  const cards = resources.nic_list.map((card) => {
    return { ...card, ip_endpoint_list: [{ type: 'ASSIGNED', ip: '10.23.129.96' }] };
  });
  return {
    api_version: '3.1',
    metadata: { ...body.metadata, kind: 'vm', uuid, creation_time: created, spec_version: 0 },
    spec: body.spec,
    status: {
      name,
      description,
      state,
      cluster_reference: cluster,
      ...(message !== undefined && { message_list: [{ message, reason: 'INTERNAL_ERROR' }] }),
      ...(state === 'COMPLETE' && { resources: { power_state: 'ON', nic_list: cards } }),
    },
  };
}
