/** The driver of `provider: metal`: metal-stack, as its own driver for MCM allocates machines. */
import type { CreateRequest, Driver, Instance, PersistentVolumeSpec } from '../driver.ts';
import type { Cloud, Part, Resource } from '../frame/cloud.ts';
import { driverOf } from '../frame/driver.ts';
import { fault } from '../frame/fault.ts';
import { addressesOf, createRestAccounts, refBy, usualTags } from '../frame/rest-driver.ts';
import type { RestAccounts, RestDriverLimits } from '../frame/rest-driver.ts';
import { ownerTags, tagsFor } from '../frame/tags.ts';
import type { DriverSettings } from '../settings.ts';
import { requireText } from '../user-data-bytes.ts';
import { access, type MachineBody, type MachineAnswer, type MetalApi } from './client.ts';
import { clusterTagOf, projectOf, specOf, validateProviderSpec } from './validate.ts';

/** The API shows at once what it has allocated; a call may be on its way for so long. */
const settleSeconds = 30;

/** One allocation: the hardware stays when it is freed, and is allocated again. */
interface MetalMachine extends Resource {
  partition: string;
  machine: MachineAnswer;
}

interface MetalCloud {
  account: MetalApi;
  thing: MetalMachine;
  content: MachineBody;
}

export function createMetalDriver(settings: DriverSettings, limits: RestDriverLimits = {}): Driver {
  const { callTimeoutSeconds = 30, ...waits } = limits;
  const { allowsRetagging } = settings;
  const accounts = createRestAccounts(access, settings, callTimeoutSeconds);
  return driverOf(metalCloud(accounts), { ...waits, allowsRetagging });
}

function metalCloud(accounts: RestAccounts<MetalApi>): Cloud<MetalCloud> {
  return {
    title: 'metal-stack',
    settleSeconds,
    account: async (request) => accounts(request),
    parts: [],
    instance,
    uniqueness: { by: 'nothing' },
    tags: usualTags,
    isOfClass: ({ machine }, spec) =>
      hasTag(machine, clusterTagOf(spec)) && machine.allocation?.project === projectOf(spec),
    instanceOf,
    validate: validateProviderSpec,
    requireUserData: requireText,
    async retag(api, { thing, tags: wanted, signal }) {
      const { tags: texts = [] } = thing.machine;
      const ours = Object.values(usualTags.names);
      const others = texts.filter((tag) => !ours.includes(nameIn(tag)));
      const added = textsOf(wanted).filter((tag) => ours.includes(nameIn(tag)));
      await api.setTags(thing.machine, [...others, ...added], signal);
      return undefined;
    },
    listScope: (spec) => JSON.stringify([projectOf(spec) ?? null, clusterTagOf(spec) ?? null]),
    volumeIds: async (specs) => specs.flatMap(volumeIdOf),
  };
}

const instance: Part<MetalCloud> = {
  kind: 'instance',
  async read(api, ref, signal) {
    const machine = await api.get(ref, signal);
    return machine && viewsOf([machine])[0];
  },
  // What carries our token carries our name as well.
  search: async (api, { providerSpec, machine: { name }, signal }) =>
    viewsOf(await api.find({ ...within(providerSpec), allocation_name: name }, signal)),
  async list(api, request) {
    const { providerSpec, signal } = request;
    const cluster = clusterTagOf(providerSpec);
    const ours = textsOf(ownerTags(request, usualTags));
    const searches = [ours, ...(cluster === undefined ? [] : [[cluster]])];
    const found = await Promise.all(
      searches.map((wanted) => api.find({ ...within(providerSpec), tags: wanted }, signal)),
    );
    return [...new Map(viewsOf(found.flat()).map((thing) => [thing.ref, thing])).values()];
  },
  bodies: ({ request }) => [{ name: request.machine.name, content: allocationOf(request) }],
  async make(api, { body, signal }) {
    const [thing] = viewsOf([await api.allocate(body.content, signal)]);
    if (thing) return { thing };
    throw fault('unknown', `metal-stack: machine ${body.name} was allocated, and is not`);
  },
  // It boots for minutes and then joins; metal-stack starts it again by itself if that fails.
  stateOf: ({ machine }) => ({ is: 'ready', words: machine.state?.value || 'allocated' }),
  async remove(api, { ref }, signal) {
    await api.free(ref, signal);
    return 'gone';
  },
  providerIDOf: ({ partition, ref }) => `metal:///${partition}/${ref}`,
  refIn: refBy(
    /^metal:\/\/\/?[^/]+\/([^/]+)$/,
    'metal:///PARTITION/UUID or metal://PARTITION/UUID',
  ),
  protectionOf: ({ name, machine: { state } }) =>
    state?.value === 'LOCKED'
      ? `machine ${name} is locked (${state.description || 'without a reason'}): unlock it with metalctl machine unlock`
      : undefined,
};

