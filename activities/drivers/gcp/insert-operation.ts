/** From the operation of an insert to the instance, over one call of the driver or several. */
import type { CreatedInstance } from '../driver.ts';
import { insertCheckpoint } from './checkpoint.ts';
import type { InsertNote } from './checkpoint.ts';
import type { ComputeError } from './error-mapping.ts';
import { errorOfOperation, fault } from './error-mapping.ts';
import type { ComputeInstance, ComputeOperation } from './compute.ts';
import type { Creation } from './creation.ts';
import { deathOf } from './death.ts';
import { hasToken } from './labels.ts';
import { instanceOf, isDead, isEnding, isSpotBy } from './instance-view.ts';
import { isRecent, isTransient, pending, resumed, untilDone } from './wait.ts';
import type { OperationWait } from './wait.ts';

/**
 * `operation`: as Google answered to the insert. Nothing is settled but by a look that finds
 * nothing: the operation has begun.
 */
export async function awaitInsert(
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
export async function resumeInsert(
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
  const { project, zone, name } = place;
  return {
    compute: account.compute,
    project,
    zone,
    pauses,
    signal: request.signal,
    what: `instance ${name} is being made`,
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
