/** Whose a resource is. Names of tags have no slash in Azure, and their case does not matter. */

import type { Owner } from '../frame/tags.ts';
import { tagCountMax, tagsWithin, valueIn, type OwnerTag } from '../owner-tag.ts';

/** On everything that this driver makes. */
export const tagNames = {
  cluster: 'millwright.dev_cluster',
  namespace: 'millwright.dev_namespace',
  machine: 'millwright.dev_machine',
  machineUid: 'millwright.dev_machine-uid',
  token: 'millwright.dev_token',
} as const;

/** In their place where the class has many. The token holds the UID. */
export const ownerTag: OwnerTag = {
  name: 'millwright.dev_owner',
  holds: [tagNames.cluster, tagNames.namespace, tagNames.machine, tagNames.token],
};

export const classTagsMax = tagCountMax - 1;

export type Tags = Record<string, string>;

interface TaggedMachine {
  cluster: string;
  machine: { namespace: string; name: string; uid: string };
  token: string;
}

/** Those of the class and ours. */
export function tagsFor(classTags: Tags, { cluster, machine, token }: TaggedMachine): Tags {
  const ours = {
    [tagNames.cluster]: cluster,
    [tagNames.namespace]: machine.namespace,
    [tagNames.machine]: machine.name,
    [tagNames.machineUid]: machine.uid,
    [tagNames.token]: token,
  };
  return tagsWithin(classTags, ours, ownerTag);
}

/** Names of the two tags of a class by which MCM's driver finds its instances. */
export function searchedTagNames(classTags: Tags): { clusterTag: string; roleTag: string } {
  const beginning = (prefix: string): string =>
    Object.keys(classTags)
      .filter((name) => name.startsWith(prefix))
      .toSorted()
      .at(0) ?? '';
  return {
    clusterTag: beginning('kubernetes.io-cluster-'),
    roleTag: beginning('kubernetes.io-role-'),
  };
}

export function tagOf(tags: Tags | undefined, name: string): string | undefined {
  return ownTagOf(tags, name) ?? valueIn(ownTagOf(tags, ownerTag.name), name, ownerTag);
}

function ownTagOf(tags: Tags | undefined, name: string): string | undefined {
  const lower = name.toLowerCase();
  return Object.entries(tags ?? {}).find(([key]) => key.toLowerCase() === lower)?.[1];
}

/**
 * With our tags it is ours if they say so; without any, MCM made it, and it is ours if MCM's tags
 * are those of the class.
 */
export function isOurs(tags: Tags | undefined, owner: Owner & { classTags: Tags }): boolean {
  const cluster = tagOf(tags, tagNames.cluster);
  const namespace = tagOf(tags, tagNames.namespace);
  if (cluster !== undefined || namespace !== undefined) {
    return cluster === owner.cluster && namespace === owner.namespace;
  }
  const { clusterTag, roleTag } = searchedTagNames(owner.classTags);
  if (clusterTag === '' || roleTag === '') return false;
  return tagOf(tags, clusterTag) !== undefined && tagOf(tags, roleTag) !== undefined;
}
