/** What the writes do: creates, deletes, and what goes with them. */
import { isDeepStrictEqual } from 'node:util';
import { Refusal, type Answer } from './answer.ts';
import type { Fault } from './faults.ts';
import type { OperationFault, Resource, Resources } from './resources.ts';
import * as shapes from './shapes.ts';

export const types = {
  vm: 'Microsoft.Compute/virtualMachines',
  disk: 'Microsoft.Compute/disks',
  nic: 'Microsoft.Network/networkInterfaces',
} as const;

export type KnownType = (typeof types)[keyof typeof types];

const shapeOf: Record<KnownType, shapes.Shape> = {
  [types.vm]: shapes.virtualMachine,
  [types.disk]: shapes.disk,
  [types.nic]: shapes.networkInterface,
};

export interface Write {
  resources: Resources;
  type: KnownType;
  group: string;
  name: string;
  body: Record<string, unknown>;
  fault: Fault | undefined;
  /** How long operations take. */
  operationMilliseconds: number;
  /** Where the server is reached. */
  origin: string;
}

export function bodyOf(resource: Resource): Record<string, unknown> {
  const { id, type, name, location, sent, provisioningState, timeCreated, managedBy } = resource;
  return {
    ...sent,
    id,
    name,
    type,
    location,
    tags: resource.tags,
    ...(managedBy !== undefined && { managedBy }),
    properties: {
      ...Object(sent['properties']),
      ...resource.properties,
      provisioningState,
      ...(type !== types.nic && { timeCreated }),
    },
  };
}

export function put(write: Write): Answer {
  const { resources, type, group, name, body } = write;
  const fault = shapeOf[type](body, 'body');
  if (fault !== undefined) throw new Refusal(400, 'InvalidRequestContent', fault);
  const id = resources.idOf(group, type, name);
  const existing = resources.get(id);
  if (existing) return update(write, existing);
  const resource = resourceOf(write, id);
  if (type === types.nic) requireSubnet(write);
  if (type === types.vm) attachAll(write, resource);
  resources.put(resource);
  if (type === types.vm) {
    const key = name.toLowerCase();
    resources.created.set(key, (resources.created.get(key) ?? 0) + 1);
  }
  const headers = begin(write, (error) => {
    resource.provisioningState = error ? 'Failed' : 'Succeeded';
    if (error) resource.failure = error;
    if (type === types.vm) resource.runs = !error || write.fault?.runs === true;
  });
  return { status: type === types.disk ? 202 : 201, body: bodyOf(resource), headers };
}

function resourceOf({ type, group, name, body }: Write, id: string): Resource {
  return {
    id,
    type,
    group,
    name,
    location: String(body['location']),
    tags: Object(body['tags'] ?? {}),
    sent: body,
    properties: type === types.nic ? { ipConfigurations: addressed(body) } : {},
    provisioningState: type === types.nic ? 'Updating' : 'Creating',
    timeCreated: new Date().toISOString(),
  };
}

/** Azure gives the address when it makes the interface. */
function addressed(body: Write['body']): object[] {
  const configurations: { properties: object }[] = Object(body['properties']).ipConfigurations;
  return configurations.map(({ properties, ...one }) => ({
    ...one,
    properties: { ...properties, privateIPAddress: '10.0.0.4' },
  }));
}

/** Only the tags of a virtual machine may change; and of an interface that is free, all. */
function update(write: Write, existing: Resource): Answer {
  if (existing.provisioningState === 'Deleting') {
    throw new Refusal(409, 'Conflict', `${existing.name} is being deleted`);
  }
  const { tags: _, ...before } = existing.sent;
  const { tags, ...after } = write.body;
  if (!isDeepStrictEqual(before, after)) {
    throw new Refusal(
      409,
      'PropertyChangeNotAllowed',
      `Changing a property of ${existing.name} is not allowed.`,
    );
  }
  existing.tags = Object(tags ?? {});
  existing.provisioningState = 'Updating';
  const headers = begin(write, (error) => {
    existing.provisioningState = error ? 'Failed' : 'Succeeded';
  });
  return { status: 200, body: bodyOf(existing), headers };
}

