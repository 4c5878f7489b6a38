/** Lists a zone: Google can search by labels only, and instances of MCM have none of ours. */
import type { Account } from './client.ts';
import { fault } from './error-mapping.ts';
import type { ComputeInstance } from './compute.ts';

/** 100,000 instances. Whoever says so for ever is not believed. */
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
