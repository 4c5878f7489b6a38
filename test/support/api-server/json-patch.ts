/** JSON patches (RFC 6902), as the API server applies them. */
import type { Json } from './json.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import { isSameJson, overTheWire } from './json.ts';

export interface Operation {
  op: string;
  path: string;
  from?: string;
  value?: unknown;
}

/** What a patch makes of `target`; undefined where the API server would refuse it. */
export function applyJsonPatch(target: Json, operations: readonly Operation[]): Json | undefined {
  const result: Json = overTheWire(target);
  const isDone = operations.every((operation) => applyOperation(result, operation));
  return isDone ? result : undefined;
}

function applyOperation(root: Json, { op, path, from, value }: Operation): boolean {
  const place = placeAt(root, path);
  if (!place) return false;
  switch (op) {
    case 'add':
      return add(place, value);
    case 'test':
      // Absent and null are the same, as to the API server.
      return isSameJson(place.value ?? null, value ?? null);
    case 'remove':
      return remove(place);
    case 'replace':
      return replace(place, value);
    default:
      return takeOver(root, { op, path, from });
  }
}

function takeOver(
  root: Json,
  { op, path, from = '' }: { op: string; path: string; from: string | undefined },
): boolean {
  const source = placeAt(root, from);
  if (!source || !canBeTaken(op, source)) return false;
  const copied: unknown = overTheWire(source.value ?? null);
  if (op === 'move') remove(source);
  // Looked up after that: what is removed from a list moves the others.
  const place = placeAt(root, path);
  return place !== undefined && add(place, copied);
}

/** What is absent can be copied: against RFC 6902, but so the API server does it. */
function canBeTaken(op: string, { parent, value }: Place): boolean {
  return op === 'copy'
    ? value !== undefined || !Array.isArray(parent)
    : op === 'move' && value !== undefined;
}

interface Place {
  parent: Json | unknown[];
  key: string;
  /** Undefined where there is nothing. */
  value: unknown;
}

/** Undefined where its parent does not exist; the root itself cannot be named. */
function placeAt(root: Json, path: string): Place | undefined {
  if (!path.startsWith('/')) return undefined;
  const keys = path.slice(1).split('/').map(unescape);
  const key = keys.pop() ?? '';
  const parent = keys.reduce<unknown>((at, one) => valueIn(at, one), root);
  if (!isRecord(parent) && !Array.isArray(parent)) return undefined;
  return { parent, key, value: valueIn(parent, key) };
}

function valueIn(parent: unknown, key: string): unknown {
  if (Array.isArray(parent)) return parent[indexOf(key)];
  return isRecord(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function indexOf(key: string): number {
  return /^\d+$/.test(key) ? Number(key) : -1;
}

function add({ parent, key }: Place, value: unknown): boolean {
  if (!Array.isArray(parent)) {
    parent[key] = value;
    return true;
  }
  const index = key === '-' ? parent.length : indexOf(key);
  if (index < 0 || index > parent.length) return false;
  parent.splice(index, 0, value);
  return true;
}

function remove({ parent, key, value }: Place): boolean {
  if (value === undefined) return false;
  if (Array.isArray(parent)) parent.splice(indexOf(key), 1);
  else delete parent[key];
  return true;
}

/** Also of a field that is absent: against RFC 6902, but so the API server does it. */
function replace({ parent, key, value }: Place, next: unknown): boolean {
  if (!Array.isArray(parent)) {
    parent[key] = next;
    return true;
  }
  if (value === undefined) return false;
  parent[indexOf(key)] = next;
  return true;
}

function unescape(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