function requireSubnet({ resources, body }: Write): void {
  const [configuration] = Object(body['properties']).ipConfigurations;
  const id = String(configuration.properties.subnet.id);
  const [, group, network, subnet] =
    /resourceGroups\/([^/]+)\/.*\/virtualNetworks\/([^/]+)\/subnets\/([^/]+)$/i.exec(id) ?? [];
  const key = `${group}/${network}/${subnet}`.toLowerCase();
  if (!resources.world.subnets.includes(key)) {
    throw new Refusal(400, 'InvalidResourceReference', `Resource ${id} was not found.`);
  }
}

function attachAll(write: Write, vm: Resource): void {
  const { resources } = write;
  const { networkProfile, storageProfile, osProfile } = Object(write.body['properties']);
  if (osProfile.computerName !== write.name) {
    throw new Refusal(400, 'InvalidParameter', 'the computer has another name');
  }
  requireRoom(write, Object(write.body['properties']).hardwareProfile.vmSize);
  const [nicReference] = networkProfile.networkInterfaces;
  const nic = resources.get(nicReference.id);
  requireFree(nic, nicReference.id);
  const attached = (storageProfile.dataDisks ?? []).flatMap((disk: Record<string, unknown>) =>
    disk['createOption'] === 'Attach' ? [Object(disk['managedDisk']).id] : [],
  );
  for (const id of attached) requireFree(resources.get(id), id);
  const made = (storageProfile.dataDisks ?? []).filter(
    (disk: Record<string, unknown>) => disk['createOption'] !== 'Attach',
  );
  const names: string[] = [storageProfile.osDisk, ...made].map(({ name }) => name);
  for (const name of names) requireNewDisk(write, name);
  // Nothing is refused from here on.
  if (nic) nic.managedBy = vm.id;
  for (const id of attached) Object(resources.get(id)).managedBy = vm.id;
  for (const name of names) makeDiskOf(write, vm, name);
}

function requireRoom({ resources }: Write, size: string): void {
  const { unavailableSizes, quota } = resources.world;
  if (unavailableSizes.includes(size)) {
    const message = `The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: ${size}' is currently not available in location 'westeurope'.`;
    throw new Refusal(409, 'SkuNotAvailable', message);
  }
  if (resources.all().filter(({ type }) => type === types.vm).length < quota) return;
  const message =
    'Operation could not be completed as it results in exceeding approved Total Regional Cores quota.';
  throw new Refusal(409, 'OperationNotAllowed', message);
}

function requireNewDisk({ resources, group }: Write, name: string): void {
  if (!resources.get(resources.idOf(group, types.disk, name))) return;
  throw new Refusal(409, 'ConflictingUserInput', `Disk ${name} already exists.`);
}

function requireFree(resource: Resource | undefined, id: string): void {
  if (!resource) throw new Refusal(404, 'NotFound', `Resource ${id} was not found.`);
  if (resource.provisioningState !== 'Succeeded') {
    throw new Refusal(429, 'ReferencedResourceNotProvisioned', `${id} is not in Succeeded state.`);
  }
  if (resource.managedBy !== undefined) {
    throw new Refusal(400, 'NicInUse', `${id} is used by ${resource.managedBy}`);
  }
}

/** Disks that are made together with a virtual machine get its tags. */
function makeDiskOf({ resources, group }: Write, vm: Resource, name: string): void {
  const id = resources.idOf(group, types.disk, name);
  resources.put({
    id,
    type: types.disk,
    group,
    name,
    location: vm.location,
    tags: { ...vm.tags },
    sent: {},
    properties: {},
    provisioningState: 'Succeeded',
    timeCreated: vm.timeCreated,
    managedBy: vm.id,
  });
}

