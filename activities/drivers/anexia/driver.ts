/** The driver of `provider: anexia`: machines of Anexia's Dynamic Compute. */
import { nowMs } from '../../system/system.ts';
import type { Driver, DriverError, Instance } from '../driver.ts';
import type { Cloud, MakeCall, Making, Operation, Part, Resource } from '../frame/cloud.ts';
import { driverOf } from '../frame/driver.ts';
import { fault } from '../frame/fault.ts';
import { hostNameFaults, hostNameOf, nameTags, taggedNameIn } from '../frame/name-tags.ts';
import {
  addressesOf,
  createRestAccounts,
  meaningOfWords,
  refBy,
  type RestAccounts,
  type RestDriverLimits as Limits,
} from '../frame/rest-driver.ts';
import type { DriverSettings } from '../settings.ts';
import { base64UserData } from '../user-data-bytes.ts';
import { access } from './client.ts';
import type { MachineBody, Engine, Progress, Template, VmAnswer } from './client.ts';
import { wordsMeanings } from './errors.ts';
import type { AnexiaNetwork, AnexiaProviderSpec } from './provider-spec.ts';
import { specOf, validateProviderSpec } from './validate.ts';

/** A machine may not be shown before it is provisioned, which takes minutes. */
const settleSeconds = 600;

interface Vm extends Resource {
  vm: VmAnswer;
}

interface Wanted {
  spec: AnexiaProviderSpec;
  hostname: string;
  script: string;
}

interface AnexiaCloud {
  account: Engine;
  thing: Vm;
  content: Wanted;
}

export function createAnexiaDriver(settings: DriverSettings, limits: Limits = {}): Driver {
  // The Engine is slow.
  const { callTimeoutSeconds = 120, ...waits } = limits;
  return driverOf(anexiaCloud(createRestAccounts(access, settings, callTimeoutSeconds)), waits);
}

function anexiaCloud(accounts: RestAccounts<Engine>): Cloud<AnexiaCloud> {
  return {
    title: 'Anexia',
    settleSeconds,
    account: async (request) => accounts(request),
    parts: [],
    instance,
    uniqueness: { by: 'nothing' },
    tags: nameTags,
    // MCM has no driver for Anexia, so nothing without our digests is anybody's of ours.
    isOfClass: () => false,
    instanceOf,
    validate: validateProviderSpec,
    faultsOf: hostNameFaults,
    // What is made is found by the whole name, once its task is done.
    places: {
      keys: ['hostname'],
      of: (_engine, request) => ({ hostname: hostNameOf(request) }),
      isOf: () => true,
    },
    // One listing shows all that the token may see.
    listScope: () => '',
    // Anexia's own CSI driver makes network file systems, which are not detached.
    volumeIds: async () => [],
  };
}

const byHostname = 'hostname:';

const instance: Part<AnexiaCloud> = {
  kind: 'instance',
  async read(engine, ref, signal) {
    const vm = ref.startsWith(byHostname)
      ? (await engine.search(`%-${ref.slice(byHostname.length)}`, signal))[0]
      : await engine.get(ref, signal);
    return vm && viewsOf([vm])[0];
  },
  async search(engine, { machine: { name }, signal }) {
    const found = viewsOf(await engine.search(`%-${name}-%`, signal));
    return found.filter((thing) => thing.name === name);
  },
  list: async (engine, { signal }) => viewsOf(await engine.list(signal)),
  bodies({ request }) {
    const script = base64UserData(request);
    const content = { spec: specOf(request.providerSpec), hostname: hostNameOf(request), script };
    return [{ name: request.machine.name, content }];
  },
  make,
  // Its task is waited for; one that a listing shows has come up or is about to.
  stateOf: ({ vm: { status = 'there' } }) => ({ is: 'ready', words: status }),
  async remove(engine, { ref }, signal) {
    const task = await engine.deprovision(ref, signal);
    return task === undefined ? 'gone' : { name: task, isDone: false };
  },
  refOf: ({ hostname = '' }) => `${byHostname}${hostname}`,
  async operation(engine, { name, signal }) {
    const progress = await engine.progress(name, signal);
    return progress && operationOf(name, progress);
  },
  providerIDOf: ({ ref }) => `anexia://${ref}`,
  refIn: refBy(/^anexia:\/\/\/?([0-9a-zA-Z-]+)$/, 'anexia://ID'),
};

