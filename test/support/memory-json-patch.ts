import { isRecord } from './memory-patch.ts';

type Json = Record<string, unknown>;

interface Operation {
  op: string;
  path: string;
  value?: unknown;
}

/**
 * What a JSON patch (RFC 6902) of objects makes of `target`; undefined where the API server would
 * refuse it.
 */
export function applyJsonPatch(target: Json, operations: readonly Operation[]): Json | undefined {
  const result = structuredClone(target);
  const isDone = operations.every((operation) => applyOperation(result, operation));
  return isDone ? result : undefined;
}

function applyOperation(root: Json, { op, path, value }: Operation): boolean {
  const keys = path.slice(1).split('/').map(unescape);
  const name = keys.pop() ?? '';
  const parent = keys.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), root);
  if (!isRecord(parent)) return false;
  if (op === 'add') parent[name] = value;
  // Absent and null are the same, as to the API server.
  if (op === 'test') return JSON.stringify(parent[name] ?? null) === JSON.stringify(value);
  if (op !== 'remove') return true;
  const isThere = name in parent;
  delete parent[name];
  return isThere;
}

function unescape(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
