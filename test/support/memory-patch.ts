import type { PatchType } from '../../activities/kube/client/client.ts';

type Json = Record<string, unknown>;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const directive = '$deleteFromPrimitiveList/';

/**
 * Lists of plain values that a strategic patch merges; all other lists are replaced, as in a merge
 * patch.
 */
const mergedLists = new Set(['finalizers']);

/** What a merge or a strategic patch makes of `target`. */
export function merge(target: Json, patch: Json, type: PatchType): Json {
  const result: Json = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    const present = result[key];
    if (key.startsWith(directive)) takeFrom(result, key.slice(directive.length), value);
    else if (value === null) delete result[key];
    else if (isRecord(value)) result[key] = merge(isRecord(present) ? present : {}, value, type);
    else if (type === 'strategic' && mergedLists.has(key)) result[key] = union(present, value);
    else result[key] = value;
  }
  return result;
}

function takeFrom(object: Json, key: string, values: unknown): void {
  const gone = new Set(listOf(values));
  object[key] = listOf(object[key]).filter((value) => !gone.has(value));
}

function union(present: unknown, added: unknown): unknown[] {
  return [...new Set([...listOf(present), ...listOf(added)])];
}

/** What is absent is an empty list. */
function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
