/** The three kinds of resources that belong to a Machine, asked for by name. */
import type { VirtualMachine } from '@azure/arm-compute';
import { OperationFailed } from './failure.ts';
import { submit, type Start } from './operation.ts';
import { call, orAbsent, pause, type Session } from './session.ts';
import type { Tags } from './tags.ts';

export type PartKind = 'virtual machine' | 'network interface' | 'disk';

export interface PartRef {
  kind: PartKind;
  name: string;
}

export interface Part {
  id?: string;
  tags?: Tags;
  /** `Creating`, `Updating`, `Deleting`, `Succeeded`, `Failed`, `Canceled`, ... */
  provisioningState?: string;
}

const sayOf = ({ kind, name }: PartRef): string => `${kind} ${name}`;

export async function getPart(session: Session, part: PartRef): Promise<Part | undefined> {
  if (part.kind === 'virtual machine') return await getVm(session, part.name);
  const { compute, network } = session.clients;
  const group = session.place.resourceGroup;
  return await orAbsent(
    call<Part>(session, `get ${sayOf(part)}`, async (options) =>
      part.kind === 'disk'
        ? await compute.disks.get(group, part.name, options)
        : await network.networkInterfaces.get(group, part.name, options),
    ),
  );
}

export async function getVm(session: Session, name: string): Promise<VirtualMachine | undefined> {
  const { clients, place } = session;
  return await orAbsent(
    call(session, `get virtual machine ${name}`, (options) =>
      clients.compute.virtualMachines.get(place.resourceGroup, name, options),
    ),
  );
}

/** Sends the delete and waits until the resource is gone; one that is on its way already is only waited for. */
export async function deletePart(session: Session, part: PartRef, state?: string): Promise<void> {
  const { compute, network } = session.clients;
  const group = session.place.resourceGroup;
  if (state !== 'Deleting') {
    const sending = submit(session, `delete ${sayOf(part)}`, (options) => {
      switch (part.kind) {
        case 'virtual machine':
          return compute.virtualMachines.delete(group, part.name, options);
        case 'network interface':
          return network.networkInterfaces.delete(group, part.name, options);
        case 'disk':
          return compute.disks.delete(group, part.name, options);
      }
    });
    await orAbsent(sending);
  }
  await untilGone(session, part);
}

async function untilGone(session: Session, part: PartRef): Promise<void> {
  const doing = `wait for the end of ${sayOf(part)}`;
  for (let attempt = 0; await getPart(session, part); attempt += 1) {
    await pause(session, { doing, attempt });
  }
}

const lastStates = ['succeeded', 'failed', 'canceled', 'deleting'];

export function isUnderWay({ provisioningState }: Part): boolean {
  return !lastStates.includes(provisioningState?.toLowerCase() ?? 'succeeded');
}

/** Until nobody works on it any more. Nothing: it is gone. */
export async function untilAtRest(session: Session, part: PartRef): Promise<Part | undefined> {
  const doing = `wait for ${sayOf(part)}`;
  for (let attempt = 0; ; attempt += 1) {
    const found = await getPart(session, part);
    if (!found || !isUnderWay(found)) return found;
    await pause(session, { doing, attempt });
  }
}

/** Sends the write that makes it, and waits until it is there. */
export async function makePart(session: Session, part: PartRef, start: Start): Promise<void> {
  const doing = `create ${sayOf(part)}`;
  if (await submit(session, doing, start)) return;
  const made = await untilAtRest(session, part);
  const state = made?.provisioningState ?? 'Succeeded';
  if (made && state === 'Succeeded') return;
  const message = `Azure: ${doing}: it ended as ${made ? state : 'absent'}`;
  throw new OperationFailed({ meaning: 'unknown', message });
}
