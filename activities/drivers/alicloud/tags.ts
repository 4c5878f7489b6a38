/** Whose an instance is, as its tags say. */
import type { TagSpelling } from '../frame/cloud.ts';

/** Of one instance. */
const tagCountMax = 20;

/** A class may have so many. */
export const classTagsMax = tagCountMax - 3;

export const tagPrefix = 'millwright.dev/';

export const tagSpelling: TagSpelling = {
  word: 'tag',
  names: {
    cluster: `${tagPrefix}cluster`,
    namespace: `${tagPrefix}namespace`,
    machineUid: `${tagPrefix}machine-uid`,
    token: `${tagPrefix}token`,
  },
  allowed: /^(?!aliyun|acs:)[\w.-]{1,128}$/,
  countMax: tagCountMax,
};

export const clusterTagPart = 'kubernetes.io/cluster/';
export const roleTagPart = 'kubernetes.io/role/';

/**
 * The tags by which Gardener's driver knows its instances: those of the class with one of these
 * parts in their key. Undefined when there is none of one of them.
 */
export function searchTagsOf(providerSpec: unknown): Record<string, string> | undefined {
  const { tags } = Object(providerSpec);
  const all: [string, unknown][] = Object.entries(Object(tags));
  const keys = all.map(([key]) => key);
  const isThere = (part: string): boolean => keys.some((key) => key.includes(part));
  if (!isThere(clusterTagPart) || !isThere(roleTagPart)) return undefined;
  const found = all.filter(([key]) => key.includes(clusterTagPart) || key.includes(roleTagPart));
  return Object.fromEntries(found.map(([key, value]) => [key, String(value ?? '')]));
}
