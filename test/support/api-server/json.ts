/** JSON values, as they come over the wire. */
import { isRecord } from '../../../workflows/values/is-record.ts';

export type Json = Record<string, unknown>;

/** In any order of the fields; one that is undefined counts as absent. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((part, at) => isSameJson(part, b[at]))
    );
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  return (
    Object.keys(a).every((key) => isSameJson(a[key], b[key])) &&
    Object.keys(b).every((key) => b[key] === undefined || a[key] !== undefined)
  );
}

/**
 * A copy, as a receiver parses it: the sender shares nothing, and the receiver names the type.
 * Several times as fast as writing and parsing the text.
 */
export function overTheWire(value: unknown): ReturnType<typeof JSON.parse> {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(sentInList);
  return isRecord(value) ? copyOf(value) : value;
}

function sentInList(part: unknown): unknown {
  return overTheWire(part) ?? null;
}

function copyOf(value: Json): unknown {
  if (value['toJSON'] !== undefined) return JSON.parse(JSON.stringify(value));
  const copy: Json = {};
  for (const key of Object.keys(value)) {
    const part = value[key];
    if (part === undefined || typeof part === 'function') continue;
    const sent: unknown = overTheWire(part);
    // To assign it would change what the copy inherits from.
    if (key === '__proto__') Object.defineProperty(copy, key, fieldOf(sent));
    else copy[key] = sent;
  }
  return copy;
}

function fieldOf(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true };
}

/** What is stored is shared by all who read it: a write to it throws. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}
