/** Merge patches (RFC 7386), and the strategic ones of Kubernetes. */
import type { PatchType } from '../../../kube/client/client.ts';
import type { Json } from './json.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import { mergeLists } from './list-merge.ts';

const directive = '$deleteFromPrimitiveList/';

/**
 * Lists that a strategic patch merges, and the field by which it tells their items apart; all
 * other lists are replaced, as in a merge patch. By the name of the list alone: no other field that
 * we write is called so.
 */
const mergedLists: Record<string, string | undefined> = {
  finalizers: undefined,
  ownerReferences: 'uid',
  conditions: 'type',
  addresses: 'type',
};

/** What a merge or a strategic patch makes of `target`. */
export function merge(target: Json, patch: Json, type: PatchType): Json {
  const result: Json = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    const present = result[key];
    if (type === 'strategic' && key.startsWith(directive)) {
      takeFrom(result, key.slice(directive.length), value);
    } else if (value === null) delete result[key];
    else if (isRecord(value)) result[key] = merge(isRecord(present) ? present : {}, value, type);
    else if (type === 'strategic' && Array.isArray(value) && key in mergedLists) {
      setList(result, key, mergeStrategically(listOf(present), value, mergedLists[key]));
    } else result[key] = value;
  }
  return result;
}

/** An empty one is left out. */
function setList(object: Json, key: string, list: unknown[]): void {
  if (list.length > 0) object[key] = list;
  else delete object[key];
}

function mergeStrategically(
  present: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const keyOf = (item: unknown): unknown =>
    mergeKey !== undefined && isRecord(item) ? item[mergeKey] : item;
  const gone = new Set(patch.filter(isDirectiveToDelete).map(keyOf));
  // Texts that stand there twice are merged as well.
  const kept = [...new Set(present)].filter((item) => !gone.has(keyOf(item)));
  const wanted = patch.filter((item) => !isDirectiveToDelete(item));
  return mergeLists(kept, wanted, { keyOf, mergeItems });
}

function isDirectiveToDelete(item: unknown): boolean {
  return isRecord(item) && item['$patch'] === 'delete';
}

function mergeItems(present: unknown, item: unknown): unknown {
  return isRecord(item) ? merge(isRecord(present) ? present : {}, item, 'strategic') : item;
}

function takeFrom(object: Json, key: string, values: unknown): void {
  const gone = new Set(listOf(values));
  object[key] = listOf(object[key]).filter((value) => !gone.has(value));
}

/** What is absent is an empty list. */
function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
