/** JSON values, as they come over the wire. */
import { isRecord } from '../../../workflows/values/is-record.ts';

export type Json = Record<string, unknown>;

/** In any order of the fields; one that is undefined counts as absent. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return textOf(a) === textOf(b);
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).toSorted(byKey)) : part,
  );
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** A copy, as a receiver parses it: the sender shares nothing, and the receiver names the type. */
export function overTheWire(value: unknown): ReturnType<typeof JSON.parse> {
  return JSON.parse(JSON.stringify(value));
}
