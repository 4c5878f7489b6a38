/** The three kinds of resources that belong to a Machine, asked for by name. */
import type { VirtualMachine } from '@azure/arm-compute';
import { doingOf, type PartRef, type Write } from './checkpoint.ts';
import { ofAzure, OperationFailed, isPassing, type AzureFailure } from './error-mapping.ts';
import { orInput } from './image.ts';
import { viewOf } from './instance-view.ts';
import {
  operationFailed,
  outcomeOf,
  submit,
  untilDone,
  type Start,
  type Submitted,
} from './operation.ts';
import { call, orAbsent, type Session } from './session.ts';
import type { Tags } from './tags.ts';
import { earlierOf, forgetEarlier, isUnclear, pause, type Unclear } from './wait.ts';

export interface Part {
  id?: string;
  tags?: Tags;
  /** `Creating`, `Updating`, `Deleting`, `Succeeded`, `Failed`, `Canceled`, ... */
  provisioningState?: string;
  /** Of a network interface. */
  ipConfigurations?: { privateIPAddress?: string }[];
}

export async function getPart(session: Session, part: PartRef): Promise<Part | undefined> {
  if (part.kind === 'virtual machine') return await getVm(session, part.name);
  const { compute, network } = session.clients;
  const group = session.place.resourceGroup;
  const doing = `get ${part.kind} ${part.name}`;
  return await orAbsent(
    call<Part>(session, doing, async (options) =>
      ofAzure<Part>(
        part.kind === 'disk'
          ? await compute.disks.get(group, part.name, options)
          : await network.networkInterfaces.get(group, part.name, options),
        doing,
      ),
    ),
  );
}

export async function getVm(session: Session, name: string): Promise<VirtualMachine | undefined> {
  const { clients, place } = session;
  const doing = `get virtual machine ${name}`;
  return await orAbsent(
    call(session, doing, async (options) =>
      ofAzure(await clients.compute.virtualMachines.get(place.resourceGroup, name, options), doing),
    ),
  );
}

/**
 * Sends the delete and waits until the resource is gone; one that is on its way already is only
 * waited for.
 */
export async function deletePart(session: Session, part: PartRef, found: Part): Promise<void> {
  const write: Write = { verb: 'delete', part };
  const isBegun = isBeingDeleted(found) || (await isStillDeleted(session, write, found));
  const submitted = isBegun ? undefined : await orAbsent(sendDelete(session, write));
  if (submitted) await untilDone(session, submitted);
  await untilGone(session, submitted?.write ?? write);
}

function sendDelete(session: Session, write: Write): Promise<Submitted> {
  const { compute, network } = session.clients;
  const group = session.place.resourceGroup;
  const { kind, name } = write.part;
  return submit(session, write, (options) => {
    switch (kind) {
      case 'virtual machine':
        return compute.virtualMachines.delete(group, name, options);
      case 'network interface':
        return network.networkInterfaces.delete(group, name, options);
      case 'disk':
        return compute.disks.delete(group, name, options);
    }
  });
}

/**
 * Is a delete that an earlier call sent still under way? A failed one is reported once, then sent
 * again.
 */
async function isStillDeleted(session: Session, write: Write, found: Part): Promise<boolean> {
  const earlier = earlierOf(session, write);
  if (!earlier) return false;
  try {
    const { state } = await outcomeOf(session, earlier);
    if (state === 'underWay' || state === 'unclear') return true;
  } catch (error) {
    if (error instanceof OperationFailed) forgetEarlier(session);
    throw error;
  }
  forgetEarlier(session);
  if (isFailed(found)) throw await failureOfPart(session, write, found);
  return false;
}

async function untilGone(session: Session, write: Write): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const seen = await glance(getPart(session, write.part));
    if (seen === undefined) return;
    await pause(session, { write, attempt, ...retryAfterIn(seen) });
  }
}

function retryAfterIn(seen: unknown): { retryAfter?: number } {
  const seconds = isUnclear(seen) ? seen.unclear.retryAfterSeconds : undefined;
  return seconds === undefined ? {} : { retryAfter: seconds };
}

const stateOf = ({ provisioningState }: Part): string =>
  provisioningState?.toLowerCase() ?? 'succeeded';

export const isBeingDeleted = (part: Part): boolean => stateOf(part) === 'deleting';
export const isFailed = (part: Part): boolean => ['failed', 'canceled'].includes(stateOf(part));
const isMade = (part: Part): boolean => stateOf(part) === 'succeeded';

function isUnderWay(part: Part): boolean {
  return !isBeingDeleted(part) && !isFailed(part) && !isMade(part);
}

/**
 * Waits until Azure neither creates nor changes the part, and returns it; undefined if it is gone.
 * `first`: the part as a read has just returned it.
 */
export async function untilAtRest(
  session: Session,
  write: Write,
  first?: Part,
): Promise<Part | undefined> {
  let seen = first ?? (await getPart(session, write.part));
  for (let attempt = 0; seen && isUnderWay(seen); attempt += 1) {
    await pause(session, { write, attempt });
    const next = await glance(getPart(session, write.part));
    if (!isUnclear(next)) seen = next;
  }
  return seen;
}

/** Sends the write that makes it, and waits until it is there. */
export async function makePart(session: Session, part: PartRef, start: Start): Promise<void> {
  const write: Write = { verb: 'create', part };
  const submitted = await orInput(submit(session, write, start));
  if (await untilDone(session, submitted)) return;
  const made = await untilMade(session, submitted.write);
  if (!isMade(made)) throw await failureOfPart(session, submitted.write, made);
}

/** What Azure has accepted it may not show yet. */
async function untilMade(session: Session, write: Write): Promise<Part> {
  for (let attempt = 0; ; attempt += 1) {
    const seen = await glance(getPart(session, write.part));
    if (seen && !isUnclear(seen) && !isUnderWay(seen)) return seen;
    await pause(session, { write, attempt, ...retryAfterIn(seen) });
  }
}

/**
 * Why Azure did not make or delete it: as its operation says, else as a virtual machine says
 * itself.
 */
export async function failureOfPart(
  session: Session,
  write: Write,
  found: Part,
): Promise<AzureFailure> {
  const { kind, name } = write.part;
  try {
    await outcomeOf(session, earlierOf(session, write) ?? write);
  } catch (error) {
    if (error instanceof OperationFailed) return error;
    throw error;
  }
  const failure = kind === 'virtual machine' ? (await viewOf(session, name)).failure : undefined;
  const unknown = { code: found.provisioningState ?? 'Failed', message: 'Azure does not say why' };
  return operationFailed(doingOf(write), failure ?? unknown);
}

/** One look that is throttled or fails says nothing of what is waited for: the next one may. */
async function glance<Result>(looking: Promise<Result>): Promise<Result | Unclear> {
  try {
    return await looking;
  } catch (error) {
    if (isPassing(error)) return { unclear: error };
    throw error;
  }
}