/** Those that are allocated, and no firewalls. */
function viewsOf(machines: readonly MachineAnswer[]): MetalMachine[] {
  return machines.flatMap((machine) => {
    const { id, allocation, partition } = machine;
    if (allocation?.role !== 'machine') return [];
    return [
      {
        ref: id,
        uid: allocation.allocationuuid,
        name: allocation.name,
        tags: Object.fromEntries(
          (machine.tags ?? []).map((tag) => [nameIn(tag), tag.slice(nameIn(tag).length + 1)]),
        ),
        createdAt: Date.parse(allocation.created),
        partition: partition?.id ?? '',
        machine,
      },
    ];
  });
}

const nameIn = (tag: string): string => tag.split('=', 1)[0] ?? '';
const textsOf = (wanted: Readonly<Record<string, string>>): string[] =>
  Object.entries(wanted).map(([name, value]) => `${name}=${value}`);

const hasTag = ({ tags: texts = [] }: MachineAnswer, tag: string | undefined): boolean =>
  tag !== undefined && texts.includes(tag);

function within(providerSpec: unknown): { allocation_project: string; allocation_role: 'machine' } {
  const project = projectOf(providerSpec);
  if (project !== undefined) return { allocation_project: project, allocation_role: 'machine' };
  throw fault('input', 'providerSpec.project is missing: without it no machine can be found');
}

function allocationOf(request: CreateRequest): MachineBody {
  const { machine, cluster, token, userData } = request;
  const spec = specOf(request.providerSpec);
  const { name } = machine;
  const placement = clusterTagOf(spec);
  return {
    name,
    hostname: name,
    description: `${name} created by Millwright.`,
    partitionid: spec.partition,
    sizeid: spec.size,
    imageid: spec.image,
    projectid: spec.project,
    networks: [{ networkid: spec.network, autoacquire: true }],
    tags: [...spec.tags, ...textsOf(tagsFor({}, { cluster, machine, token }, usualTags))],
    placement_tags: placement === undefined ? [] : [placement],
    ssh_pub_keys: spec.sshKeys ?? [],
    user_data: userData.trim(),
    ...(spec.dnsServers && { dns_servers: spec.dnsServers.map(({ ip }) => ({ ip })) }),
    ...(spec.ntpServers && { ntp_servers: spec.ntpServers.map(({ address }) => ({ address })) }),
  };
}

function instanceOf({ partition, ref, name, machine: { allocation } }: MetalMachine): Instance {
  const ips = (allocation?.networks ?? []).flatMap((network) => network.ips ?? []);
  return {
    providerID: `metal:///${partition}/${ref}`,
    nodeName: name,
    addresses: addressesOf(ips, name),
    isInitialized: true,
  };
}

/** Lightbits names a volume by its nguid: `mgmt:10.0.0.1:443|nguid:1f5a...|proj:p|scheme:grpcs`. */
function volumeIdOf({ csi }: PersistentVolumeSpec): string[] {
  if (csi?.driver !== 'csi.lightbitslabs.com' || csi.volumeHandle === '') return [];
  const parts = csi.volumeHandle.split('|').map((part) => part.split(':'));
  return [parts.find(([name]) => name === 'nguid')?.[1] ?? csi.volumeHandle];
}
