/** Makes a Machine's instance, once. */
import { beforeCreate } from '../before-create.ts';
import type { CreatedInstance, CreateRequest } from '../driver.ts';
import { DriverError, type DriverPending } from '../driver.ts';
import { missing } from '../named-instance.ts';
import { invalidSpec } from '../spec-schema.ts';
import type { Pauses } from '../wait.ts';
import {
  awaitedCheckpoint,
  failureCheckpoint,
  failureNoteIn,
  insertCheckpoint,
  insertNoteIn,
  isAwaited,
  type FailureNote,
  type InsertNote,
} from './checkpoint.ts';
import type { Body, CloudTypes, Death, MakeCall, Operation, Part, Place } from './cloud.ts';
import { fault, isTransient } from './fault.ts';
import { findOne, findOwn, requireTagged, type Asking, type Found } from './find.ts';
import { refreshTags } from './retag.ts';
import { hasToken } from './tags.ts';
import {
  isRecent,
  nextPause,
  pausesWithin,
  pending,
  resumed,
  untilDone,
  type OperationWait,
  type WaitLimits,
} from './wait.ts';

export interface CreationOptions extends WaitLimits {
  allowsRetagging: boolean;
}

interface Creation<T extends CloudTypes> extends Asking<T> {
  request: CreateRequest;
  requestId: string;
  pauses: Pauses;
  options: CreationOptions;
  /** Of a thing that is made in several; what does not get on is left to the next call. */
  steps: { left: number };
}

const stepsMax = 6;

/**
 * The search goes before the checks: an instance that exists is found whatever became of its class.
 */
export async function createInstance<T extends CloudTypes>(
  asking: Asking<T> & { request: CreateRequest },
  options: CreationOptions,
): Promise<CreatedInstance> {
  const { cloud, request } = asking;
  const requestId = cloud.requestIdOf?.(request.token) ?? request.token;
  const pauses = pausesWithin(options, request.signal);
  const creation = { ...asking, requestId, pauses, options, steps: { left: stepsMax } };
  const failed = failureNoteIn(request.checkpoint, requestId);
  if (failed) throw await resumeFailed(creation, failed);
  const note = noteOf(creation);
  const made =
    note &&
    (await resume(creation, note).catch((error: unknown) => {
      throw cloud.parts.length > 0 ? unsettled(error) : error;
    }));
  if (made) return made;
  const found = await beforeCreate(findOne(asking));
  if (found && (found.isOwn || cloud.uniqueness.by === 'name')) return await adopt(creation, found);
  if (request.providerID !== undefined) throw missing(request);
  requireCreatable(creation);
  return await makeAll(creation);
}

function noteOf<T extends CloudTypes>(creation: Creation<T>): InsertNote | undefined {
  const { cloud, account, request, requestId } = creation;
  const note = insertNoteIn(request.checkpoint, requestId, cloud.places?.keys ?? []);
  const isOurs = note && (cloud.places?.isOf(account, note.place) ?? true);
  return isOurs ? note : undefined;
}

async function resumeFailed<T extends CloudTypes>(
  creation: Creation<T>,
  note: FailureNote,
): Promise<DriverError> {
  const { cloud, account, request } = creation;
  const left = await cloud.instance.read(account, note.ref, request.signal);
  // A checkpoint may come from elsewhere: nothing else is deleted.
  const isMine = left && hasToken(left, request.token, cloud.tags);
  const error = await deleteFailed(creation, isMine ? left : undefined, note);
  return cloud.parts.length > 0 ? unsettled(error) : error;
}

function requireCreatable<T extends CloudTypes>({ cloud, request }: Creation<T>): void {
  cloud.requireUserData?.(request);
  const faults = cloud.validate(request.providerSpec);
  if (cloud.faultsOf) faults.push(...cloud.faultsOf(request, faults.length === 0));
  if (faults.length > 0) throw fault('input', invalidSpec(faults), true);
}

