/** The driver of `provider: nutanix`: machines of AHV, by the v3 API of Prism Central. */
import type { CreateRequest, Driver, DriverError, Instance } from '../driver.ts';
import type { Cloud, MakeCall, Making, Operation, Part, Resource, State } from '../frame/cloud.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import { driverOf } from '../frame/driver.ts';
import { fault } from '../frame/fault.ts';
import {
  addressesOf,
  createRestAccounts,
  meaningOfWords,
  millisecondsOf,
  refBy,
  tagsInText,
  textOfTags,
  usualTags,
  type RestAccounts,
  type RestDriverLimits,
} from '../frame/rest-driver.ts';
import { tagsFor } from '../frame/tags.ts';
import type { DriverSettings } from '../settings.ts';
import { base64UserData } from '../user-data-bytes.ts';
import { access, wordsIn } from './client.ts';
import type { NamedKind, NutanixApi, Reference, Task, VmAnswer, VmBody } from './client.ts';
import { wordsMeanings } from './errors.ts';
import type { NutanixProviderSpec } from './provider-spec.ts';
import { specOf, validateProviderSpec } from './validate.ts';

/** Prism Central may show an intent a moment after it took it. */
const settleSeconds = 60;

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
  account: NutanixApi;
  thing: Vm;
  content: Wanted;
}

export function createNutanixDriver(
  settings: DriverSettings,
  limits: RestDriverLimits = {},
): Driver {
  const { callTimeoutSeconds = 30, ...waits } = limits;
  return driverOf(nutanixCloud(createRestAccounts(access, settings, callTimeoutSeconds)), waits);
}

function nutanixCloud(accounts: RestAccounts<NutanixApi>): Cloud<NutanixCloud> {
  return {
    title: 'Nutanix',
    settleSeconds,
    account: async (request) => accounts(request),
    parts: [],
    instance,
    uniqueness: { by: 'nothing' },
    tags: usualTags,
    // MCM has no driver for Nutanix, so nothing without our tags is anybody's of ours.
    isOfClass: () => false,
    instanceOf,
    validate: validateProviderSpec,
    deletesFailed: true,
    // One listing shows all that the user may see.
    listScope: () => '',
    volumeIds: csiVolumeIds('csi.nutanix.com'),
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
      meaning: meaningOfWords(wordsMeanings, words, 'conflict'),
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
  refIn: refBy(/^nutanix:\/\/\/?([0-9a-fA-F-]{36})$/, 'nutanix://UUID'),
};

function viewOf(vm: VmAnswer): Vm {
  const { metadata, spec = {}, status = {} } = vm;
  return {
    ref: metadata.uuid,
    name: status.name ?? spec.name ?? '',
    tags: tagsInText(status.description ?? spec.description ?? ''),
    createdAt: millisecondsOf(metadata.creation_time),
    vm,
  };
}

/** Categories would have to be there before they are used; a description is free text. */
const descriptionOf = ({ cluster, machine, token }: CreateRequest): string =>
  textOfTags(tagsFor({}, { cluster, machine, token }, usualTags));

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
  prism: NutanixApi,
  { body: { name, content }, signal }: MakeCall<NutanixCloud>,
): Promise<Making<NutanixCloud>> {
  const { spec, description, userData } = content;
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
  const intent: VmBody = {
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
  return { thing: viewOf(await prism.create(intent, signal)) };
}

interface Named {
  name: string;
  signal: AbortSignal;
  /** A subnet is of one cluster, or of all. */
  cluster?: string;
}

/** Of the first of that name, as Kubermatic's controller takes it. */
async function refOf(
  prism: NutanixApi,
  kind: NamedKind,
  { name, signal, cluster }: Named,
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

function operationOf(name: string, task: Task): Operation {
  const { status = '', percentage_complete: percent, error_detail: detail } = task;
  const isFailed = status === 'FAILED' || status === 'ABORTED' || status === 'INVALID_UUID';
  const words = detail || task.progress_message || 'no reason given';
  const failure = (_deed: string, of: string, settled: boolean): DriverError =>
    fault(
      meaningOfWords(wordsMeanings, words, 'unknown'),
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

function instanceOf({ ref, name, vm: { status } }: Vm): Instance {
  const cards = status?.resources?.nic_list ?? [];
  const ips = cards.flatMap(({ ip_endpoint_list: list = [] }) => list.map(({ ip }) => ip));
  return {
    providerID: `nutanix://${ref}`,
    nodeName: name,
    addresses: addressesOf(ips, name),
    isInitialized: true,
  };
}
