/** How a check says what it found. One that returns is content. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../workflows/values/is-record.ts';

export class Mismatch extends Error {
  readonly expected: string;
  readonly came: string;

  constructor(expected: string, came: unknown) {
    super(`expected ${expected}`);
    this.expected = expected;
    this.came = typeof came === 'string' ? came : JSON.stringify(came);
  }
}

/** The check does not apply here; the message says why. */
export class Skipped extends Error {}

/**
 * Throws a `Mismatch` unless `came` has these values: of objects the fields that are named, of all
 * else the same.
 */
export function expectPart(expected: string, came: unknown, part: Record<string, unknown>): void {
  if (!hasPart(came, part)) throw new Mismatch(expected, came);
}

function hasPart(came: unknown, part: unknown): boolean {
  if (!isRecord(part)) return isDeepStrictEqual(came, part);
  if (!isRecord(came)) return false;
  return Object.entries(part).every(([name, value]) => hasPart(came[name], value));
}
