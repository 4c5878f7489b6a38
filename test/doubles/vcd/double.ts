/**
 * VMware Cloud Director's API as far as the driver uses it, in its JSON form. Bodies are held to
 * the vendor's published types (bindings.json), in both directions. What is asked for is a task,
 * which takes some looks; meanwhile the vApp, or the machine, is busy.
 */
import { randomUUID } from 'node:crypto';
import { readPublished } from '../rest/published.ts';
import { startRestDouble } from '../rest/rest-double.ts';
import type { RestDouble, RestReply, RestRequest } from '../rest/rest-double.ts';

const published = readPublished(new URL('bindings.json', import.meta.url));

interface Section {
  _type: string;
  [field: string]: unknown;
}

export interface DoubleVm {
  uuid: string;
  vapp: string;
  name: string;
  description: string;
  status: number;
  deployed: boolean;
  created: string;
  section: Section[];
}

interface Task {
  uuid: string;
  /** Of the vApp, and of the machine: both are busy until it is done. */
  busy: string[];
  vm: DoubleVm;
  operation: string;
  looks: number;
  error?: { code: string; message: string } | undefined;
  /** What is so once it is done; an error is of no use then. */
  end: () => { code: string; message: string } | undefined;
}

export interface VcdRules {
  /** Of a login. */
  authorization: string;
  vdc: string;
  vapps: string[];
  networks: string[];
  catalog: string;
  template: string;
  /** Whose copy fails. */
  brokenTemplate: string;
  storageProfile: string;
  /** What no host has. */
  memoryMax: number;
  /** Of one machine, as the quota goes. */
  coresMax: number;
}

export interface VcdDouble extends RestDouble {
  vms: DoubleVm[];
  /** By name: how often one was made. */
  made: Map<string, number>;
  named: (name: string) => DoubleVm[];
  endLogins: () => void;
}

interface World {
  rules: VcdRules;
  vapps: { uuid: string; name: string }[];
  profile: string;
  templates: { uuid: string; name: string }[];
  vms: DoubleVm[];
  tasks: Task[];
  logins: Set<string>;
  made: Map<string, number>;
}

const host = 'https://vcd.example.com';
/** Of a task, until it is done. */
const looksMax = 2;

const aThing = (name: string): { uuid: string; name: string } => ({ uuid: randomUUID(), name });

export async function startVcdDouble(rules: VcdRules): Promise<VcdDouble> {
  const world: World = {
    rules,
    vapps: rules.vapps.map(aThing),
    templates: [rules.template, rules.brokenTemplate].map(aThing),
    profile: randomUUID(),
    vms: [],
    tasks: [],
    logins: new Set(),
    made: new Map(),
  };
  const double = await startRestDouble((request) => answer(world, request));
  return {
    ...double,
    vms: world.vms,
    made: world.made,
    named: (name) => world.vms.filter((vm) => vm.name === name),
    endLogins: () => world.logins.clear(),
  };
}

function refusal(status: number, code: string, message: string): RestReply {
  return {
    status,
    body: checked('ErrorType', { majorErrorCode: status, minorErrorCode: code, message }),
  };
}

const badRequest = (faults: string[]): RestReply =>
  refusal(400, 'BAD_REQUEST', `Bad request: ${faults.join('; ')}`);

/** What is not there is the same as what one may not see. */
const unseen = (uuid: string): RestReply =>
  refusal(
    403,
    'ACCESS_TO_RESOURCE_IS_FORBIDDEN',
    `[ ${uuid} ] Either you need some or all of the following rights [Base] to perform operations for ${uuid} or the target entity is invalid.`,
  );

function checked(type: string, value: unknown): unknown {
  const faults = published.faultsOf(type, value);
  if (faults.length > 0) throw new Error(`the double answers what is no ${type}: ${faults.join()}`);
  return value;
}

/** Sections are of no type in the published ones: `_type` says which they are. */
function sectionFaults(sections: readonly Section[] = []): string[] {
  return sections.flatMap((section) => {
    const { _type: type } = section;
    return published.faultsOf(type, section);
  });
}

