/** Makes a Machine's instance, once. */
import { createHash } from 'node:crypto';
import { beforeCreate } from '../before-create.ts';
import type { CreatedInstance, CreateRequest } from '../driver.ts';
import { invalidSpec } from '../spec-schema.ts';
import { requireText } from '../user-data-bytes.ts';
import type { Account } from './client.ts';
import { ComputeError, fault, errorOfOperation } from './error-mapping.ts';
import type { ComputeInstance, Compute, ComputeOperation } from './compute.ts';
import type { Creation, CreationOptions } from './creation.ts';
import { insertNoteIn, insertCheckpoint, type InsertNote } from './checkpoint.ts';
import { isInstanceName, names } from './provider-id.ts';
import { instanceOf, isDead, isEnding, isStarting, isSpotBy } from './instance-view.ts';
import { instanceResource, userDataKeyOf } from './instance-resource.ts';
import {
  isTransient,
  nextPause,
  pausesWithin,
  pending,
  isRecent,
  resumed,
  untilDone,
  type OperationWait,
} from './wait.ts';
import { findOne, isMadeFor, type FoundInstance } from './find.ts';
import { specOf, validateProviderSpec } from './validate.ts';
import { labelNames, labelsFor, hasToken } from './labels.ts';

/**
 * The search goes before the checks: an instance that exists is found whatever became of its class.
 */
export async function createInstance(
  account: Account,
  request: CreateRequest,
  options: CreationOptions,
): Promise<CreatedInstance> {
  const pauses = pausesWithin(options, request.signal);
  const requestId = requestIdOf(request.token, 'insert');
  const begun = { account, request, requestId, pauses, options };
  const { project } = account;
  const note = insertNoteIn(request.checkpoint, { requestId, project });
  const made = note && (await resumeInsert(creationIn(begun, note.zone), note));
  if (made) return made;
  const found = await beforeCreate(findOne(account, request));
  if (found) return await adopt({ ...begun, place: found.instance.place }, found);
  if (request.providerID !== undefined) {
    throw fault('missing', `instance ${request.providerID} does not exist`, true);
  }
  requireText(request);
  requireCreatable(request);
  return await insert(creationIn(begun, specOf(request.providerSpec).zone));
}

function creationIn(begun: Omit<Creation, 'place'>, zone: string): Creation {
  const { account, request } = begun;
  return { ...begun, place: { project: account.project, zone, name: request.machine.name } };
}

function requireCreatable({ providerSpec, machine, userData }: CreateRequest): void {
  const faults = validateProviderSpec(providerSpec);
  if (!isInstanceName(machine.name)) {
    const allowed = 'up to 63 lower-case letters, digits and dashes, a letter first, no dash last';
    faults.push(`metadata.name: "${machine.name}" cannot be the name of an instance: ${allowed}`);
  }
  if (faults.length === 0) faults.push(...userDataFaults(providerSpec, userData));
  if (faults.length > 0) throw fault('input', invalidSpec(faults), true);
}

/**
 * Which key the user data take is known with the user data only, so that the class alone cannot be
 * validated.
 */
function userDataFaults(providerSpec: unknown, userData: string): string[] {
  if (userData === '') return [];
  const taken = userDataKeyOf(userData);
  return (specOf(providerSpec).metadata ?? []).flatMap(({ key }, index) => {
    if (key !== taken) return [];
    const path = `providerSpec.metadata[${index}].key`;
    return [
      `${path}: "${key}" is where the Secret's userData go, as they do not begin with #cloud-config: take it out of the class, or make them one`,
    ];
  });
}

async function insert(creation: Creation): Promise<CreatedInstance> {
  const { account, request, place, requestId } = creation;
  const spec = specOf(request.providerSpec);
  const resource = instanceResource({ spec, project: place.project, request });
  try {
    const { project, zone } = place;
    const insertion = { project, zone, requestId, resource };
    const operation = await account.compute.insert(insertion, request.signal);
    return await awaitInsert(creation, operation);
  } catch (error) {
    if (error instanceof ComputeError && error.meaning === 'taken' && error.settled) {
      return await meet(creation, error);
    }
    throw error;
  }
}

/** Something has the name, since after the search: another attempt's instance, or a disk. */
async function meet(creation: Creation, error: ComputeError): Promise<CreatedInstance> {
  const found = await findOne(creation.account, creation.request);
  if (found) return await adopt(creation, found);
  const { name } = creation.place;
  // Google shows an instance a moment after its name is taken.
  if (!error.message.includes(`/instances/${name}'`)) throw error;
  throw fault(
    'conflict',
    `instance ${name} is being made by another attempt, and not to be seen yet`,
  );
}

