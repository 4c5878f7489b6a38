/** Makes a Machine's virtual machine with its network interface and disks, or goes on where an earlier attempt was stopped. */
import type { VirtualMachine } from '@azure/arm-compute';
import type { CreatedInstance, CreateRequest } from '../driver.ts';
import { DriverError } from '../driver.ts';
import { meanings } from '../error-meanings.ts';
import { missing } from '../missing.ts';
import { AzureFailure, driverErrorOf, OperationFailed } from './failure.ts';
import { instanceOf, isOursIn, isRunning, look } from './find.ts';
import { imageIdOf, orInput, planOf } from './image.ts';
import { dataDiskNameOf, nicNameOf } from './names.ts';
import type { Start } from './operation.ts';
import {
  deletePart,
  getVm,
  isUnderWay,
  makePart,
  untilAtRest,
  type Part,
  type PartRef,
} from './parts.ts';
import { removeAll } from './remove.ts';
import { imageDiskOf, nicOf, vmOf, type Blueprint, type SpecDataDisk } from './resources.ts';
import { call, shortened, type Session } from './session.ts';
import { tagNames, tagOf, type Tags } from './tags.ts';
import { readSpec, validateProviderSpec } from './validate.ts';

/** Azure's limit of `customData` before it is encoded. */
const userDataBytesMax = 65_535;

export async function createInstance(
  session: Session,
  request: CreateRequest,
): Promise<CreatedInstance> {
  const seen = await look(session, request);
  if (seen.outcome === 'foreign') throw nameIsTaken(request);
  if (seen.outcome === 'found' && (await isOfUse(session, request, seen))) {
    return { ...instanceOf(session, request, seen), found: true };
  }
  if (request.providerID !== undefined) throw missing(request);
  try {
    const tags = await makeAll(session, request);
    const made = { name: request.machine.name, tags };
    return { ...instanceOf(session, request, made), found: false };
  } catch (error) {
    throw await leaveNothing(session, request, error);
  }
}

function nameIsTaken({ machine }: CreateRequest): DriverError {
  const message = `Azure: a virtual machine ${machine.name} exists in the resource group and is not of this Machine: delete it, or give the class another resource group`;
  return new DriverError({ code: 'AlreadyExists', message, settled: true });
}

/** What an attempt before left is waited for; if it failed, it is deleted, and all begins anew. */
async function isOfUse(
  session: Session,
  request: CreateRequest,
  { vm, name }: { vm: VirtualMachine; name: string },
): Promise<boolean> {
  const part: PartRef = { kind: 'virtual machine', name };
  const atRest = isUnderWay(vm) ? await untilAtRest(session, part) : vm;
  if (!atRest) return false;
  const { provisioningState } = atRest;
  if (provisioningState === 'Deleting') {
    await deletePart(session, part, provisioningState);
    return false;
  }
  const isWhole = provisioningState !== 'Failed' && provisioningState !== 'Canceled';
  return isWhole || request.providerID !== undefined || !(await isCleared(session, request));
}

/** Returns the tags of what it made. */
async function makeAll(session: Session, request: CreateRequest): Promise<Tags> {
  const blueprint = blueprintOf(request);
  const { spec } = blueprint;
  const { imageReference, dataDisks = [] } = spec.properties.storageProfile;
  const plan = await planOf(session, imageReference);
  const subnetId = await subnetIdOf(session, blueprint);
  const nicId = await makeNic(session, request, nicOf(blueprint, subnetId));
  const diskIds = new Map<number, string>();
  for (const disk of dataDisks) {
    if (hasImage(disk))
      diskIds.set(disk.lun, await makeDisk(session, request, { blueprint, disk }));
  }
  const vm = vmOf(blueprint, { nicId, diskIds, ...(plan && { plan }) });
  await makeVm(session, request, vm);
  return vm.tags ?? {};
}

function blueprintOf(request: CreateRequest): Blueprint {
  const faults = validateProviderSpec(request.providerSpec);
  const size = Buffer.byteLength(request.userData);
  if (size > userDataBytesMax) {
    faults.push(`the Secret's userData: ${size} bytes are more than ${userDataBytesMax}`);
  }
  if (faults.length > 0) {
    throw new AzureFailure({ meaning: 'input', message: faults.join('; ') });
  }
  return { spec: readSpec(request.providerSpec), request };
}

async function subnetIdOf(session: Session, { spec }: Blueprint): Promise<string> {
  const { vnetName, subnetName, vnetResourceGroup } = spec.subnetInfo;
  const group = vnetResourceGroup || spec.resourceGroup;
  const doing = `get subnet ${subnetName} of network ${vnetName} in resource group ${group}`;
  const subnet = await orInput(
    call(session, doing, (options) =>
      session.clients.network.subnets.get(group, vnetName, subnetName, options),
    ),
  );
  return subnet.id ?? '';
}

