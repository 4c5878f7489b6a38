/** Finds the virtual machine of a Machine by its name, with a direct look. */
import type { VirtualMachine } from '@azure/arm-compute';
import type { Instance, MachineRequest } from '../driver.ts';
import { isMadeByMachineController } from '../kubermatic-mark.ts';
import { notOurs } from '../named-instance.ts';
import { nameInProviderId, providerIdOf } from './provider-id.ts';
import { nicNameOf } from './names.ts';
import { getPart, getVm } from './parts.ts';
import type { Session } from './session.ts';
import { isOurs, tagNames, tagOf, type Tags } from './tags.ts';

export type Look =
  | { outcome: 'absent' }
  /** It belongs to another Machine or cluster, or its owner is unknown. */
  | { outcome: 'foreign' }
  | { outcome: 'found'; vm: VirtualMachine; name: string; tags: Tags | undefined };

/** By providerID; by token; by name and tags, if no other Machine claims it. */
export async function look(session: Session, request: MachineRequest): Promise<Look> {
  const { machine, providerID } = request;
  const name = providerID === undefined ? machine.name : nameOf(session, providerID);
  const vm = await getVm(session, name);
  if (!vm) return { outcome: 'absent' };
  const isNamed = providerID !== undefined;
  const isMadeByToken = tagOf(vm.tags, tagNames.token) === request.token;
  if (isNamed && !isMadeByToken && !isMadeFor(session, request, vm.tags)) throw notOurs(request);
  const isMine = isNamed || (await isOfMachine(session, request, vm.tags));
  return isMine ? { outcome: 'found', vm, name, tags: vm.tags } : { outcome: 'foreign' };
}

export function nameOf({ clients, place }: Session, providerID: string): string {
  const { subscriptionId } = clients;
  return nameInProviderId(providerID, { subscriptionId, resourceGroup: place.resourceGroup });
}

/** May this resource, which has the Machine's name, be taken as its own? */
export async function isOfMachine(
  session: Session,
  request: MachineRequest,
  tags: Tags | undefined,
): Promise<boolean> {
  if (tagOf(tags, tagNames.token) === request.token) return true;
  if (!isOursIn(session, request, tags)) return false;
  const { location } = session.place;
  return !(await request.isClaimed(providerIdOf(location, request.machine.name)));
}

/**
 * True when Millwright made it for this Machine, under any cluster id, or MCM or machine-controller
 * did. `tags`: of the virtual machine that its providerID names.
 */
export function isMadeFor(
  session: Session,
  request: MachineRequest,
  tags: Tags | undefined,
): boolean {
  const { machine, providerID } = request;
  const cluster = tagOf(tags, tagNames.cluster) ?? request.cluster;
  if (tagOf(tags, tagNames.cluster) === undefined && providerID !== undefined) {
    const names = { instance: nameOf(session, providerID), machine: machine.name };
    if (isMadeByMachineController(tags ?? {}, names)) return true;
  }
  if (!isOursIn(session, { cluster, machine }, tags)) return false;
  const name = tagOf(tags, tagNames.machine);
  return name === undefined || name === machine.name;
}

/** Do the tags say: of this cluster and namespace? */
export function isOursIn(
  session: Session,
  { cluster, machine }: Pick<MachineRequest, 'cluster' | 'machine'>,
  tags: Tags | undefined,
): boolean {
  const { classTags } = session.place;
  return isOurs(tags, { cluster, namespace: machine.namespace, classTags });
}

/** With the address of its network interface, which Azure does not say with a virtual machine. */
export async function describeInstance(
  session: Session,
  request: MachineRequest,
): Promise<Instance | undefined> {
  const seen = await look(session, request);
  if (seen.outcome !== 'found') return undefined;
  const instance = instanceOf(session, request, seen);
  const { networkInterfaces: [{ id = '' } = {}] = [] } = seen.vm.networkProfile ?? {};
  const name = id.split('/').at(-1) || nicNameOf(seen.name);
  const nic = await getPart(session, { kind: 'network interface', name });
  const own = (nic?.ipConfigurations ?? []).flatMap(({ privateIPAddress: address }) =>
    address ? [{ type: 'InternalIP', address }] : [],
  );
  return { ...instance, addresses: [...own, ...(instance.addresses ?? [])] };
}

/** A providerID that is known stays as it is, however its location is spelled. */
export function instanceOf(
  { place }: Session,
  { providerID }: Pick<MachineRequest, 'providerID'>,
  { name }: { name: string },
): Instance {
  return {
    providerID: providerID ?? providerIdOf(place.location, name),
    nodeName: name,
    addresses: [{ type: 'Hostname', address: name }],
    isInitialized: true,
  };
}
