/** Deletes what a Machine has in a cloud, until it is gone. */
import { DriverPending } from '../driver.ts';
import type { DeleteListedRequest } from '../driver.ts';
import type { Pauses } from '../wait.ts';
import {
  deletionCheckpoint,
  deletionNotesIn,
  earlierOwnersIn,
  type EarlierOwner,
} from './checkpoint.ts';
import type { Cloud, CloudTypes, Operation, Part, Resource } from './cloud.ts';
import { fault, isTransient } from './fault.ts';
import { findAll, type Asking } from './find.ts';
import { belongsTo, hasToken } from './tags.ts';
import {
  isRecent,
  nextPause,
  pausesWithin,
  pending,
  resumed,
  untilDone,
  type OperationWait,
  type Waiting,
  type WaitLimits,
} from './wait.ts';

/** The instance, and then its parts in reverse. */
export async function deleteInstance<T extends CloudTypes>(
  asking: Asking<T>,
  options: WaitLimits,
): Promise<{ found: boolean }> {
  const { cloud, account, request } = asking;
  const { signal, checkpoint } = request;
  const owners = earlierOwnersIn(checkpoint);
  let count = 0;
  for (const part of [cloud.instance, ...cloud.parts.toReversed()]) {
    const things = await lookFor(findAll({ ...asking, owners }, part), asking);
    if (part === cloud.instance) owners.push(...things.flatMap((thing) => ownersOf(asking, thing)));
    await removeAll({ cloud, account, part, signal, options, checkpoint, owners }, things);
    count += things.length;
  }
  return { found: count > 0 || deletionNotesIn(checkpoint).size > 0 };
}

/** Of an instance with another token than the Machine's. */
function ownersOf<T extends CloudTypes>(
  { cloud, request }: Asking<T>,
  thing: T['thing'],
): EarlierOwner[] {
  const { [cloud.tags.names.cluster]: cluster, [cloud.tags.names.token]: token } = thing.tags;
  if (cloud.parts.length === 0 || hasToken(thing, request.token, cloud.tags)) return [];
  return cluster === undefined || token === undefined ? [] : [{ cluster, token }];
}

/** Deletes one thing of any kind, as a listing shows parts without an instance as well. */
export async function deleteListed<T extends CloudTypes>(
  cloud: Cloud<T> & Waiting,
  account: T['account'],
  { request, options }: { request: DeleteListedRequest; options: WaitLimits },
): Promise<{ found: boolean }> {
  const { providerID, signal } = request;
  for (const part of [cloud.instance, ...cloud.parts]) {
    const ref = part.refIn(providerID);
    const thing = ref === undefined ? undefined : await part.read(account, ref, signal);
    if (!thing || !belongsTo(cloud, thing, request)) continue;
    await removeInOneCall({ cloud, account, part, signal, options }, thing);
    return { found: true };
  }
  return { found: false };
}

/** The contract has no `pending` for an orphan: the next search for orphans finds what is left. */
async function removeInOneCall<T extends CloudTypes>(
  removal: Removal<T>,
  thing: T['thing'],
): Promise<void> {
  try {
    await remove(removal, thing);
  } catch (error) {
    if (error instanceof DriverPending) throw fault('unanswered', error.message);
    throw error;
  }
}

interface Removal<T extends CloudTypes> {
  cloud: Cloud<T> & Waiting;
  account: T['account'];
  part: Part<T>;
  signal: AbortSignal;
  options: WaitLimits;
  /** The checkpoint of the call before. */
  checkpoint?: string | undefined;
  /** For the parts of an instance that is gone by the next call. */
  owners?: readonly EarlierOwner[];
}

/**
 * All at once. Throws `DriverPending` when some are under way, and a failure when one has failed.
 */
async function removeAll<T extends CloudTypes>(
  removal: Removal<T>,
  things: readonly T['thing'][],
): Promise<void> {
  const ends = await Promise.allSettled(things.map((thing) => remove(removal, thing)));
  const reasons = ends.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  const failure = reasons.find((reason) => !(reason instanceof DriverPending));
  if (failure !== undefined) throw failure;
  const waits = reasons.filter((reason) => reason instanceof DriverPending);
  if (waits.length > 0) throw together(waits, removal.owners);
}

function together(
  waits: readonly DriverPending[],
  owners: readonly EarlierOwner[] = [],
): DriverPending {
  const notes = waits.flatMap(({ checkpoint }) => [...deletionNotesIn(checkpoint).values()]);
  return new DriverPending({
    message: waits.map(({ message }) => message).join('; '),
    pollAfterSeconds: Math.max(...waits.map(({ pollAfterSeconds }) => pollAfterSeconds)),
    checkpoint: deletionCheckpoint(notes, owners),
  });
}