async function makeNic(
  session: Session,
  request: CreateRequest,
  body: ReturnType<typeof nicOf>,
): Promise<string> {
  const name = nicNameOf(request.machine.name);
  const { clients, place } = session;
  return await takeOrMake(session, request, {
    part: { kind: 'network interface', name },
    start: (options) =>
      clients.network.networkInterfaces.createOrUpdate(place.resourceGroup, name, body, options),
  });
}

type ImageDisk = SpecDataDisk & { imageRef: NonNullable<SpecDataDisk['imageRef']> };

function hasImage(disk: SpecDataDisk): disk is ImageDisk {
  return disk.imageRef !== undefined;
}

async function makeDisk(
  session: Session,
  request: CreateRequest,
  { blueprint, disk }: { blueprint: Blueprint; disk: ImageDisk },
): Promise<string> {
  const name = dataDiskNameOf(request.machine.name, disk);
  const { clients, place } = session;
  const body = imageDiskOf(blueprint, disk, await imageIdOf(session, disk.imageRef));
  return await takeOrMake(session, request, {
    part: { kind: 'disk', name },
    start: (options) =>
      clients.compute.disks.createOrUpdate(place.resourceGroup, name, body, options),
  });
}

interface Making {
  part: PartRef;
  start: Start;
}

/** Takes what this attempt made before it was stopped. What another one left may be of another class, so it is made anew. */
async function takeOrMake(
  session: Session,
  request: CreateRequest,
  { part, start }: Making,
): Promise<string> {
  const found = await untilAtRest(session, part);
  if (!found || !isUsable(found, request)) {
    if (found) await clear(session, request, { part, found });
    await makePart(session, part, start);
  }
  return idOf(session, part);
}

function isUsable({ tags, provisioningState }: Part, { token }: CreateRequest): boolean {
  return provisioningState === 'Succeeded' && tagOf(tags, tagNames.token) === token;
}

async function clear(
  session: Session,
  request: CreateRequest,
  { part, found }: { part: PartRef; found: Part },
): Promise<void> {
  if (!isOursIn(session, request, found.tags)) {
    const message = `Azure: a ${part.kind} ${part.name} exists and is not of this cluster and namespace: delete it`;
    throw new AzureFailure({ meaning: 'taken', message });
  }
  await deletePart(session, part, found.provisioningState);
}

function idOf({ clients, place }: Session, { kind, name }: PartRef): string {
  const group = `/subscriptions/${clients.subscriptionId}/resourceGroups/${place.resourceGroup}`;
  const type = kind === 'disk' ? 'Microsoft.Compute/disks' : 'Microsoft.Network/networkInterfaces';
  return `${group}/providers/${type}/${name}`;
}

async function makeVm(
  session: Session,
  { machine }: CreateRequest,
  body: VirtualMachine,
): Promise<void> {
  const { clients, place } = session;
  const part: PartRef = { kind: 'virtual machine', name: machine.name };
  await makePart(session, part, (options) =>
    clients.compute.virtualMachines.createOrUpdate(
      place.resourceGroup,
      machine.name,
      body,
      options,
    ),
  );
}

/** After a refusal nothing of the Machine is left, and only then is the failure settled. */
async function leaveNothing(
  session: Session,
  request: CreateRequest,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof AzureFailure)) return error;
  if (!isFinal(error)) return driverErrorOf(error, false);
  try {
    const hurried = shortened(session, session.timing.cleanUpSeconds);
    return driverErrorOf(error, await isCleared(hurried, request));
  } catch (second) {
    if (!(second instanceof AzureFailure)) throw second;
    const message = `${error.message}; and what was made is not all deleted yet: ${second.message}`;
    return driverErrorOf(
      new AzureFailure({ meaning: error.meaning, message, cause: error }),
      false,
    );
  }
}

/** Throttled calls are asked again soon, and go on with what they made. */
function isFinal(failure: AzureFailure): boolean {
  if (failure instanceof OperationFailed) return true;
  return meanings[failure.meaning].isRefusal && failure.meaning !== 'throttling';
}

/** Deletes what an attempt left. False: there is a virtual machine that runs, or that somebody works on; nothing is deleted. */
async function isCleared(session: Session, request: CreateRequest): Promise<boolean> {
  const machineName = request.machine.name;
  const vm = await getVm(session, machineName);
  if (vm && !(await isWreck(session, request, vm))) return false;
  const mayDelete = ({ tags }: Part): boolean => isOursIn(session, request, tags);
  await removeAll(session, { machineName, vm, mayDelete });
  return true;
}

async function isWreck(
  session: Session,
  request: CreateRequest,
  { provisioningState, tags }: VirtualMachine,
): Promise<boolean> {
  if (!['Failed', 'Canceled', 'Deleting'].includes(provisioningState ?? '')) return false;
  if (!isOursIn(session, request, tags)) return false;
  return provisioningState === 'Deleting' || !(await isRunning(session, request.machine.name));
}