function answer(world: World, request: RestRequest): RestReply {
  const { method, path, headers, query } = request;
  if (path === '/cloudapi/1.0.0/sessions' && method === 'POST') return logIn(world, headers);
  const login = /^Bearer (.*)$/.exec(String(headers['authorization']))?.[1];
  if (!world.logins.has(login ?? '')) return refusal(401, 'UNAUTHORIZED', 'Not logged in');
  if (headers['accept'] !== 'application/*+json;version=37.0') {
    return refusal(406, 'NOT_ACCEPTABLE', 'The request has invalid accept header');
  }
  if (path === '/api/query') return records(world, query);
  return entityAnswer(world, request);
}

function entityAnswer(world: World, request: RestRequest): RestReply {
  const { method, path } = request;
  const [, group, id = '', action = ''] = /^\/api\/(task|vApp)\/([\w-]+)\/?(.*)$/.exec(path) ?? [];
  if (group === 'task') return readTask(world, id);
  const vapp = world.vapps.find(({ uuid }) => `vapp-${uuid}` === id);
  if (vapp && method === 'GET') return readVapp(world, vapp);
  if (vapp && action === 'action/recomposeVApp') return recompose(world, vapp.uuid, request);
  const vm = world.vms.find(({ uuid }) => `vm-${uuid}` === id);
  if (!vm) return unseen(id);
  if (method === 'GET') return { status: 200, body: checked('VmType', vmShown(world, vm)) };
  return change(world, vm, { request, action });
}

function logIn({ rules, logins }: World, headers: RestRequest['headers']): RestReply {
  if (headers['authorization'] !== rules.authorization) {
    return refusal(401, 'UNAUTHORIZED', 'Authentication failed');
  }
  const token = randomUUID();
  logins.add(token);
  return { status: 200, headers: { 'x-vmware-vcloud-access-token': token }, body: {} };
}

function records({ rules, vapps, templates, profile }: World, query: URLSearchParams): RestReply {
  const { vdc, catalog, storageProfile: name } = rules;
  const vdcName = vdc;
  const all: Record<string, Record<string, string>[]> = {
    vApp: vapps.map((vapp) => ({
      href: `${host}/api/vApp/vapp-${vapp.uuid}`,
      name: vapp.name,
      vdcName,
    })),
    vm: templates.map((template) => ({
      href: `${host}/api/vAppTemplate/vm-${template.uuid}`,
      isVAppTemplate: 'true',
      catalogName: catalog,
      containerName: template.name,
    })),
    orgVdcStorageProfile: [{ href: `${host}/api/vdcStorageProfile/${profile}`, name, vdcName }],
  };
  const [, filter = ''] = /^\((.*)\)$/.exec(query.get('filter') ?? '') ?? [];
  const wanted = filter.split(';').map((term) => term.split('=='));
  const record = (all[query.get('type') ?? ''] ?? []).filter((one) =>
    wanted.every(([key = '', value]) => one[key] === value),
  );
  const total = record.length;
  return {
    status: 200,
    body: checked('QueryResultRecordsType', { total, page: 1, pageSize: 128, record }),
  };
}

/** What is under way goes on with each look. */
function look(task: Task): void {
  task.looks += 1;
  if (task.looks === looksMax) task.error = task.end();
}

const isRunning = ({ looks }: Task): boolean => looks < looksMax;

function taskShown({ uuid, operation, error, ...task }: Task): object {
  const now = new Date().toISOString();
  const status = error ? 'error' : 'success';
  return {
    id: `urn:vcloud:task:${uuid}`,
    href: `${host}/api/task/${uuid}`,
    name: 'task',
    operation,
    startTime: now,
    ...(isRunning({ uuid, operation, ...task })
      ? { status: 'running', progress: 40 }
      : { status, progress: 100, endTime: now }),
    ...(error && {
      error: { majorErrorCode: 400, minorErrorCode: error.code, message: error.message },
    }),
  };
}

function readTask({ tasks }: World, id: string): RestReply {
  const task = tasks.find(({ uuid }) => uuid === id);
  if (!task) return unseen(id);
  if (isRunning(task)) look(task);
  return { status: 200, body: checked('TaskType', taskShown(task)) };
}

