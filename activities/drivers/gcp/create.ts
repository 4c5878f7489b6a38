/** Makes a Machine's instance, once. */
import { beforeCreate } from '../before-create.ts';
import type { CreatedInstance, CreateRequest } from '../driver.ts';
import { invalidSpec } from '../spec-schema.ts';
import { requireText } from '../user-data-bytes.ts';
import type { Account } from './client.ts';
import { ComputeError, fault } from './error-mapping.ts';
import type { ComputeInstance } from './compute.ts';
import type { Creation, CreationOptions } from './creation.ts';
import { insertNoteIn } from './checkpoint.ts';
import { isInstanceName } from './provider-id.ts';
import { awaitInsert, resumeInsert } from './insert-operation.ts';
import { instanceOf, isDead, isEnding, isStarting } from './instance-view.ts';
import { instanceResource, userDataKeyOf } from './instance-resource.ts';
import { isTransient, nextPause, pausesWithin, pending } from './wait.ts';
import { requestIdOf } from './request-id.ts';
import { refreshLabels } from './retag.ts';
import { deathOf } from './death.ts';
import { findOne } from './find.ts';
import type { FoundInstance } from './find.ts';
import { specOf, validateProviderSpec } from './validate.ts';

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
