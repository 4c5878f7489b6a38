/** Finds a Machine's instance: a direct look at its place, as names are unique in a zone. */
import type { MachineRequest, ProviderRequest } from '../driver.ts';
import { notOurs } from '../named-instance.ts';
import type { Account } from './client.ts';
import { fault } from './error-mapping.ts';
import type { ComputeInstance } from './compute.ts';
import { hasToken, isOf, labelNames, labelValueOf } from './labels.ts';
import { isInstanceName, names, placeOf, providerIDOf } from './provider-id.ts';
import type { Owner } from './labels.ts';
import type { InstancePlace } from './provider-id.ts';

export interface FoundInstance {
  instance: ComputeInstance;
  /** False: it only has the name. */
  isOwn: boolean;
}

/** With a providerID the instance that it names, otherwise the one with the Machine's name. */
export async function findOne(
  { compute, project }: Account,
  request: MachineRequest,
): Promise<FoundInstance | undefined> {
  const { providerID, signal } = request;
  if (providerID !== undefined) {
    const instance = await compute.get(placeOfProviderID(providerID), signal);
    if (!instance) return undefined;
    if (!hasToken(instance, request.token) && !isMadeFor(instance, request)) throw notOurs(request);
    return { instance, isOwn: true };
  }
  const place = namedPlace(request, project);
  const instance = place && (await compute.get(place, signal));
  return instance && { instance, isOwn: await isOwn(instance, request) };
}

/** Everything of this Machine: what its providerID names, and what has its name. */
export async function findAll(
  { compute, project }: Account,
  request: MachineRequest,
): Promise<ComputeInstance[]> {
  const found = await Promise.all(
    placesOf(request, project).map(async (place) => await compute.get(place, request.signal)),
  );
  const own = await Promise.all(
    found.map(async (instance) => (instance && (await isOwn(instance, request)) ? [instance] : [])),
  );
  return own.flat();
}

function placesOf(request: MachineRequest, project: string): InstancePlace[] {
  const { providerID } = request;
  if (providerID === undefined) {
    return [namedPlace(request, project)].filter((place) => place !== undefined);
  }
  const known = placeOfProviderID(providerID);
  // A class without a zone is no reason to keep an instance whose place is known.
  const zone = zoneOf(request.providerSpec) ?? known.zone;
  const named = { project, zone, name: request.machine.name };
  const isOther = isInstanceName(named.name) && !names(providerID, named);
  return isOther ? [known, named] : [known];
}

/**
 * Undefined when Google allows no instance of this name. Fails when the class does not say where to
 * look.
 */
function namedPlace(request: MachineRequest, project: string): InstancePlace | undefined {
  const { name } = request.machine;
  const zone = requireZone(request);
  return isInstanceName(name) ? { project, zone, name } : undefined;
}

export function requireZone({ providerSpec }: Pick<ProviderRequest, 'providerSpec'>): string {
  const zone = zoneOf(providerSpec);
  if (zone !== undefined) return zone;
  const message =
    'providerSpec.zone is missing, or is not the name of a zone: without it no instance can be found';
  throw fault('input', message);
}

function zoneOf(providerSpec: unknown): string | undefined {
  const { zone } = Object(providerSpec);
  return typeof zone === 'string' && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(zone) ? zone : undefined;
}

export function placeOfProviderID(providerID: string): InstancePlace {
  const place = placeOf(providerID);
  if (place) return place;
  throw fault(
    'input',
    `spec.providerID: "${providerID}" is not of the form gce:///PROJECT/ZONE/NAME or gce://PROJECT/ZONE/NAME`,
  );
}

async function isOwn(instance: ComputeInstance, request: MachineRequest): Promise<boolean> {
  const { cluster, machine, token } = request;
  if (hasToken(instance, token)) return true;
  const providerID = providerIDOf(instance.place);
  const owner = { cluster, namespace: machine.namespace };
  const isNamed = names(request.providerID, instance.place);
  if (!isNamed && !isOf(owner, instance, tagsOf(request.providerSpec))) return false;
  if (await request.isClaimed(providerID)) return false;
  if (isNamed && !isMadeFor(instance, request)) throw notOurs(request);
  return true;
}

/** True when Millwright made it for this Machine, under any cluster id, or MCM did. */
export function isMadeFor(
  instance: ComputeInstance,
  { machine, providerSpec }: MachineRequest,
): boolean {
  const { labels, place } = instance;
  if (labels[labelNames.cluster] === undefined) {
    return isOf({ cluster: '', namespace: '' }, instance, tagsOf(providerSpec));
  }
  const isOfMachine =
    labels[labelNames.machineUid] === labelValueOf(machine.uid) || place.name === machine.name;
  return labels[labelNames.namespace] === labelValueOf(machine.namespace) && isOfMachine;
}

export interface OwnRequest extends Owner {
  providerSpec: unknown;
}

export function belongsTo(request: OwnRequest, instance: ComputeInstance): boolean {
  return isOf(request, instance, tagsOf(request.providerSpec));
}

/** Network tags of a spec that may be wrong elsewhere. */
export function tagsOf(providerSpec: unknown): string[] {
  const { tags } = Object(providerSpec);
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}