/**
 * What is there of a Machine that is being deleted. Throws `DriverPending` when a deletion is under
 * way and this search fails.
 */
async function lookFor<T extends CloudTypes>(
  reading: Promise<T['thing'][]>,
  { cloud, request }: Asking<T>,
): Promise<T['thing'][]> {
  const { machine, checkpoint } = request;
  try {
    return await reading;
  } catch (error) {
    if (checkpoint === undefined || !isTransient(error)) throw error;
    const what = `${cloud.instance.kind} ${machine.name} is being deleted (the last look failed: ${error.message})`;
    throw pending(cloud, what, { retryAfterSeconds: error.retryAfterSeconds, checkpoint });
  }
}

/** Throws `DriverPending` as long as it is under way. */
async function remove<T extends CloudTypes>(removal: Removal<T>, thing: T['thing']): Promise<void> {
  const { cloud, part, options, signal, checkpoint } = removal;
  const pauses = pausesWithin(options, signal);
  const note = deletionNotesIn(checkpoint).get(uidOf(thing));
  let left: T['thing'] | undefined = thing;
  const known = note?.operation;
  if (known !== undefined && (await isEnded({ removal, pauses, thing }, known))) {
    left = await lookAgain(removal, thing, known);
  }
  while (left) {
    requireUnprotected(removal, left);
    const begun = await begin(removal, left);
    if (begun === 'gone') return;
    if (begun !== 'going') {
      const deletion = { removal, pauses, thing: left };
      requireDone(deletion, await untilDone(waitOf(deletion), begun));
    }
    left = await lookAgain(removal, thing, begun === 'going' ? undefined : begun.name);
    if (left && !(await nextPause(cloud, pauses))) {
      const { words } = part.stateOf(left);
      throw pending(cloud, `${part.kind} ${left.name} is being deleted (${words})`, {
        checkpoint: deletionCheckpoint([{ id: uidOf(thing) }]),
      });
    }
  }
}

const uidOf = ({ uid, ref }: Resource): string => uid ?? ref;

function requireUnprotected<T extends CloudTypes>({ part }: Removal<T>, thing: T['thing']): void {
  const protection = part.protectionOf?.(thing);
  if (protection !== undefined) throw fault('precondition', protection);
}

/** `going` where there is nothing to wait for, as the delete of another caller is under way. */
async function begin<T extends CloudTypes>(
  { account, part, signal }: Removal<T>,
  thing: T['thing'],
): Promise<Operation | 'going' | 'gone'> {
  try {
    return await part.remove(account, thing, signal);
  } catch (error) {
    if (part.stateOf(thing).is === 'going' && isTransient(error)) return 'going';
    throw error;
  }
}

interface Deletion<T extends CloudTypes> {
  removal: Removal<T>;
  pauses: Pauses;
  thing: T['thing'];
}

/**
 * The operation of an earlier call. False: it is of no use any more, and the delete is to be sent
 * again.
 */
async function isEnded<T extends CloudTypes>(
  deletion: Deletion<T>,
  operation: string,
): Promise<boolean> {
  const done = await resumed(waitOf(deletion), operation);
  if (!done) return false;
  if (isRecent(done)) requireDone(deletion, done);
  return !done.failure;
}

function waitOf<T extends CloudTypes>({ removal, pauses, thing }: Deletion<T>): OperationWait {
  const { cloud, account, part, signal } = removal;
  const place = thing.place ?? {};
  return {
    waiting: cloud,
    pauses,
    what: `${part.kind} ${thing.name} is being deleted`,
    read: async (name) => await part.operation?.(account, { place, name, signal }),
    checkpointOf: (operation) => deletionCheckpoint([{ id: uidOf(thing), operation }]),
  };
}

function requireDone<T extends CloudTypes>({ thing }: Deletion<T>, done: Operation): void {
  // Another caller deleted it first.
  if (!done.failure || done.isForNothing) return;
  throw done.failure('remove', thing.name, false);
}

/**
 * A namesake that was made meanwhile is another one. `operation`: which deletes it, if it is known.
 */
async function lookAgain<T extends CloudTypes>(
  { cloud, account, part, signal }: Removal<T>,
  thing: T['thing'],
  operation: string | undefined,
): Promise<T['thing'] | undefined> {
  try {
    const left = await part.read(account, thing.ref, signal);
    return left && uidOf(left) === uidOf(thing) ? left : undefined;
  } catch (error) {
    if (!isTransient(error)) throw error;
    const what = `${part.kind} ${thing.name} is being deleted (the last look failed: ${error.message})`;
    const note = { id: uidOf(thing), ...(operation !== undefined && { operation }) };
    const { retryAfterSeconds } = error;
    throw pending(cloud, what, { retryAfterSeconds, checkpoint: deletionCheckpoint([note]) });
  }
}
