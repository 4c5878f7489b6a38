/** Where calls go. */
import type { Chance } from '../engine/chance.ts';
import type { Kind } from './kinds.ts';

/** Where a call goes. */
export interface Place {
  kind: Kind;
  namespace: string;
  name: string;
}

const names = ['a', 'b', 'c'];

export function collectionOf({ kind, namespace }: Place): string {
  const { root, plural } = kind;
  return namespace === '' ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
}

export const pathOf = (place: Place): string => `${collectionOf(place)}/${place.name}`;

/** As `$uid:` and `$version:` name it. */
export const keyOf = ({ kind, namespace, name }: Place): string =>
  `${kind.kind}/${namespace === '' ? name : `${namespace}/${name}`}`;

export function drawPlace(chance: Chance, kinds: readonly Kind[]): Place {
  const kind = chance.pick(kinds);
  const namespace = kind.isNamespaced ? chance.pick(['one', 'two']) : '';
  return { kind, namespace, name: chance.pick(names) };
}