async function adopt(
  creation: Creation,
  { instance, isOwn }: FoundInstance,
): Promise<CreatedInstance> {
  const { name, zone } = instance.place;
  const { request, account, options } = creation;
  if (!isOwn) {
    const message = `an instance called ${name} exists in ${zone} and is not of this Machine: its labels, tags or another Machine say so`;
    throw fault('taken', message, true);
  }
  if (isEnding(instance)) {
    throw fault('conflict', `instance ${name} is on its way down (${instance.status})`);
  }
  // One that a Machine has is the Machine's, whatever its state: its Node's health is looked at
  // elsewhere.
  if (isDead(instance) && request.providerID === undefined) throw deathOf(instance);
  if (isStarting(instance)) return await adopt(creation, await afterPause(creation, instance));
  const refusal = options.allowsRetagging
    ? await refreshLabels(account.compute, request, instance)
    : undefined;
  const state = refusal === undefined ? {} : { lastKnownState: refusal };
  return { ...instanceOf(instance), found: true, ...state };
}

/** An insert that is under way can still fail; then the instance goes again. */
async function afterPause(
  { account, request, pauses }: Creation,
  { place, status }: ComputeInstance,
): Promise<FoundInstance> {
  const what = `instance ${place.name} is being made (${status})`;
  if (!(await nextPause(pauses))) throw pending(what);
  const instance = await account.compute.get(place, request.signal).catch((error: unknown) => {
    if (!isTransient(error)) throw error;
    throw pending(what, { retryAfterSeconds: error.retryAfterSeconds });
  });
  if (instance) return { instance, isOwn: true };
  throw fault('conflict', `instance ${place.name} has gone again while it was made`);
}

/** Random, and ours for ever: with another one an attempt under way would not be recognised. */
const namespace = Buffer.from('8f0c6a54b7d24c0f9a3e51d7c2b86e19', 'hex');

/** Google's idempotency key: a UUID version 5 (RFC 9562) of token and verb. */
export function requestIdOf(token: string, verb: 'insert'): string {
  const digest = createHash('sha1').update(namespace).update(`${verb}/${token}`).digest();
  const bytes = digest.subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const text = bytes.toString('hex');
  const parts = [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20)];
  return [...parts, text.slice(20)].join('-');
}

/**
 * Labels an instance that came from an earlier control cluster, so that listings show it again.
 * Only of an instance that the Machine names and that was made for it: same namespace, and same UID
 * or name. What MCM made has no labels, and is listed without. Where Google refuses, the Machine
 * keeps its instance, and the answer is Google's message.
 */
async function refreshLabels(
  compute: Compute,
  request: CreateRequest,
  instance: ComputeInstance,
): Promise<string | undefined> {
  const { labels, labelFingerprint: fingerprint = '', place } = instance;
  const wanted = labelsFor(labels, request);
  const hasOurs = labels[labelNames.cluster] !== undefined;
  const isOurs = labels[labelNames.cluster] === wanted[labelNames.cluster];
  if (!hasOurs || isOurs || !names(request.providerID, place)) return undefined;
  if (!isMadeFor(instance, request)) return undefined;
  try {
    const operation = await compute.setLabels(
      { place, labels: wanted, fingerprint },
      request.signal,
    );
    if (operation.errors.length === 0) return undefined;
    throw errorOfOperation(`set labels of instance ${place.name}`, operation, false);
  } catch (error) {
    return refusalIn(error, place.name);
  }
}

/** Fails when asking again may help. */
function refusalIn(error: unknown, name: string): string {
  if (!(error instanceof ComputeError) || error.meaning === 'cancelled') throw error;
  const { meaning, message, retryAfterSeconds } = error;
  // Precondition: another caller set labels first, so the fingerprint is out of date.
  if (isTransient(error) || meaning === 'precondition') {
    throw pending(`labels of instance ${name} are being set`, { retryAfterSeconds });
  }
  return `instance ${name} keeps the labels of an earlier cluster: ${message}`;
}

/**
 * From the operation of an insert to the instance, over one call of the driver or several.
 * `operation`: as Google answered to the insert. Nothing is settled but by a look that finds
 * nothing: the operation has begun.
 */
async function awaitInsert(
  creation: Creation,
  operation: ComputeOperation,
): Promise<CreatedInstance> {
  const done = await untilDone(waitOf(creation), operation);
  const wasWatched = !operation.isDone;
  return await conclude(creation, { done, wasWatched, isNews: wasWatched || isRecent(done) });
}

