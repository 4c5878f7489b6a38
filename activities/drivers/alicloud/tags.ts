/** Whose an instance is, as its tags say. */
import type { TagSpelling } from '../frame/cloud.ts';
import { usualNames } from '../frame/tags.ts';

export const tagSpelling: TagSpelling = {
  word: 'tag',
  names: usualNames,
  allowed: /^(?!aliyun|acs:)[\w.-]{1,128}$/,
  countMax: 20,
};

const kindOf = (key: string) => /kubernetes\.io\/(?:cluster|role)\//.exec(key)?.[0] ?? '';

/** The tags of a class by which Gardener's driver knows its instances, if both are there. */
export function searchTagsOf(providerSpec: unknown): Record<string, string> | undefined {
  const tags: Record<string, string> = Object(Object(providerSpec)['tags']);
  const found = Object.entries(tags).filter(([key]) => kindOf(key) !== '');
  const isFull = new Set(found.map(([key]) => kindOf(key))).size === 2;
  return isFull ? Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1))) : undefined;
}

/** As requests have them. */
export const tagList = (tags: Readonly<Record<string, string>>) =>
  Object.entries(tags).map(([key, value]) => ({ key, value }));