/** The parts in their order, and then the instance. What is there already is taken. */
async function makeAll<T extends CloudTypes>(creation: Creation<T>): Promise<CreatedInstance> {
  const { cloud, account, request } = creation;
  const made: Record<string, T['thing'][]> = {};
  try {
    for (const part of cloud.parts) {
      const bodies = part.bodies({ account, request, made });
      const things = bodies.length === 0 ? [] : await part.search(account, request);
      const ofKind: T['thing'][] = [];
      made[part.kind] = ofKind;
      for (const body of bodies) {
        const found = await findPart(creation, part, { body, things });
        const thing = found ?? (await makePart(creation, part, { body, made }));
        ofKind.push(thing);
        ofKind.splice(-1, 1, await untilReady(creation, part, thing));
      }
    }
    const [body] = cloud.instance.bodies({ account, request, made });
    if (!body) throw new Error(`${cloud.title}: the class asks for no instance`);
    return await makeInstance(creation, { body, made });
  } catch (error) {
    const isLeft = Object.values(made).some((things) => things.length > 0);
    throw isLeft ? unsettled(error) : error;
  }
}

async function findPart<T extends CloudTypes>(
  creation: Creation<T>,
  part: Part<T>,
  { body, things }: { body: Body<T['content']>; things: readonly T['thing'][] },
): Promise<T['thing'] | undefined> {
  const namesakes = things.filter(({ name }) => name === body.name);
  return await findOwn(creation, part, namesakes);
}

/**
 * What was made before it is still there, for the next try or for the deletion. Where only another
 * token helps, the next try finds it by name.
 */
