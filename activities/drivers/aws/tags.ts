/** Whose an instance is: tags of MCM's AWS driver, and ours (docs/decisions/0008-clouds.md). */
import type { Instance, Tag } from '@aws-sdk/client-ec2';
import { tagCountMax, valueIn, type OwnerTag } from '../owner-tag.ts';
import { usualNames, type Owner as ClusterOwner } from '../frame/tags.ts';
import { tagKeysOf } from './spec-fields.ts';

export const nameTag = 'Name';

export const ourTags = usualNames;

/** In their place where the class has many. */
export const ownerTag: OwnerTag = {
  name: 'millwright.dev/owner',
  holds: [ourTags.cluster, ourTags.namespace, ourTags.machineUid, ourTags.token],
};

/** A class may have so many beside `Name`. */
export const classTagsMax = tagCountMax - [nameTag, ownerTag].length;

/** MCM knows its instances by one key with each of these in it, whatever the value. */
export const mcmTagMarks = ['kubernetes.io/cluster/', 'kubernetes.io/role/'] as const;

export interface Owner extends ClusterOwner {
  /**
   * Tag keys of the class with MCM's marks. Empty if a mark is in none of its tags: then MCM owns
   * nothing.
   */
  mcmTagKeys: string[];
}

/** Sorted. */
export function mcmTagKeysOf(providerSpec: unknown): string[] {
  const keys = tagKeysOf(providerSpec);
  const marked = mcmTagMarks.map((mark) => keys.filter((key) => key.includes(mark)));
  return marked.some((found) => found.length === 0) ? [] : marked.flat().toSorted();
}

/** One without our tags was made by MCM. */
export function belongsTo(instance: Instance, owner: Owner): boolean {
  const cluster = tagOf(instance, ourTags.cluster);
  const namespace = tagOf(instance, ourTags.namespace);
  if (cluster !== undefined || namespace !== undefined) {
    return cluster === owner.cluster && namespace === owner.namespace;
  }
  const { mcmTagKeys } = owner;
  return mcmTagKeys.length > 0 && mcmTagKeys.every((key) => tagOf(instance, key) !== undefined);
}

export function tagOf({ Tags = [] }: Instance, key: string): string | undefined {
  const own = (name: string): string | undefined => Tags.find((tag) => tag.Key === name)?.Value;
  return own(key) ?? valueIn(own(ownerTag.name), key, ownerTag);
}

/** Ordered by key, so that the same request is the same text. */
export function tagList(tags: Readonly<Record<string, string>>): Tag[] {
  const keys = Object.keys(tags).toSorted();
  return keys.map((key) => ({ Key: key, Value: tags[key] ?? '' }));
}
