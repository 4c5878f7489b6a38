/** Deletes everything of a Machine, and one that was listed. */
import type { VirtualMachine } from '@azure/arm-compute';
import type { DeleteListedRequest, MachineRequest } from '../driver.ts';
import { isOfMachine, isOursIn } from './find.ts';
import { partsByMachine } from './list.ts';
import { nameInProviderId } from './names.ts';
import { getVm, type Part } from './parts.ts';
import { removeAll } from './remove.ts';
import type { Session } from './session.ts';
import { isOurs, tagNames, tagOf, type Tags } from './tags.ts';

export async function deleteInstance(
  session: Session,
  request: MachineRequest,
): Promise<{ found: boolean }> {
  const { machine, providerID } = request;
  const byId = providerID === undefined ? machine.name : nameInProviderId(providerID);
  let found = false;
  for (const name of new Set([machine.name, byId])) {
    found = (await deleteNamed(session, request, name)) || found;
  }
  return { found };
}

async function deleteNamed(
  session: Session,
  request: MachineRequest,
  machineName: string,
): Promise<boolean> {
  const vm = await getVm(session, machineName);
  if (vm && !(await isOwned(session, request, { vm, machineName }))) return false;
  const mayDelete = ({ tags }: Part): boolean =>
    isOursIn(session, request, tags) || isOfSameOwner(tags, vm?.tags);
  return await removeAll(session, { machineName, vm, mayDelete });
}

interface Candidate {
  vm: VirtualMachine;
  machineName: string;
}

async function isOwned(
  session: Session,
  request: MachineRequest,
  { vm, machineName }: Candidate,
): Promise<boolean> {
  const { providerID } = request;
  const isOfId =
    providerID !== undefined &&
    nameInProviderId(providerID).toLowerCase() === machineName.toLowerCase();
  if (isOfId) return !(await request.isClaimed(providerID));
  return await isOfMachine(session, request, vm.tags);
}

/** What was adopted by its providerID has the tags of where it came from. */
function isOfSameOwner(tags: Tags | undefined, vmTags: Tags | undefined): boolean {
  return [tagNames.cluster, tagNames.namespace, tagNames.machine].every(
    (name) => tagOf(vmTags, name) !== undefined && tagOf(tags, name) === tagOf(vmTags, name),
  );
}

/** A listing may be minutes old: whose it is, and whether it is there at all, is asked directly. */
export async function deleteListed(
  session: Session,
  request: DeleteListedRequest,
): Promise<{ found: boolean }> {
  const machineName = nameInProviderId(request.providerID);
  const { cluster, namespace } = request;
  const owner = { cluster, namespace, classTags: session.place.classTags };
  const mayDelete = ({ tags }: Part): boolean => isOurs(tags, owner);
  const vm = await getVm(session, machineName);
  if (vm && !mayDelete(vm)) return { found: false };
  const listed = (await partsByMachine(session, owner)).get(machineName.toLowerCase()) ?? [];
  const disks = listed.filter(({ type }) => /disks$/i.test(type));
  const diskNames = disks.map(({ name }) => name);
  return { found: await removeAll(session, { machineName, vm, diskNames, mayDelete }) };
}
