/** Lists a zone: Google can search by labels only, and instances of MCM have none of ours. */
import type { ListRequest } from '../driver.ts';
import { fieldText } from '../spec-schema.ts';
import type { Account } from './client.ts';
import type { ComputeInstance } from './compute.ts';
import { fault } from './error-mapping.ts';
import { requireZone, tagsOf } from './find.ts';
import { viewOf, type GcpInstance } from './instance-view.ts';
import { haveSameSearchTags, searchTagsOf } from './tags.ts';

export async function listByTags(account: Account, request: ListRequest): Promise<GcpInstance[]> {
  const zone = requireZone(request);
  requireTags(request.providerSpec);
  const tags = tagsOf(request.providerSpec);
  const instances = await listZone(account, zone, request.signal);
  return instances.filter((instance) => haveSameSearchTags(instance.tags, tags)).map(viewOf);
}

/** A listing by tags that the class does not have would be empty, and say that all is gone. */
function requireTags(providerSpec: unknown): void {
  if (searchTagsOf(tagsOf(providerSpec))) return;
  const message =
    'providerSpec.tags: the two tags of cluster and role are missing: without them no instance can be listed';
  throw fault('input', message);
}

/** The project is that of the credentials. */
export function listScope(providerSpec: unknown): string {
  const { zone, region } = Object(providerSpec);
  const tags = searchTagsOf(tagsOf(providerSpec));
  return JSON.stringify([region, zone, tags?.cluster, tags?.role]);
}

/** Limits hold for a project and a region. */
export function limitScope(providerSpec: unknown): string {
  return fieldText(providerSpec, 'region');
}

/** 100,000 instances: a listing that has more pages does not end. */
const pagesMax = 200;

export async function listZone(
  { compute, project }: Account,
  zone: string,
  signal: AbortSignal,
): Promise<ComputeInstance[]> {
  const all: ComputeInstance[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const token = pageToken === undefined ? {} : { pageToken };
    const { instances, nextPageToken } = await compute.list({ project, zone, ...token }, signal);
    all.push(...instances);
    if (nextPageToken === undefined) return all;
    pageToken = nextPageToken;
  }
  throw fault('unknown', `Google Compute Engine: the list of ${project}/${zone} does not end`);
}
