/** Whose a thing is: server tags, the description of a port, the metadata of a volume. */
import type { TagSpelling } from '../frame/cloud.ts';

export const ownPrefix = 'millwright-';

/**
 * A server tag is `NAME=VALUE` of up to 60 characters without comma and slash; the longest name
 * leaves 39 for the value.
 */
export const tagSpelling: TagSpelling = {
  word: 'tag',
  names: {
    cluster: 'millwright-cluster',
    namespace: 'millwright-namespace',
    machineUid: 'millwright-machine',
    token: 'millwright-token',
  },
  allowed: /^[A-Za-z0-9._-]{1,39}$/,
  digestLength: 32,
};

/** `millwright-cluster=...` for each of ours. */
export function ownTexts(tags: Readonly<Record<string, string>>): string[] {
  return Object.values(tagSpelling.names).flatMap((name) => {
    const value = tags[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
}

/** Ours by name; of any other text only that it is there counts. */
export function tagsIn(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text): [string, string] => {
      const at = text.startsWith(ownPrefix) ? text.indexOf('=') : -1;
      return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
