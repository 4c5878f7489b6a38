/** Tags of droplets: words, of which ours hold a name and a value, `millwright-cluster:UID`. */
import type { TagSpelling } from '../frame/cloud.ts';

const prefix = 'millwright-';

export const tagSpelling: TagSpelling = {
  word: 'tag',
  names: {
    cluster: `${prefix}cluster`,
    namespace: `${prefix}namespace`,
    machineUid: `${prefix}machine-uid`,
    token: `${prefix}token`,
  },
  // A tag keeps the capitals with which it was first used, so values have none.
  allowed: /^[a-z0-9_-]{1,200}$/,
};

export const isOurs = (word: string): boolean => word.toLowerCase().startsWith(prefix);

/** Kubermatic's machine-controller sets the UID of its Machine, as it is. */
export const isUid = (word: string): boolean =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(word);

/** Words of others have no value. */
export function tagsIn(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word): [string, string] => {
      const end = word.indexOf(':');
      return isOurs(word) && end > 0 ? [word.slice(0, end), word.slice(end + 1)] : [word, ''];
    }),
  );
}

export function wordsOf(tags: Readonly<Record<string, string>>): string[] {
  return Object.entries(tags).map(([name, value]) => (value === '' ? name : `${name}:${value}`));
}
