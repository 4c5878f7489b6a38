/** Deletes everything of a Machine, and one that was listed. */
import type { VirtualMachine } from '@azure/arm-compute';
import type { DeleteListedRequest, MachineRequest } from '../driver.ts';
import { DriverError, DriverPending } from '../driver.ts';
import { notOurs } from '../named-instance.ts';
import { isMadeFor, isOfMachine, isOursIn, nameOf } from './find.ts';
import { partsByMachine } from './list.ts';
import { getVm, type Part } from './parts.ts';
import { removeAll } from './delete-parts.ts';
import { withOwnPauses, type Session } from './session.ts';
import { markedVm } from './take-along.ts';
import { isOurs, tagNames, tagOf, type Tags } from './tags.ts';

export async function deleteInstance(
  session: Session,
  request: MachineRequest,
): Promise<{ found: boolean }> {
  const { machine, providerID } = request;
  const byId = providerID === undefined ? machine.name : nameOf(session, providerID);
  // What an earlier call began was there.
  let found = session.earlier.write?.verb === 'delete';
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
  const first = await getVm(session, machineName);
  if (first && !(await isOwned(session, request, { vm: first, machineName }))) return false;
  const vm = first && (await markedVm(session, request, { vm: first, machineName }));
  const mayDelete = ({ tags }: Part): boolean =>
    isOursIn(session, request, tags) || isOfSameOwner(tags, vm?.tags);
  return await removeAll(session, { machineName, vm, mayDelete });
}

interface NamedVm {
  vm: VirtualMachine;
  machineName: string;
}

async function isOwned(
  session: Session,
  request: MachineRequest,
  { vm, machineName }: NamedVm,
): Promise<boolean> {
  const { providerID } = request;
  const isOfId =
    providerID !== undefined &&
    nameOf(session, providerID).toLowerCase() === machineName.toLowerCase();
  if (isOfId) {
    if (await request.isClaimed(providerID)) return false;
    if (!isMadeFor(session, request, vm.tags)) throw notOurs(request);
    return true;
  }
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
  const machineName = nameOf(session, request.providerID);
  const { cluster, namespace } = request;
  const owner = { cluster, namespace, classTags: session.place.classTags };
  const mayDelete = ({ tags }: Part): boolean => isOurs(tags, owner);
  const vm = await getVm(session, machineName);
  if (vm && !mayDelete(vm)) return { found: false };
  const listed = (await partsByMachine(session, owner)).get(machineName.toLowerCase()) ?? [];
  const disks = listed.filter(({ type }) => /disks$/i.test(type));
  const diskNames = disks.map(({ name }) => name);
  // No workflow polls this deletion, so it waits here instead of answering `pending`.
  const patient = withOwnPauses(session, session.timing.listedWaitSeconds);
  try {
    return { found: await removeAll(patient, { machineName, vm, diskNames, mayDelete }) };
  } catch (error) {
    if (!(error instanceof DriverPending)) throw error;
    const message = `${error.message}; the next listing says what became of it`;
    throw new DriverError({ code: 'DeadlineExceeded', message, settled: false });
  }
}
