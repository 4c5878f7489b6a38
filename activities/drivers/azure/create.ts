/**
 * Makes a Machine's virtual machine with its network interface and disks, or goes on where an
 * earlier attempt was stopped.
 */
import type { VirtualMachine } from '@azure/arm-compute';
import { beforeCreate } from '../before-create.ts';
import type { CreatedInstance, CreateRequest } from '../driver.ts';
import { DriverError, DriverPending } from '../driver.ts';
import { meanings } from '../error-meanings.ts';
import { missing } from '../named-instance.ts';
import { invalidSpec } from '../spec-schema.ts';
import type { PartRef, Write } from './checkpoint.ts';
import { AzureFailure, driverErrorOf, ofAzure, OperationFailed } from './error-mapping.ts';
import { instanceOf, isOursIn, look } from './find.ts';
import { imageIdOf, orInput, planOf } from './image.ts';
import { viewOf } from './instance-view.ts';
import { dataDiskNameOf, nicNameOf } from './names.ts';
import { outcomeOf, type Start } from './operation.ts';
import {
  deletePart,
  failureOfPart,
  getVm,
  isBeingDeleted,
  isFailed,
  makePart,
  untilAtRest,
  type Part,
} from './parts.ts';
import { removeAll } from './delete-parts.ts';
import { refreshTags } from './retag.ts';
import { imageDiskOf, nicOf, vmOf, type Blueprint, type SpecDataDisk } from './resources.ts';
import { call, withOwnPauses, type Session } from './session.ts';
import { tagNames, tagOf } from './tags.ts';
import { readSpec, validateProviderSpec } from './validate.ts';
import { earlierOf, forgetEarlier, pause } from './wait.ts';

/** Azure's limit of `customData` before it is encoded. */
const userDataBytesMax = 65_535;

export async function createInstance(
  session: Session,
  request: CreateRequest,
): Promise<CreatedInstance> {
  const seen = await beforeCreate(look(session, request));
  if (seen.outcome === 'foreign') throw nameIsTaken(request);
  try {
    if (seen.outcome === 'found') {
      const known = { ...seen, isFound: isFoundBy(session, seen.name) };
      if (await isOfUse(session, request, known)) return await adopted(session, request, known);
    }
    if (request.providerID !== undefined) throw missing(request);
    const part: PartRef = { kind: 'virtual machine', name: request.machine.name };
    await requireNoFailure(session, { verb: 'create', part });
    await makeAll(session, request);
    return { ...instanceOf(session, request, request.machine), found: false };
  } catch (error) {
    throw await leaveNothing(session, request, error);
  }
}

interface SeenVm {
  vm: VirtualMachine;
  name: string;
  /** False: a call before this one of the same create had Azure make it. */
  isFound: boolean;
}

function isFoundBy(session: Session, name: string): boolean {
  const earlier = earlierOf(session, { verb: 'create', part: { kind: 'virtual machine', name } });
  return earlier === undefined || earlier.isFound === true;
}

async function adopted(
  session: Session,
  request: CreateRequest,
  seen: SeenVm,
): Promise<CreatedInstance> {
  const instance = { ...instanceOf(session, request, seen), found: seen.isFound };
  const isKnown = session.choices.allowsRetagging && request.providerID !== undefined;
  const refusal = isKnown ? await refreshTags(session, request, seen) : undefined;
  return { ...instance, ...(refusal !== undefined && { lastKnownState: refusal }) };
}

function nameIsTaken({ machine }: CreateRequest): DriverError {
  const message = `Azure: a virtual machine ${machine.name} exists in the resource group and is not of this Machine: delete it, or give the class another resource group`;
  return new DriverError({ code: 'AlreadyExists', message, settled: true });
}

/**
 * What an attempt before left is waited for. If it failed, it is deleted and its reason reported;
 * what failed for another token is no news: all begins anew.
 */
async function isOfUse(
  session: Session,
  request: CreateRequest,
  { vm, name, isFound }: SeenVm,
): Promise<boolean> {
  const part: PartRef = { kind: 'virtual machine', name };
  const isKnown = request.providerID !== undefined;
  // The virtual machine was made long ago; such a write may come from a volume that is attached.
  if (isKnown && vm.provisioningState === 'Updating') return true;
  const write: Write = { verb: 'create', part, isFound };
  const atRest = await untilAtRest(session, write, vm);
  if (!atRest) return false;
  if (isBeingDeleted(atRest)) {
    await deletePart(session, part, atRest);
    return false;
  }
  if (!isFailed(atRest) || isKnown) return true;
  if ((await viewOf(session, name)).isRunning) return true;
  if (isOfToken(atRest, request)) throw await failureOfPart(session, write, atRest);
  return !(await isCleared(session, request));
}

