/** Makes a Machine's instance, once. */
import type { CreatedInstance, CreateRequest } from '../driver.ts';
import type { Account } from './account.ts';
import { ComputeError, errorOfOperation, fault } from './compute-error.ts';
import type { ComputeInstance, ComputeOperation } from './compute.ts';
import { hasToken, isInstanceName } from './identity.ts';
import type { InstancePlace } from './identity.ts';
import { instanceOf, isEnding } from './instance.ts';
import { instanceResource } from './instance-resource.ts';
import { untilDone } from './operation.ts';
import { Patience } from './patience.ts';
import type { PatienceOptions } from './patience.ts';
import { requestIdOf } from './request-id.ts';
import { findOne } from './search.ts';
import type { Found } from './search.ts';
import { specOf, validateProviderSpec } from './validate.ts';

interface Creation {
  account: Account;
  request: CreateRequest;
  place: InstancePlace;
  patience: Patience;
}

/** The search goes before the checks: an instance that exists is found whatever became of its class. */
export async function createInstance(
  account: Account,
  request: CreateRequest,
  options: PatienceOptions,
): Promise<CreatedInstance> {
  const patience = new Patience(options, request.signal);
  const found = await findOne(account, request);
  if (found) return await adopt({ account, request, place: found.instance.place, patience }, found);
  if (request.providerID !== undefined) {
    throw fault('missing', `instance ${request.providerID} does not exist`, true);
  }
  requireCreatable(request);
  const { zone } = specOf(request.providerSpec);
  const place = { project: account.project, zone, name: request.machine.name };
  return await insert({ account, request, place, patience });
}

function requireCreatable({ providerSpec, machine }: CreateRequest): void {
  const faults = validateProviderSpec(providerSpec);
  if (!isInstanceName(machine.name)) {
    const allowed = 'up to 63 lower-case letters, digits and dashes, a letter first, no dash last';
    faults.push(`metadata.name: "${machine.name}" cannot be the name of an instance: ${allowed}`);
  }
  if (faults.length > 0) throw fault('input', faults.join('; '), true);
}

async function insert(creation: Creation): Promise<CreatedInstance> {
  const { account, request, place } = creation;
  const spec = specOf(request.providerSpec);
  const resource = instanceResource({ spec, project: place.project, request });
  const requestId = requestIdOf(request.token, 'insert');
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
  throw error;
}

/** Nothing here is settled but by a look that finds nothing: the operation has begun. */
async function awaitInsert(
  creation: Creation,
  operation: ComputeOperation,
): Promise<CreatedInstance> {
  const { account, request, place, patience } = creation;
  const { compute } = account;
  const { project, zone } = place;
  const wait = { compute, project, zone, patience, signal: request.signal };
  const done = await untilDone(wait, operation);
  const namesake = await compute.get(place, request.signal);
  // After a token that is long spent there may be a namesake of another one.
  const instance = namesake && hasToken(namesake, request.token) ? namesake : undefined;
  if (done.errors.length > 0) throw failed(creation, { done, instance, operation });
  if (!instance) throw spent(place, 'it was deleted');
  return { ...instanceOf(instance), found: false };
}

interface Failed {
  /** As it answered to the request. */
  operation: ComputeOperation;
  done: ComputeOperation;
  instance: ComputeInstance | undefined;
}

/**
 * An operation that had failed before it was asked for is that of an earlier try: the token brings it back for ever, so
 * that another token is needed.
 */
function failed({ place }: Creation, { operation, done, instance }: Failed): ComputeError {
  const error = errorOfOperation(`insert instance ${place.name}`, done, !instance);
  return operation.isDone && !instance ? spent(place, error.message) : error;
}

function spent({ name }: InstancePlace, cause: string): ComputeError {
  return fault(
    'conflict',
    `instance ${name} of this attempt does not exist any more: ${cause}`,
    true,
  );
}

const startingStates = ['PENDING', 'PROVISIONING', 'STAGING'];

async function adopt(creation: Creation, { instance, isOwn }: Found): Promise<CreatedInstance> {
  const { name, zone } = instance.place;
  if (!isOwn) {
    const message = `an instance called ${name} exists in ${zone} and is not of this Machine: its labels, tags or another Machine say so`;
    throw fault('taken', message, true);
  }
  if (isEnding(instance)) {
    throw fault('conflict', `instance ${name} is on its way down (${instance.status})`);
  }
  if (!startingStates.includes(instance.status)) return { ...instanceOf(instance), found: true };
  return await adopt(creation, await afterPause(creation, instance));
}

/** An insert that is under way can still fail; then the instance goes again. */
async function afterPause(creation: Creation, { place, status }: ComputeInstance): Promise<Found> {
  const { account, request, patience } = creation;
  if (!(await patience.pause())) {
    throw fault('unanswered', `instance ${place.name} is still ${status}; it is looked at again`);
  }
  const instance = await account.compute.get(place, request.signal);
  if (instance) return { instance, isOwn: true };
  throw fault('conflict', `instance ${place.name} has gone again while it was made`);
}