function viewsOf(vms: readonly VmAnswer[]): Vm[] {
  return vms.flatMap((vm) => {
    // The customer's prefix comes first, and has no dash.
    const name = taggedNameIn(vm.name.slice(vm.name.indexOf('-') + 1));
    return name ? [{ ref: vm.identifier, name: name.machineName, tags: name.tags, vm }] : [];
  });
}

async function make(
  engine: Engine,
  { body: { content }, signal }: MakeCall<AnexiaCloud>,
): Promise<Making<AnexiaCloud>> {
  const { spec, hostname, script } = content;
  const template = await templateOf(engine, spec, signal);
  const network: MachineBody['network'] = [];
  for (const { vlan, prefixes } of networksOf(spec)) {
    const ips: string[] = [];
    for (const prefix of prefixes) {
      const address = { location: spec.locationID, vlan, ...(prefix !== '' && { prefix }) };
      // What is not used is free again after half an hour.
      ips.push(await engine.reserve(address, signal));
    }
    network.push({ nic_type: 'vmxnet3', vlan, ips });
  }
  const definition = { ...sizeOf(spec), hostname, script, network, ssh: spec.sshPublicKey };
  const order = { location: spec.locationID, template, definition };
  const task = await engine.provision(order, signal);
  return { operation: { name: task, isDone: false, begunAt: nowMs() } };
}

function networksOf({ networks, vlanID = '' }: AnexiaProviderSpec): Required<AnexiaNetwork>[] {
  if (!networks) return [{ vlan: vlanID, prefixes: [''] }];
  return networks.map(({ vlan, prefixes = [] }) => ({ vlan, prefixes }));
}

type Size = Omit<MachineBody, 'hostname' | 'script' | 'network' | 'ssh'>;

function sizeOf(spec: AnexiaProviderSpec): Size {
  const { disks = [{ size: spec.diskSize ?? 0 }], dnsServers = [] } = spec;
  const [{ size, performanceType = 'ENT2' }, ...others] = disks;
  const additional = others.map((disk) => ({ gb: disk.size, type: disk.performanceType ?? '' }));
  return {
    memory_mb: spec.memory,
    cpus: spec.cpus,
    cpu_performance_type: spec.cpuPerformanceType ?? 'performance',
    disk_gb: size,
    disk_type: performanceType,
    ...(additional.length > 0 && { additional_disks: additional }),
    ...Object.fromEntries(dnsServers.map((ip, index) => [`dns${index + 1}`, ip])),
  };
}

const buildNumber = ({ build }: Template): number => Number(build.replace(/^b/, ''));

/** By name the one of the build, or the highest. */
async function templateOf(
  engine: Engine,
  { locationID, templateID, template, templateBuild = 'latest' }: AnexiaProviderSpec,
  signal: AbortSignal,
): Promise<string> {
  if (templateID !== undefined) return templateID;
  const named = (await engine.templates(locationID, signal)).filter(
    ({ name }) => name === template,
  );
  const found =
    templateBuild === 'latest'
      ? named.toSorted((a, b) => buildNumber(b) - buildNumber(a))[0]
      : named.find(({ build }) => build === templateBuild);
  if (found) return found.id;
  const words = `providerSpec.template: location ${locationID} has no template "${template}" of build ${templateBuild}`;
  throw fault('input', `Invalid value: ${words}`, true);
}

function operationOf(name: string, { progress, errors, status }: Progress): Operation {
  const isFailed = errors.length > 0 || status === '-1' || status === '3';
  const words = errors.join('; ') || `status ${status}, without a reason`;
  const meaning = meaningOfWords(wordsMeanings, words, 'unknown');
  const failure = (_deed: string, of: string, settled: boolean): DriverError =>
    fault(meaning, `Anexia: task ${name} of instance ${of}: ${words}`, settled);
  const isDone = isFailed || progress >= 100;
  // The Engine says no times: what is done is taken for news.
  const times = { begunAt: nowMs(), ...(isDone && { endedAt: nowMs() }) };
  return { name, isDone, progress: `${progress} %`, ...times, ...(isFailed && { failure }) };
}

function instanceOf({ ref, name, vm }: Vm): Instance {
  const own = (vm.network ?? []).flatMap(({ ips_v4: v4 = [], ips_v6: v6 = [] }) => [...v4, ...v6]);
  return {
    providerID: `anexia://${ref}`,
    nodeName: name,
    addresses: addressesOf([...own, vm.ip_v4_primary, vm.ip_v6_primary], name),
    isInitialized: true,
  };
}
