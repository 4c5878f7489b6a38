/** What there is of a cluster and namespace. */
import type { ListedInstance, ListRequest } from '../driver.ts';
import type { Cloud, CloudTypes, Part } from './cloud.ts';
import { belongsTo, tokenOf } from './tags.ts';

/** Ordered by providerID; a part without its instance stands under the name of its Machine. */
export async function listInstances<T extends CloudTypes>(
  cloud: Cloud<T>,
  account: T['account'],
  request: ListRequest,
): Promise<ListedInstance[]> {
  const listOf = async (part: Part<T>): Promise<ListedInstance[]> => {
    const things = await part.list(account, request);
    return things
      .filter((thing) => belongsTo(cloud, thing, request))
      .map((thing) => listed(cloud, thing, part.providerIDOf(thing, account)));
  };
  const instances = await listOf(cloud.instance);
  const names = new Set(instances.map(({ machineName }) => machineName));
  const parts = await Promise.all(cloud.parts.map(listOf));
  const left = parts.flat().filter(({ machineName }) => !names.has(machineName));
  return [...instances, ...left].toSorted((a, b) => (a.providerID < b.providerID ? -1 : 1));
}

function listed<T extends CloudTypes>(
  { tags }: Cloud<T>,
  thing: T['thing'],
  providerID: string,
): ListedInstance {
  const token = tokenOf(thing, tags);
  return {
    providerID,
    machineName: thing.machineName ?? thing.name,
    ...(token !== undefined && { token }),
    ...(thing.createdAt !== undefined && { createdAt: thing.createdAt }),
  };
}
