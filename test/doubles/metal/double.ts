/**
 * metal-stack's API as far as the driver uses it: hardware that is allocated and freed. What it
 * takes and answers is held to the published description (metal-api.json); statuses and words of
 * refusals are those of the source of metal-api.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { readPublished } from '../rest/published.ts';
import { startRestDouble } from '../rest/rest-double.ts';
import type { RestDouble, RestReply, RestRequest } from '../rest/rest-double.ts';

const published = readPublished(new URL('metal-api.json', import.meta.url));

/** What it knows of machines. */
export interface Hardware {
  id: string;
  tags: string[];
  isLocked: boolean;
  /** Undefined while it is of nobody. */
  allocation: Allocation | undefined;
}

export interface Allocation {
  allocationuuid: string;
  created: string;
  body: AllocateBody;
}

interface AllocateBody {
  name: string;
  hostname: string;
  description: string;
  projectid: string;
  partitionid: string;
  sizeid: string;
  imageid: string;
  networks: { networkid: string }[];
  tags: string[];
  ssh_pub_keys: string[];
  user_data: string;
}

export interface MetalDouble extends RestDouble {
  hardware: Hardware[];
  /** By name: how often one was allocated. */
  allocations: Map<string, number>;
  allocatedTo: (name: string) => Hardware[];
}

export interface MetalRules {
  token?: string;
  hmac?: string;
  partition: string;
  size: string;
  image: string;
  project: string;
  network: string;
  /** Machines of the project, at most. */
  quota?: number;
  /** Machines that stand there. Default 400. */
  machines?: number;
}

export async function startMetalDouble(rules: MetalRules): Promise<MetalDouble> {
  const hardware = Array.from({ length: rules.machines ?? 400 }, (): Hardware => {
    return { id: randomUUID(), tags: [], isLocked: false, allocation: undefined };
  });
  const allocations = new Map<string, number>();
  const world: World = { rules, hardware, allocations };
  const double = await startRestDouble((request) => answer(world, request));
  return {
    ...double,
    hardware,
    allocations,
    allocatedTo: (name) => hardware.filter(({ allocation }) => allocation?.body.name === name),
  };
}

interface World {
  rules: MetalRules;
  hardware: Hardware[];
  allocations: Map<string, number>;
}

const refusal = (status: number, message: string): RestReply => {
  const body = { statuscode: status, message };
  return { status, body: checked('httperrors.HTTPErrorResponse', body) };
};

function checked(name: string, value: unknown): unknown {
  const faults = published.faultsOf(name, value);
  if (faults.length > 0) throw new Error(`the double answers what is no ${name}: ${faults.join()}`);
  return value;
}

function answer(world: World, request: RestRequest): RestReply {
  if (!isAllowed(world.rules, request)) return refusal(401, 'no auth found');
  const { method, path, body } = request;
  const [, id = '', verb = ''] = /^\/metal\/v1\/machine\/([^/]+)(?:\/(free))?$/.exec(path) ?? [];
  const call = `${method} ${id === '' ? path : path.replace(id, 'ID')}`;
  if (call === 'POST /metal/v1/machine/ID' && id === 'allocate') return allocate(world, body);
  if (call === 'POST /metal/v1/machine/ID' && id === 'find') return find(world, body);
  if (call === 'POST /metal/v1/machine') return update(world, body);
  const machine = world.hardware.find((one) => one.id === id);
  if (!machine) return refusal(404, `no machine with id "${id}" found`);
  if (method === 'GET') return { status: 200, body: shown(world, machine) };
  if (method === 'DELETE' && verb === 'free') return free(world, machine);
  return refusal(404, '404: Page Not Found');
}

/** As github.com/metal-stack/security checks a signature: time, method, salt. */
function isAllowed({ token, hmac }: MetalRules, { method, headers }: RestRequest): boolean {
  const { authorization } = headers;
  if (hmac === undefined) return authorization === `Bearer ${token}`;
  const date = String(headers['x-date']);
  // There it may be 15 seconds old.
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(date);
  const text = `${date}${method}${String(headers['x-data-salt'])}`;
  const mac = createHmac('sha256', hmac).update(text).digest('hex');
  return isTime && authorization === `Metal-Admin ${mac}`;
}

