/** Finds instances: by a direct look at their place, as names are unique in a zone. */
import type { MachineRequest, ProviderRequest } from '../driver.ts';
import type { Place, Places } from '../frame/cloud.ts';
import type { Account } from './client.ts';
import { fault } from './error-mapping.ts';
import { viewOf, type GcpInstance } from './instance-view.ts';
import { isInstanceName, placeOf, placeOfRef, refOfPlace } from './provider-id.ts';
import type { InstancePlace } from './provider-id.ts';
import { haveSameSearchTags } from './tags.ts';

export async function readAt(
  { compute }: Account,
  ref: string,
  signal: AbortSignal,
): Promise<GcpInstance | undefined> {
  const instance = await compute.get(placeOfRef(ref), signal);
  return instance && viewOf(instance);
}

/** What has the Machine's name. Fails when the class does not say where to look. */
export async function searchByName(
  account: Account,
  request: MachineRequest,
): Promise<GcpInstance[]> {
  const { name } = request.machine;
  const zone = zoneToSearch(request);
  // Google allows no instance of another name.
  if (!isInstanceName(name)) return [];
  const ref = refOfPlace({ project: account.project, zone, name });
  const found = await readAt(account, ref, request.signal);
  return found ? [found] : [];
}

/** A class without a zone is no reason to keep an instance whose place is known. */
function zoneToSearch({ providerID, providerSpec }: MachineRequest): string {
  const known = providerID === undefined ? undefined : placeOfProviderID(providerID).zone;
  return zoneOf(providerSpec) ?? known ?? requireZone({ providerSpec });
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
  return isZone(zone) ? zone : undefined;
}

function isZone(zone: unknown): zone is string {
  return typeof zone === 'string' && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(zone);
}

/** Where an insert of this request is made. */
export const zonePlaces: Places<Account> = {
  keys: ['project', 'zone'],
  of: ({ project }, request) => ({ project, zone: zoneToSearch(request) }),
  isOf: ({ project }, place) => place['project'] === project && isZone(place['zone']),
};

export function refOf({ project = '', zone = '' }: Place, name: string): string {
  return refOfPlace({ project, zone, name });
}

export function refIn(providerID: string): string {
  return refOfPlace(placeOfProviderID(providerID));
}

function placeOfProviderID(providerID: string): InstancePlace {
  const place = placeOf(providerID);
  if (place) return place;
  throw fault(
    'input',
    `spec.providerID: "${providerID}" is not of the form gce:///PROJECT/ZONE/NAME or gce://PROJECT/ZONE/NAME`,
  );
}

/** MCM's instances have the tags of their class. */
export function isOfClass({ instance }: GcpInstance, providerSpec: unknown): boolean {
  return haveSameSearchTags(instance.tags, tagsOf(providerSpec));
}

/** Network tags of a spec that may be wrong elsewhere. */
export function tagsOf(providerSpec: unknown): string[] {
  const { tags } = Object(providerSpec);
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}
