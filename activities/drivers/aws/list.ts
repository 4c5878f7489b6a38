/** Lists what a cluster and namespace have in a region. */
import type { Instance } from '@aws-sdk/client-ec2';
import { DriverError, type ListedInstance, type ListRequest } from '../driver.ts';
import { pageOf, type Ec2 } from './ec2.ts';
import { ownerOf } from './find.ts';
import { idOf, liveStates } from './instance-view.ts';
import { providerIdOf } from './provider-id.ts';
import { fieldOf } from './spec-fields.ts';
import { belongsTo, mcmTagKeysOf, nameTag, ourTags, tagOf, type Owner } from './tags.ts';

/**
 * Ordered by providerID. A class without MCM's tags fails, as its list would be incomplete without
 * a sign of it.
 */
export async function listInstances(ec2: Ec2, request: ListRequest): Promise<ListedInstance[]> {
  const owner = ownerOf(request);
  const instances = await ec2.describe({ Filters: filtersOf(owner), ...pageOf });
  return instances
    .filter((instance) => belongsTo(instance, owner))
    .flatMap((instance) => listed(ec2.region, instance))
    .toSorted((a, b) => (a.providerID < b.providerID ? -1 : 1));
}

/**
 * Region and MCM's tags; a class without them has a scope of its own kind, and its listing fails.
 */
export function listScopeOf(providerSpec: unknown): string {
  return JSON.stringify([fieldOf(providerSpec, 'region'), ...mcmTagKeysOf(providerSpec)]);
}

/** Limits hold for an account and a region. */
export function limitScopeOf(providerSpec: unknown): string {
  const region = fieldOf(providerSpec, 'region');
  return typeof region === 'string' ? region : '';
}

function filtersOf({ mcmTagKeys }: Owner): { Name: string; Values: string[] }[] {
  if (mcmTagKeys.length === 0) {
    const message =
      'providerSpec.tags: no key contains kubernetes.io/cluster/, or none kubernetes.io/role/: instances are listed by them';
    throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: false });
  }
  // A filter for each: the values of one filter are alternatives.
  const byTag = mcmTagKeys.map((key) => ({ Name: 'tag-key', Values: [key] }));
  return [...byTag, { Name: 'instance-state-name', Values: [...liveStates] }];
}

/**
 * MCM and we name every instance: an instance without a name was made outside of both, with copied
 * tags.
 */
function listed(region: string, instance: Instance): ListedInstance[] {
  const machineName = tagOf(instance, nameTag);
  if (!machineName) return [];
  const token = tagOf(instance, ourTags.token);
  const createdAt = instance.LaunchTime?.getTime();
  return [
    {
      providerID: providerIdOf(region, idOf(instance)),
      machineName,
      ...(token !== undefined && { token }),
      ...(createdAt !== undefined && { createdAt }),
    },
  ];
}