/**
 * Undefined when nothing is known of the operation: it is begun from the beginning then, which
 * finds what there is.
 */
async function resumeInsert(
  creation: Creation,
  note: InsertNote,
): Promise<CreatedInstance | undefined> {
  const done = await resumed(waitOf(creation), note.operation);
  if (!done) return undefined;
  const { isStarted: isConfirmed } = note;
  const wasWatched = isRecent(done);
  // A checkpoint ends with the answer: the workflow has not heard of a failure yet, however old.
  return await conclude(creation, { done, wasWatched, isNews: true, isConfirmed });
}

function waitOf(creation: Creation): OperationWait {
  const { account, request, place, pauses } = creation;
  return {
    compute: account.compute,
    place,
    pauses,
    signal: request.signal,
    what: `instance ${place.name} is being made`,
    checkpointOf: (operation) => checkpointOf(creation, operation),
  };
}

function checkpointOf(
  { requestId, place }: Creation,
  operation: string,
  isStarted = false,
): string {
  const { project, zone } = place;
  return insertCheckpoint({ requestId, project, zone, operation, ...(isStarted && { isStarted }) });
}

interface Conclusion {
  done: ComputeOperation;
  /** A call of this attempt saw it under way, so its instance has not been deleted by us since. */
  wasWatched: boolean;
  isNews: boolean;
  /** A spot instance has been looked at once more. */
  isConfirmed?: boolean | undefined;
}

async function conclude(creation: Creation, conclusion: Conclusion): Promise<CreatedInstance> {
  const { done, isConfirmed = false } = conclusion;
  const instance = await lookAt(creation, done);
  if (!instance) throw absent(creation, conclusion);
  if (done.errors.length > 0) throw failed(creation, done, false);
  if (isDead(instance) || isEnding(instance)) throw deathOf(instance);
  const { confirmSeconds } = creation.options;
  if (!instance.isSpot || isConfirmed || confirmSeconds === 0) {
    return { ...instanceOf(instance), found: false };
  }
  const what = `spot instance ${instance.place.name} has come up and is looked at once more`;
  const checkpoint = checkpointOf(creation, done.name, true);
  throw pending(what, { pollAfterSeconds: confirmSeconds, checkpoint });
}

/** After a token that is long spent there may be a namesake of another one. */
async function lookAt(
  creation: Creation,
  { name }: ComputeOperation,
): Promise<ComputeInstance | undefined> {
  const { account, request, place } = creation;
  try {
    const namesake = await account.compute.get(place, request.signal);
    return namesake && hasToken(namesake, request.token) ? namesake : undefined;
  } catch (error) {
    if (!isTransient(error)) throw error;
    const what = `instance ${place.name} is made and to be looked at (the last look failed: ${error.message})`;
    const { retryAfterSeconds } = error;
    throw pending(what, { retryAfterSeconds, checkpoint: checkpointOf(creation, name) });
  }
}

/** Its code counts as long as it is news; later only another token helps. */
function absent(creation: Creation, { done, wasWatched, isNews }: Conclusion): ComputeError {
  const { name } = creation.place;
  const isFailed = done.errors.length > 0;
  if (isNews && isFailed) return failed(creation, done, true);
  // The spec may have changed since the insert.
  const { scheduling } = Object(creation.request.providerSpec);
  if (wasWatched && isSpotBy(Object(scheduling))) {
    const message = `instance ${name} has gone right after it was made: Google takes spot instances back where it needs the capacity`;
    return fault('capacity', message, true);
  }
  const cause = isFailed ? failed(creation, done, true).message : 'it was deleted';
  const message = `instance ${name} of this attempt does not exist any more: ${cause}`;
  return fault('conflict', message, true);
}

function failed({ place }: Creation, done: ComputeOperation, settled: boolean): ComputeError {
  return errorOfOperation(`insert instance ${place.name}`, done, settled);
}

/**
 * It is still there, so nothing is settled. Google names no reason for a preemption on the
 * instance: a spot instance that has not been used yet was most likely taken back, for want of
 * capacity (Compute Engine, "Spot VMs", preemption process).
 */
function deathOf({ place, status, statusMessage, isSpot }: ComputeInstance): ComputeError {
  const words = statusMessage === undefined ? '' : `: ${statusMessage}`;
  const start = `instance ${place.name} is ${status} before it was of use${words}`;
  if (!isSpot) return fault('conflict', `${start}; something has stopped it`);
  return fault(
    'capacity',
    `${start}; Google takes spot instances back where it needs the capacity`,
  );
}
