/** Deletes what belongs to a Machine: the virtual machine, and what it did not take along. */
import type { VirtualMachine } from '@azure/arm-compute';
import { AzureFailure } from './error-mapping.ts';
import { dataDiskNameOf, nicNameOf, osDiskNameOf } from './names.ts';
import type { PartRef } from './checkpoint.ts';
import { deletePart, getPart, type Part } from './parts.ts';
import type { Session } from './session.ts';
import { pause } from './wait.ts';

export interface Belongings {
  machineName: string;
  /** If it exists and may be deleted. */
  vm?: VirtualMachine | undefined;
  /** More names of disks, as a listing shows them. */
  diskNames?: readonly string[];
  /** Is the interface or disk one of ours? */
  mayDelete: (part: Part) => boolean;
}

/** Returns whether there was anything to delete. Resources of others stay and do not count. */
export async function removeAll(session: Session, belongings: Belongings): Promise<boolean> {
  const { machineName, vm, mayDelete } = belongings;
  if (vm) {
    const part: PartRef = { kind: 'virtual machine', name: machineName };
    await removePart(session, { part, mayDelete: () => true, first: vm });
  }
  let isFound = vm !== undefined;
  for (const part of partsOf(session, belongings)) {
    // One after the other: the interface is free only once the virtual machine is gone, and most of
    // these went with it.
    isFound = (await removePart(session, { part, mayDelete })) || isFound;
  }
  return isFound;
}

/** What may be there beside the virtual machine, by name. */
export function partsOf(
  session: Session,
  { machineName, vm, diskNames }: Pick<Belongings, 'machineName' | 'vm' | 'diskNames'>,
): PartRef[] {
  const ofClass = session.place.dataDisks.map((disk) => dataDiskNameOf(machineName, disk));
  const attached = (vm?.storageProfile?.dataDisks ?? []).flatMap(({ name }) => name ?? []);
  const disks = [osDiskNameOf(machineName), ...ofClass, ...attached, ...(diskNames ?? [])];
  const names = disks.filter((name) => isDiskOf(machineName, name));
  const unique = new Map(names.map((name) => [name.toLowerCase(), name])).values();
  return [
    { kind: 'network interface', name: nicNameOf(machineName) },
    ...[...unique].map((name): PartRef => ({ kind: 'disk', name })),
  ];
}

interface PartRemoval extends Pick<Belongings, 'mayDelete'> {
  part: PartRef;
  /** As it was seen just now. */
  first?: Part;
}

/**
 * Returns whether the part existed. Azure refuses to delete what it works on, so the delete is sent
 * again.
 */
async function removePart(
  session: Session,
  { part, mayDelete, first }: PartRemoval,
): Promise<boolean> {
  let found = first ?? (await getPart(session, part));
  let isFound = false;
  for (let attempt = 0; found && mayDelete(found); attempt += 1) {
    isFound = true;
    try {
      await deletePart(session, part, found);
      return true;
    } catch (error) {
      // After a failed create Azure keeps an interface for its virtual machine for three minutes.
      if (!(error instanceof AzureFailure && error.meaning === 'conflict')) throw error;
      const because = error.code ?? 'Azure works on it';
      const retryAfter = error.retryAfterSeconds;
      await pause(session, { write: { verb: 'delete', part }, attempt, because, retryAfter });
    }
    found = await getPart(session, part);
  }
  return isFound;
}

/**
 * Is this the name of a disk that the driver makes for the machine? Volumes of the cluster are
 * attached to it as well.
 */
export function isDiskOf(machineName: string, diskName: string): boolean {
  const name = diskName.toLowerCase();
  const machine = machineName.toLowerCase();
  return (
    name === osDiskNameOf(machine) ||
    (name.startsWith(`${machine}-`) && /-\d+-data-disk$/.test(name))
  );
}