function unsettled<Failure>(error: Failure): Failure | DriverError {
  if (!(error instanceof DriverError) || !error.settled || error.code === 'Aborted') return error;
  const { code, message, kind, retryAfterSeconds, cause } = error;
  return new DriverError({
    code,
    message,
    settled: false,
    cause,
    ...(kind && { kind }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

type MakeOf<T extends CloudTypes> = Pick<MakeCall<T>, 'body' | 'made'>;

async function makePart<T extends CloudTypes>(
  creation: Creation<T>,
  part: Part<T>,
  { body, made }: MakeOf<T>,
): Promise<T['thing']> {
  const { account, request } = creation;
  const { token, signal } = request;
  const place = placeOf(creation);
  try {
    const making = await part.make(account, { place, body, token, signal, made });
    if ('thing' in making) return making.thing;
    const { operation } = making;
    await untilPartDone(creation, part, { name: body.name, place, operation });
  } catch (error) {
    if (!(error instanceof DriverError) || error.code !== 'AlreadyExists') throw error;
    return await meetPart(creation, part, { body, error });
  }
  const seen = await findPart(creation, part, {
    body,
    things: await part.search(account, request),
  });
  if (seen) return seen;
  throw fault('conflict', `${part.kind} ${body.name} is made, and not to be seen yet`);
}

/** Another attempt makes it at the same time, or something else has its name. */
async function meetPart<T extends CloudTypes>(
  creation: Creation<T>,
  part: Part<T>,
  { body, error }: { body: Body<T['content']>; error: DriverError },
): Promise<T['thing']> {
  const things = await part.search(creation.account, creation.request);
  const found = await findPart(creation, part, { body, things });
  if (found) return found;
  if (things.some(({ name }) => name === body.name)) throw error;
  throw fault('conflict', error.message);
}

/** Throws `DriverPending` when that takes more than a moment. */
async function untilPartDone<T extends CloudTypes>(
  creation: Creation<T>,
  part: Part<T>,
  { name, place, operation }: { name: string; place: Place; operation: Operation },
): Promise<void> {
  const done = await untilDone(waitOf(creation, place, { part, name }), operation);
  if (done.failure) throw done.failure('make', name, false);
}

/** Throws `DriverPending` when that takes more than a moment. */
async function untilReady<T extends CloudTypes>(
  creation: Creation<T>,
  part: Part<T>,
  thing: T['thing'],
): Promise<T['thing']> {
  const { request } = creation;
  const { is, words } = part.stateOf(thing);
  if (is === 'ready') return thing;
  if (is === 'going') {
    throw fault('conflict', `${part.kind} ${thing.name} is on its way down (${words})`);
  }
  // One that a Machine has is the Machine's, whatever its state: its Node's health is checked
  // elsewhere.
  if (is === 'failed') {
    if (request.providerID !== undefined) return thing;
    throw await endOf(creation, part, thing);
  }
  const hasAdvanced = await isAdvanced(creation, part, thing);
  const next = hasAdvanced
    ? await readAgain(creation, part, thing)
    : await afterPause(creation, part, thing);
  return await untilReady(creation, part, next);
}

/** One step of what is made in several. Throws `DriverPending` when that takes long. */
async function isAdvanced<T extends CloudTypes>(
  creation: Creation<T>,
  part: Part<T>,
  thing: T['thing'],
): Promise<boolean> {
  const { account, request, steps } = creation;
  if (steps.left === 0) return false;
  const operation = await part.advance?.(account, thing, request);
  if (!operation) return false;
  steps.left -= 1;
  const done = await untilDone(waitOf(creation, placeOf(creation)), operation);
  if (done.failure && !done.isForNothing) throw done.failure('make', thing.name, false);
  return true;
}

async function afterPause<T extends CloudTypes>(
  creation: Creation<T>,
  part: Part<T>,
  thing: T['thing'],
): Promise<T['thing']> {
  const { cloud, pauses } = creation;
  if (!(await nextPause(cloud, pauses))) throw beingMade(creation, part, { thing });
  return await readAgain(creation, part, thing);
}

function beingMade<T extends CloudTypes>(
  { cloud, request, requestId }: Creation<T>,
  part: Part<T>,
  { thing, retryAfterSeconds }: { thing: T['thing']; retryAfterSeconds?: number | undefined },
): DriverPending {
  const isMine = part === cloud.instance && hasToken(thing, request.token, cloud.tags);
  const what = `${part.kind} ${thing.name} is being made (${part.stateOf(thing).words})`;
  return pending(cloud, what, {
    retryAfterSeconds,
    checkpoint: isMine ? awaitedCheckpoint(requestId) : undefined,
  });
}

/** What is under way can still fail; then it goes again. */
async function readAgain<T extends CloudTypes>(
  creation: Creation<T>,
  part: Part<T>,
  thing: T['thing'],
): Promise<T['thing']> {
  const { account, request } = creation;
  const next = await part.read(account, thing.ref, request.signal).catch((error: unknown) => {
    if (!isTransient(error)) throw error;
    throw beingMade(creation, part, { thing, retryAfterSeconds: error.retryAfterSeconds });
  });
  if (next) return next;
  throw fault('conflict', `${part.kind} ${thing.name} has gone again while it was made`);
}

/** What it fails with. An instance that is not deleted is still there, so nothing is settled. */
async function endOf<T extends CloudTypes>(
  creation: Creation<T>,
  part: Part<T>,
  thing: T['thing'],
): Promise<DriverError> {
  const { cloud, request, requestId } = creation;
  const { meaning, message } = deathOf(part, thing);
  if (cloud.deletesFailed && part !== cloud.instance) {
    // The next try makes another once it is gone.
    await part.remove(creation.account, thing, request.signal);
    return fault(meaning, message);
  }
  const isMine = cloud.deletesFailed && hasToken(thing, request.token, cloud.tags);
  if (!isMine) return fault(meaning, message);
  return await deleteFailed(creation, thing, { requestId, ref: thing.ref, meaning, message });
}

function deathOf<T extends CloudTypes>(
  { kind, stateOf, deathOf: deathIn }: Part<T>,
  thing: T['thing'],
): Death {
  const message = `${kind} ${thing.name} is ${stateOf(thing).words} before it was of use`;
  return deathIn?.(thing) ?? { meaning: 'conflict', message };
}

/** Once it is gone the next token makes another. */
async function deleteFailed<T extends CloudTypes>(
  creation: Creation<T>,
  thing: T['thing'] | undefined,
  note: FailureNote,
): Promise<DriverError> {
  const { cloud, account, request, pauses } = creation;
  const { instance } = cloud;
  let left = thing;
  while (left) {
    if (instance.stateOf(left).is !== 'going') {
      const end = await instance.remove(account, left, request.signal);
      if (end === 'gone') break;
    }
    if (!(await nextPause(cloud, pauses))) {
      const what = `${instance.kind} ${left.name} has failed and is being deleted: ${note.message}`;
      throw pending(cloud, what, { checkpoint: failureCheckpoint(note) });
    }
    left = await instance.read(account, note.ref, request.signal);
  }
  return fault(note.meaning, note.message, true);
}

function placeOf<T extends CloudTypes>(creation: Creation<T>): Place {
  return creation.cloud.places?.of(creation.account, creation.request) ?? {};
}

async function makeInstance<T extends CloudTypes>(
  creation: Creation<T>,
  { body, made }: MakeOf<T>,
): Promise<CreatedInstance> {
  const { cloud, account, request } = creation;
  const { token, signal } = request;
  const place = placeOf(creation);
  try {
    const making = await cloud.instance.make(account, { place, body, token, signal, made });
    if ('operation' in making) return await awaitMake(creation, place, making.operation);
    const thing = await untilReady(creation, cloud.instance, making.thing);
    return { ...cloud.instanceOf(thing, account), found: making.isFound ?? false };
  } catch (error) {
    const isTaken = error instanceof DriverError && error.code === 'AlreadyExists' && error.settled;
    if (isTaken && cloud.uniqueness.by === 'name') return await meet(creation, error);
    throw error;
  }
}

/** Something has the name, since after the search: another attempt's instance, or another thing. */
async function meet<T extends CloudTypes>(
  creation: Creation<T>,
  error: DriverError,
): Promise<CreatedInstance> {
  const found = await findOne(creation);
  if (found) return await adopt(creation, found);
  const { cloud, request } = creation;
  const { kind } = cloud.instance;
  const { name } = request.machine;
  const { uniqueness } = cloud;
  const isTaken = uniqueness.by === 'name' && (uniqueness.isTaken?.(error, name) ?? true);
  // The cloud shows an instance a moment after its name is taken.
  if (!isTaken) throw error;
  throw fault(
    'conflict',
    `${kind} ${name} is being made by another attempt, and not to be seen yet`,
  );
}

async function adopt<T extends CloudTypes>(
  creation: Creation<T>,
  { thing, isOwn }: Found<T>,
): Promise<CreatedInstance> {
  const { cloud, account, request, requestId, options } = creation;
  if (!isOwn) {
    const where = Object.values(placeOf(creation)).at(-1);
    const words = where === undefined ? '' : ` in ${where}`;
    const { word } = cloud.tags;
    // Where labels are ours, a class may have tags as well.
    const evidence = word === 'label' ? 'labels, tags' : `${word}s`;
    const { kind } = cloud.instance;
    const article = /^[aeiou]/i.test(kind) ? 'an' : 'a';
    const message = `${article} ${kind} called ${thing.name} exists${words} and is not of this Machine: its ${evidence} or another Machine say so`;
    throw fault('taken', message, true);
  }
  const usable = await untilReady(creation, cloud.instance, thing);
  const refusal = options.allowsRetagging ? await refreshTags(creation, usable) : undefined;
  const state = refusal === undefined ? {} : { lastKnownState: refusal };
  const isMine = hasToken(thing, request.token, cloud.tags);
  const found = !isMine || !isAwaited(request.checkpoint, requestId);
  return { ...cloud.instanceOf(usable, account), found, ...state };
}

/**
 * From the operation of a make to the instance, over one call of the driver or several.
 * `operation`: as the cloud answered to the make. Nothing is settled but by a search that finds
 * nothing: the operation has begun.
 */
async function awaitMake<T extends CloudTypes>(
  creation: Creation<T>,
  place: Place,
  operation: Operation,
): Promise<CreatedInstance> {
  const done = await untilDone(waitOf(creation, place), operation);
  const wasWatched = !operation.isDone;
  const isNews = wasWatched || isRecent(done);
  return await conclude(creation, { place, done, wasWatched, isNews });
}

/**
 * Undefined when nothing is known of the operation: it is begun from the beginning then, which
 * finds what there is.
 */
async function resume<T extends CloudTypes>(
  creation: Creation<T>,
  { place, operation, part: name, isStarted }: InsertNote,
): Promise<CreatedInstance | undefined> {
  if (name !== undefined) return await resumePart(creation, { place, operation, name });
  const done = await resumed(waitOf(creation, place), operation);
  if (!done) return undefined;
  const wasWatched = isRecent(done);
  // A checkpoint ends with the answer: the workflow has not heard of a failure yet, however old.
  return await conclude(creation, {
    place,
    done,
    wasWatched,
    isNews: true,
    isConfirmed: isStarted,
  });
}

/** Of a part; all that was made is searched again then. */
async function resumePart<T extends CloudTypes>(
  creation: Creation<T>,
  { place, operation, name }: { place: Place; operation: string; name: string },
): Promise<undefined> {
  const part = creation.cloud.parts.find(({ kind }) => name.startsWith(`${kind} `));
  if (!part) return;
  const of = { part, name: name.slice(part.kind.length + 1) };
  const done = await resumed(waitOf(creation, place, of), operation);
  if (done?.failure) throw done.failure('make', of.name, false);
}

function waitOf<T extends CloudTypes>(
  creation: Creation<T>,
  place: Place,
  of?: { part: Part<T>; name: string },
): OperationWait {
  const { cloud, account, request, pauses } = creation;
  const { part = cloud.instance, name: own = request.machine.name } = of ?? {};
  const { kind, operation: read } = part;
  const { signal } = request;
  const note = of && { part: `${kind} ${own}` };
  return {
    waiting: cloud,
    pauses,
    what: `${kind} ${own} is being made`,
    read: async (name) => await read?.(account, { place, name, signal }),
    checkpointOf: (operation) => checkpointOf(creation, place, { operation, ...note }),
  };
}

function checkpointOf<T extends CloudTypes>(
  { requestId }: Creation<T>,
  place: Place,
  note: Pick<InsertNote, 'operation' | 'isStarted' | 'part'>,
): string {
  return insertCheckpoint({ requestId, place, ...note });
}

interface Conclusion {
  place: Place;
  done: Operation;
  /** A call of this attempt saw it under way, so its instance has not been deleted by us since. */
  wasWatched: boolean;
  isNews: boolean;
  /** It has been read once more. */
  isConfirmed?: boolean | undefined;
}

async function conclude<T extends CloudTypes>(
  creation: Creation<T>,
  conclusion: Conclusion,
): Promise<CreatedInstance> {
  const { cloud, account, request } = creation;
  const { place, done, isConfirmed = false } = conclusion;
  const thing = await lookAt(creation, conclusion);
  if (!thing) throw absent(creation, conclusion);
  const failure = done.failure?.('make', request.machine.name, false);
  // Its own name is taken: another attempt with this token was quicker.
  if (failure && failure.code !== 'AlreadyExists' && !done.isForNothing) throw failure;
  const { instance, confirmation } = cloud;
  const { is } = instance.stateOf(thing);
  if (is === 'failed' || is === 'going') throw await endOf(creation, instance, thing);
  const usable = await untilReady(creation, instance, thing);
  if (!confirmation || isConfirmed || confirmation.seconds === 0 || !confirmation.of(thing)) {
    return { ...cloud.instanceOf(usable, account), found: false };
  }
  throw pending(
    cloud,
    `${confirmation.what} ${thing.name} has come up and is looked at once more`,
    {
      pollAfterSeconds: confirmation.seconds,
      checkpoint: checkpointOf(creation, place, { operation: done.name, isStarted: true }),
    },
  );
}

/** After a token that is long spent there may be a namesake of another one. */
async function lookAt<T extends CloudTypes>(
  creation: Creation<T>,
  { place, done }: Conclusion,
): Promise<T['thing'] | undefined> {
  const { cloud, account, request } = creation;
  const { instance } = cloud;
  const { name } = request.machine;
  try {
    const ref = instance.refOf?.(place, name, done) ?? name;
    const namesake = await instance.read(account, ref, request.signal);
    if (!namesake || hasToken(namesake, request.token, cloud.tags)) return namesake;
    requireTagged(creation, instance, [namesake]);
    return undefined;
  } catch (error) {
    if (!isTransient(error)) throw error;
    const what = `${instance.kind} ${name} is made and to be looked at (the last look failed: ${error.message})`;
    throw pending(cloud, what, {
      retryAfterSeconds: error.retryAfterSeconds,
      checkpoint: checkpointOf(creation, place, { operation: done.name }),
    });
  }
}

/** Its code counts as long as it is news; later only another token helps. */
function absent<T extends CloudTypes>(
  { cloud, request }: Creation<T>,
  { done, wasWatched, isNews }: Conclusion,
): DriverError {
  const { name } = request.machine;
  const failure = done.failure?.('make', name, true);
  if (isNews && failure) return failure;
  // The spec may have changed since the make.
  const reason = wasWatched && cloud.disappearance?.(name, request.providerSpec);
  if (reason) return reason;
  const cause = failure ? failure.message : 'it was deleted';
  const message = `${cloud.instance.kind} ${name} of this attempt does not exist any more: ${cause}`;
  return fault('conflict', message, true);
}
