/** Deletes what belongs to a Machine: the virtual machine, and what it did not take along. */
import type { VirtualMachine } from '@azure/arm-compute';
import { AzureFailure } from './failure.ts';
import { dataDiskNameOf, isDiskOf, nicNameOf, osDiskNameOf } from './names.ts';
import { deletePart, getPart, type Part, type PartRef } from './parts.ts';
import { pause, type Session } from './session.ts';

export interface Belongings {
  machineName: string;
  /** If it exists and may be deleted. */
  vm?: VirtualMachine | undefined;
  /** More names of disks, as a listing shows them. */
  diskNames?: readonly string[];
  /** Of an interface or a disk. */
  mayDelete: (part: Part) => boolean;
}

/** Was there anything? Whatever is not ours stays, and is not counted. */
export async function removeAll(session: Session, belongings: Belongings): Promise<boolean> {
  const { machineName, vm, mayDelete } = belongings;
  if (vm) {
    const part: PartRef = { kind: 'virtual machine', name: machineName };
    await removePart(session, part, () => true);
  }
  let isFound = vm !== undefined;
  for (const part of partsBeside(session, belongings)) {
    // One after the other: the interface is free only once the virtual machine is gone, and most of these went with it.
    isFound = (await removePart(session, part, mayDelete)) || isFound;
  }
  return isFound;
}

function partsBeside(session: Session, { machineName, vm, diskNames }: Belongings): PartRef[] {
  const ofClass = session.place.dataDisks.map((disk) => dataDiskNameOf(machineName, disk));
  const disks = [osDiskNameOf(machineName), ...ofClass, ...attachedTo(vm), ...(diskNames ?? [])];
  const names = disks.filter((name) => isDiskOf(machineName, name));
  const unique = new Map(names.map((name) => [name.toLowerCase(), name])).values();
  return [
    { kind: 'network interface', name: nicNameOf(machineName) },
    ...[...unique].map((name): PartRef => ({ kind: 'disk', name })),
  ];
}

function attachedTo(vm: VirtualMachine | undefined): string[] {
  return (vm?.storageProfile?.dataDisks ?? []).flatMap(({ name }) => name ?? []);
}

/** Was it there? What Azure works on refuses to be deleted, and is asked again until the time is up. */
async function removePart(
  session: Session,
  part: PartRef,
  mayDelete: (part: Part) => boolean,
): Promise<boolean> {
  let isFound = false;
  for (let attempt = 0; ; attempt += 1) {
    const found = await getPart(session, part);
    if (!found || !mayDelete(found)) return isFound;
    isFound = true;
    try {
      await deletePart(session, part, found.provisioningState);
      return true;
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await pause(session, { doing: `delete ${part.kind} ${part.name}`, attempt });
  }
}

/** After a failed create Azure keeps an interface for its virtual machine for three minutes. */
function isPassing(error: unknown): boolean {
  return error instanceof AzureFailure && error.meaning === 'conflict';
}
