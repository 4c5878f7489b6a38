/** The driver of `provider: vmware-cloud-director`: machines of a vApp. */
import type { CreateRequest, Driver, DriverError, Instance } from '../driver.ts';
import type { Cloud, MakeCall, Making, Operation, Part, Resource, State } from '../frame/cloud.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import { driverOf } from '../frame/driver.ts';
import { fault } from '../frame/fault.ts';
import {
  addressesOf,
  createRestAccounts,
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
import {
  hasProductSections,
  productSections,
  recomposition,
  reconfiguration,
  sectionOf,
  type Wanted,
} from './body.ts';
import { access, meaningOf, title } from './client.ts';
import type { Director, TaskAnswer, VappAnswer, VmAnswer, Work } from './client.ts';
import type { VcdProviderSpec } from './provider-spec.ts';
import { specOf, validateProviderSpec } from './validate.ts';

const settleSeconds = 60;

/** In the description of a machine that has its size: it is to be switched on next. */
const configured = 'millwright.dev/configured';

interface Account {
  director: Director;
  spec: VcdProviderSpec;
}

interface Vm extends Resource {
  vm: VmAnswer;
}

interface VcdCloud {
  account: Account;
  thing: Vm;
  content: Wanted;
}

export function createVcdDriver(settings: DriverSettings, limits: RestDriverLimits = {}): Driver {
  const { callTimeoutSeconds = 60, ...waits } = limits;
  return driverOf(vcdCloud(createRestAccounts(access, settings, callTimeoutSeconds)), waits);
}

function vcdCloud(accounts: RestAccounts<Director>): Cloud<VcdCloud> {
  return {
    title,
    settleSeconds,
    account: async (request) => {
      return { director: accounts(request), spec: specOf(request.providerSpec) };
    },
    parts: [],
    instance,
    uniqueness: { by: 'name' },
    tags: usualTags,
    // MCM has no driver for it, so nothing without our tags is anybody's of ours.
    isOfClass: () => false,
    instanceOf,
    validate: validateProviderSpec,
    deletesFailed: true,
    listScope(spec) {
      const { vdc, vapp } = specOf(spec);
      return JSON.stringify([vdc ?? null, vapp ?? null]);
    },
    volumeIds: csiVolumeIds('named-disk.csi.cloud-director.vmware.com'),
  };
}

const byName = 'name:';

const instance: Part<VcdCloud> = {
  kind: 'instance',
  async read(account, ref, signal) {
    const { vms } = await vappOf(account, signal);
    const isNamed = ref.startsWith(byName);
    const found = vms.find((vm) => (isNamed ? byName + vm.name : vm.ref) === ref);
    if (found || isNamed) return found;
    // In another vApp, where the class has changed.
    const vm = await account.director.vm(ref, signal);
    return vm && viewOf(vm);
  },
  async search(account, { machine, signal }) {
    const { vms } = await vappOf(account, signal);
    return vms.filter(({ name }) => name === machine.name);
  },
  list: async (account, { signal }) => (await vappOf(account, signal)).vms,
  bodies: ({ request }) => [{ name: request.machine.name, content: wantedOf(request) }],
  make,
  stateOf,
  advance,
  refOf: (_place, name) => `${byName}${name}`,
  async remove({ director }, { ref, name, vm }, signal) {
    const running = runningIn(vm);
    // It may be this deletion; anything else would be refused until it has ended.
    if (running) return operationOf(running);
    const path = pathOf(ref);
    const work: Work = vm.deployed
      ? {
          what: `switch off machine ${name}`,
          method: 'POST',
          path: `${path}/action/undeploy`,
          kind: 'undeployVAppParams',
          body: { undeployPowerAction: 'powerOff' },
        }
      : { what: `delete machine ${name}`, method: 'DELETE', path };
    return operationOf(await director.begin(work, signal));
  },
  async operation({ director }, { name, signal }) {
    const task = await director.task(name, signal);
    return task && operationOf(task);
  },
  providerIDOf,
  refIn: refBy(
    /^vmware-cloud-director:\/\/\/?urn:vcloud:vm:([0-9a-fA-F-]{36})$/,
    'vmware-cloud-director://urn:vcloud:vm:UUID',
  ),
};

const pathOf = (ref: string): string => `/api/vApp/vm-${encodeURIComponent(ref)}`;
const uuidIn = (urn: string): string => urn.slice(urn.lastIndexOf(':') + 1);

interface VApp extends VappAnswer {
  path: string;
  vms: Vm[];
}

async function vappOf({ director, spec }: Account, signal: AbortSignal): Promise<VApp> {
  const { vdc, vapp } = spec;
  if (typeof vdc !== 'string' || typeof vapp !== 'string') {
    throw fault('input', 'providerSpec.vdc or vapp is missing: without them no machine is found');
  }
  const [path] = await director.query('vApp', { name: vapp, vdcName: vdc }, signal);
  if (path === undefined) throw absent('vapp', vapp, vdc);
  const found = await director.vapp(path, signal);
  return { ...found, path, vms: (found.children?.vm ?? []).map(viewOf) };
}

function absent(field: keyof VcdProviderSpec, name: string, where: string): DriverError {
  const words = `Invalid value: providerSpec.${field}: "${name}" is not to be seen in ${where}`;
  return fault('input', words, true);
}

function viewOf(vm: VmAnswer): Vm {
  return {
    ref: uuidIn(vm.id),
    name: vm.name,
    tags: tagsInText(vm.description ?? ''),
    createdAt: millisecondsOf(vm.dateCreated),
    vm,
  };
}

const statusWords: Readonly<Record<number, string>> = {
  [-1]: 'FAILED_CREATION',
  3: 'SUSPENDED',
  4: 'POWERED_ON',
  8: 'POWERED_OFF',
};

function stateOf({ vm: { status = 0 } }: Vm): State {
  const words = statusWords[status] ?? `status ${status}`;
  if (status === 4) return { is: 'ready', words };
  return { is: status === -1 ? 'failed' : 'coming', words };
}

function wantedOf(request: CreateRequest): Wanted {
  const { cluster, machine, token } = request;
  const description = textOfTags(tagsFor({}, { cluster, machine, token }, usualTags));
  return { spec: specOf(request.providerSpec), description };
}

/** The copy has its tags in its description; the vApp takes its name once. */
async function make(
  account: Account,
  { body: { name, content }, signal }: MakeCall<VcdCloud>,
): Promise<Making<VcdCloud>> {
  const { director } = account;
  const { vdc, catalog, template: ofTemplate, storageProfile: ofProfile } = content.spec;
  const vapp = await vappOf(account, signal);
  const where = { isVAppTemplate: 'true', catalogName: catalog, containerName: ofTemplate };
  const [template] = await director.query('vm', where, signal);
  if (template === undefined) throw absent('template', ofTemplate, `catalog ${catalog}`);
  const [storageProfile] =
    ofProfile === undefined
      ? []
      : await director.query('orgVdcStorageProfile', { name: ofProfile, vdcName: vdc }, signal);
  if (ofProfile !== undefined && storageProfile === undefined) {
    throw absent('storageProfile', ofProfile, vdc);
  }
  const work: Work = {
    what: `make machine ${name}`,
    method: 'POST',
    path: `${vapp.path}/action/recomposeVApp`,
    kind: 'recomposeVAppParams',
    body: recomposition(content, { name, vapp, template, storageProfile }),
    isCreate: true,
  };
  return { operation: operationOf(await director.begin(work, signal)) };
}

/** User data, size, power: each once the machine shows that the one before it is done. */
async function advance(
  { director }: Account,
  { ref, name, tags, vm }: Vm,
  request: CreateRequest,
): Promise<Operation | undefined> {
  const running = runningIn(vm);
  if (running) return operationOf(running);
  const { [usualTags.names.token]: instanceId } = tags;
  if (vm.status !== 8 || instanceId === undefined) return undefined;
  return operationOf(await director.begin(nextWork(), request.signal));

  function nextWork(): Work {
    const path = pathOf(ref);
    if (!hasProductSections(vm, instanceId ?? '')) {
      return {
        what: `give machine ${name} its user data`,
        method: 'PUT',
        path: `${path}/productSections`,
        kind: 'productSections',
        body: productSections(request, instanceId ?? ''),
      };
    }
    if (tags[configured] === undefined) {
      const description = `${vm.description ?? ''} ${configured}=true`;
      return {
        what: `give machine ${name} its size`,
        method: 'POST',
        path: `${path}/action/reconfigureVm`,
        kind: 'vm',
        body: reconfiguration(vm, { description, spec: specOf(request.providerSpec) }),
      };
    }
    const what = `switch on machine ${name}`;
    return { what, method: 'POST', path: `${path}/power/action/powerOn` };
  }
}

const runningIn = ({ tasks }: VmAnswer): TaskAnswer | undefined =>
  tasks?.task?.find(({ status }) => isUnderWay(status));

const isUnderWay = (status: string): boolean => /^(queued|preRunning|running)$/.test(status);

function operationOf({ id, status, progress, startTime, endTime, error }: TaskAnswer): Operation {
  const isDone = !isUnderWay(status);
  const { message = `the task ended as ${status}`, minorErrorCode: code = '' } = error ?? {};
  const failure = (_deed: string, of: string, settled: boolean): DriverError =>
    fault(meaningOf(message, code, 'unknown'), `${title}: machine ${of}: ${message}`, settled);
  return {
    name: uuidIn(id),
    isDone,
    progress: progress === undefined ? status : `${status}, ${progress} %`,
    begunAt: millisecondsOf(startTime),
    endedAt: millisecondsOf(endTime),
    ...(isDone && status !== 'success' && { failure }),
  };
}

function providerIDOf({ ref }: Vm): string {
  return `vmware-cloud-director://urn:vcloud:vm:${ref}`;
}

function instanceOf(thing: Vm): Instance {
  const { name, vm } = thing;
  const { networkConnection } = sectionOf(vm.section ?? [], 'NetworkConnectionSectionType');
  const cards: { ipAddress?: string; externalIpAddress?: string }[] = Array.isArray(
    networkConnection,
  )
    ? networkConnection
    : [];
  const ips = cards.flatMap(({ ipAddress, externalIpAddress }) => [ipAddress, externalIpAddress]);
  return {
    providerID: providerIDOf(thing),
    nodeName: name,
    addresses: addressesOf(ips, name),
    isInitialized: true,
  };
}
