/**
 * A virtual machine of Kubermatic's machine-controller has an interface and disks with names that
 * we do not give, and that Azure leaves behind. Before it is deleted it is marked to take them
 * along: once it is gone nothing here knows their names.
 */
import type { DataDisk, VirtualMachine } from '@azure/arm-compute';
import type { MachineRequest } from '../driver.ts';
import { isMadeByMachineController } from '../kubermatic-mark.ts';
import type { Write } from './checkpoint.ts';
import { getVm, isBeingDeleted } from './parts.ts';
import { call, type Session } from './session.ts';
import { tagNames, tagOf } from './tags.ts';
import { pause } from './wait.ts';

interface NamedVm {
  vm: VirtualMachine;
  machineName: string;
}

/** The virtual machine as Azure shows it then. */
export async function markedVm(
  session: Session,
  request: Pick<MachineRequest, 'machine'>,
  { vm, machineName }: NamedVm,
): Promise<VirtualMachine | undefined> {
  const names = { instance: machineName, machine: request.machine.name };
  const isOfThem = isMadeByMachineController(vm.tags ?? {}, names);
  if (!isOfThem || tagOf(vm.tags, tagNames.cluster) !== undefined) return vm;
  const write: Write = { verb: 'delete', part: { kind: 'virtual machine', name: machineName } };
  let seen: VirtualMachine | undefined = vm;
  for (let attempt = 0; seen && leavesParts(seen) && !isBeingDeleted(seen); attempt += 1) {
    if (attempt === 0) await mark(session, machineName, seen);
    await pause(session, { write, attempt, because: 'its interface and disks are to go with it' });
    seen = await getVm(session, machineName);
  }
  return seen;
}

/** Volumes of the cluster were attached later. */
function isMadeWithIt({ createOption }: DataDisk): boolean {
  return createOption !== 'Attach';
}

function leavesParts({ storageProfile, networkProfile }: VirtualMachine): boolean {
  const parts = [
    ...(storageProfile?.osDisk ? [storageProfile.osDisk] : []),
    ...(storageProfile?.dataDisks ?? []).filter(isMadeWithIt),
    ...(networkProfile?.networkInterfaces ?? []),
  ];
  return parts.some(({ deleteOption }) => deleteOption !== 'Delete');
}

/** Azure leaves disks alone whose list is not sent, so one that is attached meanwhile stays. */
async function mark(session: Session, name: string, vm: VirtualMachine): Promise<void> {
  const { osDisk, dataDisks = [] } = vm.storageProfile ?? {};
  const along = { deleteOption: 'Delete' } as const;
  const change = {
    storageProfile: {
      ...(osDisk && { osDisk: { ...osDisk, ...along } }),
      ...(dataDisks.some(isMadeWithIt) && {
        dataDisks: dataDisks.map((disk) => (isMadeWithIt(disk) ? { ...disk, ...along } : disk)),
      }),
    },
    networkProfile: {
      networkInterfaces: (vm.networkProfile?.networkInterfaces ?? []).map((nic) => ({
        ...nic,
        ...along,
      })),
    },
  };
  const { resourceGroup } = session.place;
  const { virtualMachines } = session.clients.compute;
  await call(session, `mark the parts of virtual machine ${name} to go with it`, (options) =>
    virtualMachines.update(resourceGroup, name, change, options).submitted(),
  );
}