function allocate({ rules, hardware, allocations }: World, json: unknown): RestReply {
  const faults = published.faultsOf('v1.MachineAllocateRequest', json);
  if (faults.length > 0) return refusal(400, faults.join('; '));
  const body: AllocateBody = Object(json);
  if (body.networks.length === 0) return refusal(400, 'network ids cannot be empty');
  if (body.imageid !== rules.image) return refusal(400, `no image for id:${body.imageid} found`);
  if (body.sizeid !== rules.size) return refusal(400, `size:${body.sizeid} not found err:`);
  if (body.partitionid !== rules.partition) {
    return refusal(400, `partition:${body.partitionid} not found err:`);
  }
  const [network] = body.networks;
  if (network?.networkid !== rules.network) {
    return refusal(422, `unable to gather networks:no network with id "${network?.networkid}"`);
  }
  if (body.projectid !== rules.project) return refusal(404, 'project not found');
  const taken = hardware.filter(({ allocation }) => allocation !== undefined).length;
  if (rules.quota !== undefined && taken >= rules.quota) {
    return refusal(422, `project quota for machines reached max:${rules.quota}`);
  }
  const machine = hardware.find(({ allocation }) => allocation === undefined);
  if (!machine) return refusal(422, 'no machine available');
  const created = new Date().toISOString();
  machine.allocation = { allocationuuid: randomUUID(), created, body };
  machine.tags = withSystemTags(machine, body.tags);
  allocations.set(body.name, (allocations.get(body.name) ?? 0) + 1);
  return { status: 200, body: shown({ rules }, machine) };
}

const systemTag = 'machine.metal-stack.io/rack=';

/** The API adds its own, and keeps the last of two with one name. */
function withSystemTags({ id }: Hardware, texts: readonly string[]): string[] {
  const labels = texts.filter((tag) => tag.includes('=') && !tag.startsWith(systemTag));
  const byName = new Map(labels.map((tag) => [tag.split('=', 1)[0], tag]));
  const plain = texts.filter((tag) => !tag.includes('='));
  return [...plain, ...byName.values(), `${systemTag}rack-${id.slice(0, 1)}`];
}

function find(world: World, json: unknown): RestReply {
  const faults = published.faultsOf('v1.MachineFindRequest', json);
  if (faults.length > 0) return refusal(400, faults.join('; '));
  const wanted: Record<string, unknown> = Object(json);
  const { tags } = wanted;
  const names = Array.isArray(tags) ? tags : [];
  const found = world.hardware.filter(
    ({ allocation, tags: texts }) =>
      names.every((tag) => texts.includes(tag)) &&
      isWanted(wanted['allocation_name'], allocation?.body.name) &&
      isWanted(wanted['allocation_project'], allocation?.body.projectid) &&
      isWanted(wanted['allocation_role'], allocation && 'machine'),
  );
  return { status: 200, body: found.map((machine) => shown(world, machine)) };
}

const isWanted = (wanted: unknown, value: string | undefined): boolean =>
  wanted === undefined || wanted === value;

function update(world: World, json: unknown): RestReply {
  const faults = published.faultsOf('v1.MachineUpdateRequest', json);
  if (faults.length > 0) return refusal(400, faults.join('; '));
  const { id, tags, description }: { id: string; tags?: string[]; description: string } =
    Object(json);
  const machine = world.hardware.find((one) => one.id === id);
  if (!machine) return refusal(404, `no machine with id "${id}" found`);
  if (!machine.allocation) return refusal(400, 'only allocated machines can be updated');
  machine.allocation.body.description = description;
  if (tags && tags.length > 0) machine.tags = withSystemTags(machine, tags);
  return { status: 200, body: shown(world, machine) };
}

function free(world: World, machine: Hardware): RestReply {
  if (machine.isLocked) return refusal(422, 'machine is locked');
  machine.allocation = undefined;
  machine.tags = [];
  return { status: 200, body: shown(world, machine) };
}

function shown({ rules }: Pick<World, 'rules'>, machine: Hardware): unknown {
  const { id, tags, isLocked, allocation } = machine;
  return checked('v1.MachineResponse', {
    id,
    tags,
    partition: { id: rules.partition, bootconfig: {} },
    bios: { date: '', vendor: '', version: '' },
    events: { crash_loop: false, failed_machine_reclaim: false, log: [] },
    hardware: { cpu_cores: 8, disks: [], memory: 1, nics: [] },
    ledstate: { description: '', value: 'LED-OFF' },
    liveliness: 'Alive',
    state: {
      value: isLocked ? 'LOCKED' : '',
      description: isLocked ? 'kept for a look' : '',
      metal_hammer_version: '',
    },
    ...(allocation && { allocation: allocationShown(machine, allocation) }),
  });
}

function allocationShown({ id }: Hardware, allocation: Allocation): unknown {
  const { allocationuuid, created, body } = allocation;
  return {
    allocationuuid,
    created,
    creator: 'millwright',
    name: body.name,
    hostname: body.hostname,
    description: body.description,
    project: body.projectid,
    role: 'machine',
    reinstall: false,
    succeeded: false,
    ssh_pub_keys: body.ssh_pub_keys,
    user_data: body.user_data,
    networks: body.networks.map(({ networkid }) => ({
      asn: 4_200_000_001,
      destinationprefixes: [],
      ips: [`10.0.0.${Number.parseInt(id.slice(0, 2), 16)}`],
      nat: false,
      nattypev2: '',
      networkid,
      networktype: 'privateprimaryunshared',
      networktypev2: '',
      prefixes: ['10.0.0.0/22'],
      private: true,
      projectid: body.projectid,
      underlay: false,
      vrf: 1,
    })),
  };
}