export function remove(write: Write): Answer {
  const { resources, type, group, name } = write;
  const existing = resources.get(resources.idOf(group, type, name));
  if (!existing) return { status: 204 };
  if (type !== types.vm && existing.managedBy !== undefined) throw inUse(existing);
  if ((existing.reservedUntil ?? 0) > resources.now()) {
    const message = `Nic(s) in request is reserved for another Virtual Machine for 180 seconds: ${name}`;
    throw new Refusal(400, 'NicReservedForAnotherVm', message);
  }
  existing.provisioningState = 'Deleting';
  const headers = begin(write, (error) => {
    if (error) {
      existing.provisioningState = 'Failed';
      existing.failure = error;
    } else if (type === types.vm) removeVm(resources, existing);
    else resources.remove(existing.id);
  });
  return { status: 202, headers };
}

function inUse({ type, name, managedBy }: Resource): Refusal {
  if (type === types.nic) {
    return new Refusal(400, 'NicInUse', `Network interface ${name} is used by ${managedBy}.`);
  }
  return new Refusal(409, 'OperationNotAllowed', `Disk ${name} is attached to VM ${managedBy}.`);
}

function removeVm(resources: Resources, vm: Resource): void {
  const { storageProfile, networkProfile } = Object(vm.sent['properties']);
  const disks = [storageProfile.osDisk, ...(storageProfile.dataDisks ?? [])];
  const taken = [
    ...disks
      .filter(({ deleteOption }) => deleteOption === 'Delete')
      .map(({ name }) => resources.idOf(vm.group, types.disk, name)),
    ...networkProfile.networkInterfaces
      .filter((nic: Record<string, unknown>) => Object(nic['properties']).deleteOption === 'Delete')
      .map(({ id }: { id: string }) => id),
  ];
  for (const id of taken) if (!isReserved(resources, vm, id)) resources.remove(id);
  for (const resource of resources.all()) {
    if (resource.managedBy === vm.id) delete resource.managedBy;
  }
  resources.remove(vm.id);
}

/** The interface of one that could not be made stays, and Azure keeps it for a while. */
function isReserved(resources: Resources, vm: Resource, id: string): boolean {
  const { reservationSeconds } = resources.world;
  const part = resources.get(id);
  if (!part || part.type !== types.nic || !vm.failure || reservationSeconds === 0) return false;
  part.reservedUntil = resources.now() + reservationSeconds * 1_000;
  return true;
}

function begin(
  { resources, type, fault, operationMilliseconds, origin }: Write,
  finish: (error: OperationFault | undefined) => void,
): Record<string, string> {
  const error = failureIn(fault);
  const milliseconds =
    fault?.kind === 'slow' ? (fault.milliseconds ?? 1_000) : operationMilliseconds;
  const id = resources.start(milliseconds, error, finish);
  if (fault?.kind === 'unnamed') return {};
  const signature = fault?.kind === 'signed' ? aSignature : '';
  const url = `${origin}/subscriptions/${resources.world.subscription}/providers/${operationsOf[type]}/${id}?api-version=2021-07-01${signature}`;
  return { 'azure-asyncoperation': url, location: `${url}&monitor=true` };
}

/** As newer addresses of Azure have it. */
const aSignature = '&t=638&c=certificate&s=signature&h=hash';

function failureIn(fault: Fault | undefined): OperationFault | undefined {
  if (fault?.kind !== 'failOperation') return undefined;
  return { code: fault.code ?? 'AllocationFailed', message: fault.message ?? 'on purpose' };
}

const operationsOf: Record<KnownType, string> = {
  [types.vm]: 'Microsoft.Compute/locations/westeurope/operations',
  [types.disk]: 'Microsoft.Compute/locations/westeurope/DiskOperations',
  [types.nic]: 'Microsoft.Network/locations/westeurope/operations',
};
