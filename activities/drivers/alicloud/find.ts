/** Finds and lists instances. */
import type { ListRequest, MachineRequest } from '../driver.ts';
import type { Places } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { hasTags } from '../frame/tags.ts';
import type { Account } from './client.ts';
import { placeIn, type AliInstance } from './instance-view.ts';
import { isRegion } from './regions.ts';
import { searchTagsOf } from './tags.ts';

/** `ref`: a providerID. */
export async function readAt(
  { ecs }: Account,
  ref: string,
  signal: AbortSignal,
): Promise<AliInstance | undefined> {
  const { region, id } = placeIn(ref);
  const query = { instanceIds: JSON.stringify([id]) };
  const found = await ecs(region).describe(query, `describe instance ${id}`, signal);
  return found.find((instance) => instance.id === id);
}

/** What has the Machine's name, which whatever has its token has as well. */
export async function searchByName(
  { ecs }: Account,
  request: MachineRequest,
): Promise<AliInstance[]> {
  const { name } = request.machine;
  const query = { instanceName: name };
  const what = `find instance ${name}`;
  const found = await ecs(regionToSearch(request)).describe(query, what, request.signal);
  // The cloud reads an asterisk as a wildcard, and says nothing of upper case.
  return found.filter((instance) => instance.name === name);
}

/** A class without a region is no reason to keep an instance whose place is known. */
function regionToSearch({ providerID, providerSpec }: MachineRequest): string {
  const { region } = Object(providerSpec);
  if (isRegion(region)) return region;
  return providerID === undefined ? requireRegion(providerSpec) : placeIn(providerID).region;
}

function requireRegion(providerSpec: unknown): string {
  const { region } = Object(providerSpec);
  if (isRegion(region)) return region;
  const message =
    'providerSpec.region is missing, or is not the name of a region: without it no instance can be found';
  throw fault('input', message);
}

/** Where a create of this request is made. */
export const regions: Places<Account> = {
  keys: ['region'],
  of: (_account, request) => ({ region: regionToSearch(request) }),
  isOf: (_account, place) => isRegion(place['region']),
};

/** By the two tags of the class, which instances of MCM have as well. */
export async function listByTags(
  { ecs }: Account,
  { providerSpec, signal }: ListRequest,
): Promise<AliInstance[]> {
  const region = requireRegion(providerSpec);
  const tags = searchTagsOf(providerSpec);
  if (!tags) {
    const message =
      'providerSpec.tags: the two tags of cluster and role are missing: without them no instance can be listed';
    throw fault('input', message);
  }
  const tag = Object.entries(tags).map(([key, value]) => ({ key, value }));
  return await ecs(region).describe({ tag }, 'list instances', signal);
}

/** MCM's instances have the tags of their class. */
export function isOfClass(thing: AliInstance, providerSpec: unknown): boolean {
  const tags = searchTagsOf(providerSpec);
  return tags !== undefined && hasTags(thing, tags);
}

export function listScope(providerSpec: unknown): string {
  const { region } = Object(providerSpec);
  return JSON.stringify([region, Object.entries(searchTagsOf(providerSpec) ?? {}).toSorted()]);
}

/** Limits hold for an account and a region. */
export function limitScope(providerSpec: unknown): string {
  const { region } = Object(providerSpec);
  return isRegion(region) ? region : '';
}
