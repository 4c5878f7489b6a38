/** The driver of `provider: nutanix`: machines of AHV, by the v3 API of Prism Central. */
import type {
  CreateRequest,
  Driver,
  DriverError,
  Instance,
  PersistentVolumeSpec,
} from '../driver.ts';
import type { Cloud, MakeCall, Making, Operation, Part, Resource, State } from '../frame/cloud.ts';
import type { TagSpelling } from '../frame/cloud.ts';
import { driverOf } from '../frame/driver.ts';
import { fault } from '../frame/fault.ts';
import { tagsFor } from '../frame/tags.ts';
import type { DriverSettings } from '../settings.ts';
import { base64UserData } from '../user-data-bytes.ts';
import { createAccounts, meaningOf, wordsIn, type Accounts } from './client.ts';
import type { Kind, Prism, Reference, Task, VmAnswer, VmIntent } from './client.ts';
import type { NutanixProviderSpec } from './provider-spec.ts';
import { specOf, validateProviderSpec } from './validate.ts';

export interface NutanixDriverLimits {
  /** The limit of one request. Default 30. */
  callTimeoutSeconds?: number;
  /** See `FrameOptions`. */
  waitSeconds?: number;
  orphanWaitSeconds?: number;
  firstPauseSeconds?: number;
}

/** Prism Central may show an intent a moment after it took it. */
const settleSeconds = 60;

const tags: TagSpelling = {
  word: 'tag',
  names: {
    cluster: 'millwright.dev/cluster',
    namespace: 'millwright.dev/namespace',
    machineUid: 'millwright.dev/machine-uid',
    token: 'millwright.dev/token',
  },
  allowed: /^[^\s=]{1,128}$/,
};

interface Vm extends Resource {
  vm: VmAnswer;
}

/** What is made, with names where Prism Central wants ids. */
interface Wanted {
  spec: NutanixProviderSpec;
  description: string;
  userData: string;
}

interface NutanixCloud {
  account: Prism;
  thing: Vm;
  content: Wanted;
}

export function createNutanixDriver(
  settings: DriverSettings,
  limits: NutanixDriverLimits = {},
): Driver {
  const { callTimeoutSeconds = 30, ...waits } = limits;
  return driverOf(nutanixCloud(createAccounts(settings, callTimeoutSeconds)), waits);
}

function nutanixCloud(accounts: Accounts): Cloud<NutanixCloud> {
  return {
    title: 'Nutanix',
    settleSeconds,
    account: async (request) => accounts(request),
    parts: [],
    instance,
    uniqueness: { by: 'nothing' },
    tags,
    // MCM has no driver for Nutanix, so nothing without our tags is anybody's of ours.
    isOfClass: () => false,
    instanceOf,
    validate: validateProviderSpec,
    deletesFailed: true,
    // One listing shows all that the user may see.
    listScope: () => '',
    volumeIds: async (specs) => specs.flatMap(volumeIdOf),
  };
}

const instance: Part<NutanixCloud> = {
  kind: 'instance',
  async read(prism, ref, signal) {
    const vm = await prism.get(ref, signal);
    return vm && viewOf(vm);
  },
  async search(prism, { machine: { name }, signal }) {
    const found = (await prism.list(name, signal)).map(viewOf);
    return found.filter((thing) => thing.name === name);
  },
  // It cannot be searched for words of the description.
  list: async (prism, { signal }) => (await prism.list(undefined, signal)).map(viewOf),
  bodies: ({ request }) => [{ name: request.machine.name, content: wantedOf(request) }],
  make,
  stateOf,
  deathOf({ name, vm: { status } }) {
    const words = wordsIn(status?.message_list ?? []);
    return {
      meaning: meaningOf(words, 'conflict'),
      message: `Nutanix: instance ${name} could not be made: ${words}`,
    };
  },
  async remove(prism, { ref }, signal) {
    const task = await prism.remove(ref, signal);
    return task === undefined ? 'gone' : { name: task, isDone: false };
  },
  async operation(prism, { name, signal }) {
    const task = await prism.task(name, signal);
    return task && operationOf(name, task);
  },
  providerIDOf: ({ ref }) => `nutanix://${ref}`,
  refIn,
};

function viewOf(vm: VmAnswer): Vm {
  const { metadata, spec = {}, status = {} } = vm;
  const created = Date.parse(metadata.creation_time ?? '');
  return {
    ref: metadata.uuid,
    name: status.name ?? spec.name ?? '',
    tags: tagsIn(status.description ?? spec.description ?? ''),
    createdAt: Number.isNaN(created) ? undefined : created,
    vm,
  };
}

/** Categories would have to be there before they are used; a description is free text. */
function descriptionOf({ cluster, machine, token }: CreateRequest): string {
  const ours = Object.entries(tagsFor({}, { cluster, machine, token }, tags));
  return ours.map(([name, value]) => `${name}=${value}`).join(' ');
}

function tagsIn(description: string): Record<string, string> {
  const pairs = description.matchAll(/(?:^|\s)(millwright\.dev\/[a-z-]+)=(\S+)/g);
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, value]));
}

function stateOf({ vm: { status } }: Vm): State {
  const words = status?.state ?? 'without a state';
  if (words === 'COMPLETE') return { is: 'ready', words };
  if (words.startsWith('DELETE')) return { is: 'going', words };
  return { is: words === 'ERROR' ? 'failed' : 'coming', words };
}

