/** JSON merge patch (RFC 7386) that makes one object equal to another. */
import { isRecord } from './is-record.ts';

/**
 * Undefined when there is nothing to do. Absent values and empty objects and lists are the same, as
 * to Kubernetes: a client that writes an object may drop them, and a patch that only says so again
 * would be written for ever. An empty text is a value: labels often have one.
 */
export function mergePatchOf(present: unknown, wanted: unknown): unknown {
  if (isEmpty(wanted)) return isEmpty(present) ? undefined : null;
  if (!isRecord(wanted) || !isRecord(present)) return isEqual(present, wanted) ? undefined : wanted;
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(present), ...Object.keys(wanted)])) {
    const change = mergePatchOf(present[key], wanted[key]);
    if (change !== undefined) patch[key] = change;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Lists are replaced as a whole. */
function isEqual(a: unknown, b: unknown): boolean {
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return a === b;
  return mergePatchOf(a, b) === undefined;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}
