/** Finds and lists instances. */
import type { MachineRequest, ProviderRequest } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import { isRegion, type Ecs } from './client.ts';
import { placeIn, viewOf, type AlicloudInstance } from './instance-view.ts';
import { searchTagsOf, tagList } from './tags.ts';

/** `regionId`, and the rest of the query, by the names of the SDK's model. */
async function describe(ecs: Ecs, query: { regionId: string }, signal: AbortSignal) {
  const { regionId: region } = query;
  const call = { region, what: 'find instances', signal };
  const all: AlicloudInstance[] = [];
  let more = {};
  // A listing of more than 20,000 instances does not end.
  for (let page = 0; page < 200; page += 1) {
    const input = { maxResults: 100, ...query, ...more };
    const { instances, nextToken } = await ecs('DescribeInstances', { ...call, input });
    if (!instances?.instance) break;
    all.push(...instances.instance.map((one) => viewOf(region, one)));
    if (!nextToken) return all;
    more = { nextToken };
  }
  throw fault('unknown', 'Alibaba Cloud: find instances: the answers have no instances or no end');
}

export async function read(ecs: Ecs, ref: string, signal: AbortSignal) {
  const { region: regionId, id } = placeIn(ref);
  const query = { regionId, instanceIds: JSON.stringify([id]) };
  return (await describe(ecs, query, signal)).find((instance) => instance.id === id);
}

/** Instances with the Machine's name; those with its token have that name too. */
export async function search(ecs: Ecs, request: MachineRequest) {
  const { name: instanceName } = request.machine;
  const query = { regionId: regionOf(request), instanceName };
  // The cloud reads an asterisk as a wildcard, and does not say what it makes of upper case.
  return (await describe(ecs, query, request.signal)).filter(({ name }) => name === instanceName);
}

/** A class without a region is no reason to keep an instance whose place is known. */
export function regionOf({ providerSpec, ...rest }: Partial<MachineRequest>): string {
  const { region } = Object(providerSpec);
  if (isRegion(region)) return region;
  if (rest.providerID !== undefined) return placeIn(rest.providerID).region;
  const words = 'is missing, or is not the name of a region: without it no instance can be found';
  throw fault('input', `providerSpec.region ${words}`);
}

/** By the two tags of the class, which instances of MCM have as well. */
export async function list(ecs: Ecs, { providerSpec, signal }: ProviderRequest) {
  const regionId = regionOf({ providerSpec });
  const tags = searchTagsOf(providerSpec);
  const query = { regionId, tag: tagList(tags ?? {}) };
  if (tags) return await describe(ecs, query, signal);
  const words = 'the two tags of cluster and role are missing: without them nothing can be listed';
  throw fault('input', `providerSpec.tags: ${words}`);
}