/** For a part that is missing although Azure accepted its creation in an earlier call. */
async function requireNoFailure(session: Session, write: Write): Promise<void> {
  const earlier = earlierOf(session, write);
  if (!earlier) return;
  const { state, retryAfter } = await outcomeOf(session, earlier);
  if (state === 'underWay' || state === 'unclear') {
    await pause(session, { write: earlier, attempt: 0, retryAfter });
  }
  forgetEarlier(session);
}

async function makeAll(session: Session, request: CreateRequest): Promise<void> {
  const blueprint = blueprintOf(session, request);
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
}

function blueprintOf({ choices }: Session, request: CreateRequest): Blueprint {
  const faults = validateProviderSpec(request.providerSpec);
  const size = request.userDataBytes?.length ?? Buffer.byteLength(request.userData);
  if (size > userDataBytesMax) {
    faults.push(`the Secret's userData: ${size} bytes are more than ${userDataBytesMax}`);
  }
  if (faults.length > 0) {
    throw new AzureFailure({ meaning: 'input', message: invalidSpec(faults) });
  }
  const { sshPublicKey } = choices;
  return {
    spec: readSpec(request.providerSpec),
    request,
    ...(sshPublicKey !== undefined && { sshPublicKey }),
  };
}

async function subnetIdOf(session: Session, { spec }: Blueprint): Promise<string> {
  const { vnetName, subnetName, vnetResourceGroup } = spec.subnetInfo;
  const group = vnetResourceGroup || spec.resourceGroup;
  const doing = `get subnet ${subnetName} of network ${vnetName} in resource group ${group}`;
  const subnet = await orInput(
    call(session, doing, async (options) =>
      ofAzure(
        await session.clients.network.subnets.get(group, vnetName, subnetName, options),
        doing,
      ),
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

/**
 * Takes what this attempt made before it was stopped. What another one left may be of another
 * class, so it is made anew.
 */
async function takeOrMake(
  session: Session,
  request: CreateRequest,
  { part, start }: Making,
): Promise<string> {
  const write: Write = { verb: 'create', part };
  const found = await untilAtRest(session, write);
  if (found && isOfToken(found, request)) {
    if (isFailed(found)) throw await failureOfPart(session, write, found);
    if (!isBeingDeleted(found)) return idOf(session, part);
  }
  if (found) await clear(session, request, { part, found });
  else await requireNoFailure(session, write);
  await makePart(session, part, start);
  return idOf(session, part);
}

function isOfToken({ tags }: Part, { token }: CreateRequest): boolean {
  return tagOf(tags, tagNames.token) === token;
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
  await deletePart(session, part, found);
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
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await makePart(session, part, (options) =>
        clients.compute.virtualMachines.createOrUpdate(
          place.resourceGroup,
          machine.name,
          body,
          options,
        ),
      );
    } catch (error) {
      if (!isNotSeenYet(error, machine.name)) throw error;
      const because = error.code ?? 'its parts are not there';
      await pause(session, { write: { verb: 'create', part }, attempt, because });
    }
  }
}

const unseenCodes = ['InvalidResourceReference', 'NotFound', 'ResourceNotFound'];

/** What one service of Azure has just made, another may not know for some seconds. */
function isNotSeenYet(error: unknown, machineName: string): error is AzureFailure {
  return (
    error instanceof AzureFailure &&
    unseenCodes.includes(error.code ?? '') &&
    [nicNameOf(machineName), '-data-disk'].some((name) =>
      error.message.toLowerCase().includes(name.toLowerCase()),
    )
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
    const patient = withOwnPauses(session, session.timing.cleanUpSeconds);
    return driverErrorOf(error, await isCleared(patient, request));
  } catch (second) {
    if (!(second instanceof AzureFailure || second instanceof DriverPending)) throw second;
    const message = `${error.message}; and not everything that was made has been deleted again: ${second.message}`;
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

/**
 * Deletes what an attempt left. False: a virtual machine runs, or Azure works on it; then nothing
 * is deleted.
 */
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
  vm: VirtualMachine,
): Promise<boolean> {
  if (!isFailed(vm) && !isBeingDeleted(vm)) return false;
  if (!isOursIn(session, request, vm.tags)) return false;
  return isBeingDeleted(vm) || !(await viewOf(session, request.machine.name)).isRunning;
}