function wantedOf(request: CreateRequest): Wanted {
  return {
    spec: specOf(request.providerSpec),
    description: descriptionOf(request),
    userData: base64UserData(request),
  };
}

async function make(
  prism: Prism,
  { body: { name, content }, signal }: MakeCall<NutanixCloud>,
): Promise<Making<NutanixCloud>> {
  const intent = await intentOf(prism, { name, content, signal });
  return { thing: viewOf(await prism.create(intent, signal)) };
}

interface Naming {
  name: string;
  content: Wanted;
  signal: AbortSignal;
}

async function intentOf(
  prism: Prism,
  { name, content: { spec, description, userData }, signal }: Naming,
): Promise<VmIntent> {
  const clusterRef = await refOf(prism, 'cluster', { name: spec.clusterName, signal });
  const subnetRefs = await Promise.all(
    [spec.subnetName, ...(spec.additionalSubnetNames ?? [])].map((subnet) =>
      refOf(prism, 'subnet', { name: subnet, signal, cluster: clusterRef.uuid }),
    ),
  );
  const imageRef = await refOf(prism, 'image', { name: spec.imageName, signal });
  const projectRef =
    spec.projectName === undefined
      ? undefined
      : await refOf(prism, 'project', { name: spec.projectName, signal });
  return {
    metadata: {
      kind: 'vm',
      ...(spec.categories && { categories: spec.categories }),
      ...(projectRef && { project_reference: projectRef }),
    },
    spec: {
      name,
      description,
      cluster_reference: clusterRef,
      resources: {
        power_state: 'ON',
        num_sockets: spec.cpus,
        ...(spec.cpuCores !== undefined && { num_vcpus_per_socket: spec.cpuCores }),
        ...(spec.cpuPassthrough !== undefined && { enable_cpu_passthrough: spec.cpuPassthrough }),
        memory_size_mib: spec.memoryMB,
        nic_list: subnetRefs.map((subnet) => ({ subnet_reference: subnet })),
        disk_list: [
          {
            device_properties: {
              device_type: 'DISK',
              disk_address: { device_index: 0, adapter_type: 'SCSI' },
            },
            data_source_reference: imageRef,
            ...(spec.diskSize !== undefined && { disk_size_mib: spec.diskSize * 1_024 }),
          },
        ],
        guest_customization: { cloud_init: { user_data: userData } },
      },
    },
  };
}

interface Wish {
  name: string;
  signal: AbortSignal;
  /** A subnet is of one cluster, or of all. */
  cluster?: string;
}

/** Of the first of that name, as Kubermatic's controller takes it. */
async function refOf(
  prism: Prism,
  kind: Kind,
  { name, signal, cluster }: Wish,
): Promise<Reference> {
  const found = await prism.named(kind, name, signal);
  const [first] = found.filter(({ status }) => {
    const of = status?.cluster_reference?.uuid;
    return cluster === undefined || of === undefined || of === cluster;
  });
  if (first) return { kind, uuid: first.metadata.uuid };
  const field = `providerSpec.${kind}Name`;
  throw fault('input', `Invalid value: ${field}: there is no ${kind} "${name}" to be seen`, true);
}

/** Words for tasks that ended without the cloud's own. */
const silent = 'no reason given';

function operationOf(name: string, task: Task): Operation {
  const { status = '', percentage_complete: percent, error_detail: detail } = task;
  const isFailed = status === 'FAILED' || status === 'ABORTED' || status === 'INVALID_UUID';
  const words = detail || task.progress_message || silent;
  const failure = (_deed: string, of: string, settled: boolean): DriverError =>
    fault(
      meaningOf(words, 'unknown'),
      `Nutanix: task ${name} of instance ${of}: ${words}`,
      settled,
    );
  return {
    name,
    isDone: isFailed || status === 'SUCCEEDED',
    progress: percent === undefined ? status : `${status}, ${percent} %`,
    begunAt: millisecondsOf(task.creation_time),
    endedAt: millisecondsOf(task.last_update_time),
    ...(isFailed && { failure, isForNothing: /not found|does not exist/i.test(words) }),
  };
}

function millisecondsOf(time: string | undefined): number | undefined {
  const milliseconds = Date.parse(time ?? '');
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

function refIn(providerID: string): string {
  const [, uuid] = /^nutanix:\/\/\/?([0-9a-fA-F-]{36})$/.exec(providerID) ?? [];
  if (uuid !== undefined) return uuid;
  throw fault('input', `spec.providerID: "${providerID}" is not of the form nutanix://UUID`);
}

function instanceOf({ ref, name, vm: { status } }: Vm): Instance {
  const cards = status?.resources?.nic_list ?? [];
  const addresses = cards.flatMap(({ ip_endpoint_list: ips = [] }) =>
    ips.flatMap(({ ip }) => (ip ? [{ type: 'InternalIP', address: ip }] : [])),
  );
  return {
    providerID: `nutanix://${ref}`,
    nodeName: name,
    addresses: [...addresses, { type: 'Hostname', address: name }],
    isInitialized: true,
  };
}

function volumeIdOf({ csi }: PersistentVolumeSpec): string[] {
  return csi?.driver === 'csi.nutanix.com' && csi.volumeHandle ? [csi.volumeHandle] : [];
}