function vmShown({ tasks }: World, { uuid, created, vapp: _vapp, ...vm }: DoubleVm): object {
  const running = tasks.filter((task) => task.vm.uuid === uuid && isRunning(task));
  return {
    _type: 'VmType',
    id: `urn:vcloud:vm:${uuid}`,
    href: `${host}/api/vApp/vm-${uuid}`,
    dateCreated: created,
    ...vm,
    ...(running.length > 0 && { tasks: { task: running.map(taskShown) } }),
  };
}

function readVapp(world: World, { uuid, name }: { uuid: string; name: string }): RestReply {
  for (const task of world.tasks) if (isRunning(task) && task.busy.includes(uuid)) look(task);
  const vms = world.vms.filter(({ vapp }) => vapp === uuid);
  const vm = vms.map((one) => vmShown(world, one));
  const body = { id: `urn:vcloud:vapp:${uuid}`, name, description: 'of somebody', status: 4 };
  return { status: 200, body: checked('VAppType', { ...body, children: { vm } }) };
}

function begin(world: World, task: Pick<Task, 'busy' | 'vm' | 'operation' | 'end'>): RestReply {
  const begun = { uuid: randomUUID(), looks: 0, ...task };
  world.tasks.push(begun);
  return { status: 202, body: checked('TaskType', taskShown(begun)) };
}

function busy({ tasks }: World, uuid: string): RestReply | undefined {
  const task = tasks.find((one) => isRunning(one) && one.busy.includes(uuid));
  const words = `The entity ${uuid} is busy completing an operation.`;
  return task && refusal(400, 'BUSY_ENTITY', words);
}

interface Recomposition {
  name: string;
  sourcedItem: {
    source: { href: string };
    vmGeneralParams: { name: string; description: string };
    instantiationParams: { section: Section[] };
    storageProfile?: { href: string };
  }[];
}

function recompose(world: World, vapp: string, { body, headers }: RestRequest): RestReply {
  const faults = faultsIn('recomposeVAppParams', 'RecomposeVAppParamsType', { body, headers });
  const { sourcedItem = [] }: Recomposition = Object(body);
  const [item] = sourcedItem;
  if (!item || faults.length > 0) return badRequest([...faults, 'sourcedItem']);
  const { name, description } = item.vmGeneralParams;
  const { section } = item.instantiationParams;
  const wrong = sectionFaults(section);
  if (wrong.length > 0) return badRequest(wrong);
  const { rules } = world;
  const cards: { network: string }[] = Object(section[0])['networkConnection'];
  const stranger = cards.find(({ network }) => !rules.networks.includes(network));
  if (stranger) return badRequest([`no network ${stranger.network} in the vApp`]);
  const isTaken = world.vms.some((vm) => vm.vapp === vapp && vm.name === name);
  if (isTaken) return refusal(400, 'DUPLICATE_NAME', `The VCD entity ${name} already exists.`);
  const waits = busy(world, vapp);
  if (waits) return waits;
  const template = world.templates.find(({ uuid }) => item.source.href.endsWith(`vm-${uuid}`));
  if (!template) return unseen(item.source.href);
  const vm: DoubleVm = {
    uuid: randomUUID(),
    vapp,
    name,
    description,
    status: 0,
    deployed: false,
    created: new Date().toISOString(),
    section: [],
  };
  world.vms.push(vm);
  world.made.set(name, (world.made.get(name) ?? 0) + 1);
  return begin(world, {
    busy: [vapp, vm.uuid],
    vm,
    operation: 'Composing',
    end() {
      const isBroken = template.name === rules.brokenTemplate;
      vm.status = isBroken ? -1 : 8;
      vm.section = [...sectionsOfTemplate(), ...section];
      return isBroken
        ? { code: 'INTERNAL_SERVER_ERROR', message: 'There is not enough space on the datastore.' }
        : undefined;
    },
  });
}

/** The image of a distribution has properties as well. */
function sectionsOfTemplate(): Section[] {
  const property = { _type: 'ProductSectionProperty', key: 'instance-id', value: 'id-ovf' };
  return [
    { _type: 'ProductSectionType', categoryOrProperty: [property] },
    {
      _type: 'VmSpecSectionType',
      osType: 'ubuntu64Guest',
      numCpus: 1,
      numCoresPerSocket: 1,
      memoryResourceMb: { configured: 1_024 },
      diskSection: { diskSettings: [{ diskId: '2000', sizeMb: 10_240, adapterType: '5' }] },
    },
    { _type: 'GuestCustomizationSectionType', enabled: true, computerName: 'template' },
  ];
}

function faultsIn(
  kind: string,
  type: string,
  { body, headers }: Pick<RestRequest, 'body' | 'headers'>,
): string[] {
  const wanted = `application/vnd.vmware.vcloud.${kind}+json;version=37.0`;
  if (headers['content-type'] !== wanted) return [`content-type is not ${wanted}`];
  return published.faultsOf(type, body);
}

interface Change {
  request: RestRequest;
  action: string;
}

function change(world: World, vm: DoubleVm, { request, action }: Change): RestReply {
  const waits = busy(world, vm.uuid);
  if (waits) return waits;
  const { method } = request;
  const doing = { busy: [vm.vapp, vm.uuid], vm };
  if (method === 'DELETE' && action === '') {
    if (vm.deployed) return badRequest([`VM ${vm.name} is not powered off`]);
    const end = (): undefined => void world.vms.splice(world.vms.indexOf(vm), 1);
    return begin(world, { ...doing, operation: 'Deleting', end });
  }
  const begun = changes[`${method} ${action}`]?.(world, vm, request);
  if (begun === undefined) return refusal(405, 'METHOD_NOT_ALLOWED', action);
  return Array.isArray(begun)
    ? badRequest(begun)
    : begin(world, { ...doing, operation: action, end: begun });
}

/** What there is to do, or what is wrong with it. */
type Begin = (world: World, vm: DoubleVm, request: RestRequest) => Task['end'] | string[];

const changes: Readonly<Record<string, Begin>> = {
  'PUT productSections'(_world, vm, request) {
    const faults = faultsIn('productSections', 'ProductSectionListType', request);
    const { productSection = [] }: { productSection?: { categoryOrProperty: Section[] }[] } =
      Object(request.body);
    const properties = productSection.flatMap(({ categoryOrProperty: list }) => list);
    const wrong = [...faults, ...sectionFaults(properties)];
    if (wrong.length > 0) return wrong;
    const sections = productSection.map((one) => ({ _type: 'ProductSectionType', ...one }));
    return () => {
      const others = vm.section.filter(({ _type }) => _type !== 'ProductSectionType');
      vm.section = [...sections, ...others];
      return undefined;
    };
  },
  'POST action/reconfigureVm'({ rules }, vm, request) {
    const faults = faultsIn('vm', 'VmType', request);
    const body: { description: string; section: Section[] } = Object(request.body);
    const wrong = [...faults, ...sectionFaults(body.section)];
    if (wrong.length > 0) return wrong;
    const size = body.section.find(({ _type }) => _type === 'VmSpecSectionType');
    if (Number(size?.['numCpus']) > rules.coresMax) return ['the CPU quota would be exceeded'];
    const types = body.section.map(({ _type }) => _type);
    return () => {
      vm.description = body.description;
      const others = vm.section.filter(({ _type }) => !types.includes(_type));
      vm.section = [...others, ...body.section];
      return undefined;
    };
  },
  'POST power/action/powerOn'({ rules }, vm) {
    if (vm.deployed) return [`VM ${vm.name} is powered on`];
    return () => {
      const size = vm.section.find(({ _type }) => _type === 'VmSpecSectionType');
      const { configured } = Object(size?.['memoryResourceMb']);
      if (Number(configured) > rules.memoryMax) {
        const message = 'The host has insufficient memory resources for the operation.';
        return { code: 'INTERNAL_SERVER_ERROR', message };
      }
      vm.status = 4;
      vm.deployed = true;
      vm.section = vm.section.map((section) => {
        const cards: unknown = section['networkConnection'];
        if (!Array.isArray(cards)) return section;
        const connected = cards.map((card) => ({ ...Object(card), ipAddress: '10.1.2.3' }));
        return { ...section, networkConnection: connected };
      });
      return undefined;
    };
  },
  'POST action/undeploy'(_world, vm, request) {
    const faults = faultsIn('undeployVAppParams', 'UndeployVAppParamsType', request);
    if (faults.length > 0) return faults;
    if (!vm.deployed) return [`VM ${vm.name} is not deployed`];
    return () => {
      vm.status = 8;
      vm.deployed = false;
      return undefined;
    };
  },
};
