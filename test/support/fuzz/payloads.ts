/**
 * Payloads that a signal or an update does not expect: other types, missing fields, depth, size.
 */
import fc from 'fast-check';
import { anyText } from './texts.ts';

const deep = JSON.parse(`${'{"a":['.repeat(2_000)}1${']}'.repeat(2_000)}`);

const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1e308, '', [], {}, [[]], [null], deep, 'x'.repeat(100_000)),
  anyText,
  fc.jsonValue({ maxDepth: 4 }),
);

/**
 * Another type than that of the field; a text is never one of another object, which would be taken
 * at its word.
 */
function wrongFor(field: unknown): fc.Arbitrary<unknown> {
  return anything.filter(
    (value) => typeof value !== typeof field || Array.isArray(value) || value === null,
  );
}

/** Fields that a payload may lack. */
const optional = new Set(['drain', 'preservation', 'preserve', 'unmatched', 'by', 'volumeWait']);

/** Like `good`, but one field is missing or of another type; or nothing like it. */
export function spoiled(good: Record<string, unknown>): fc.Arbitrary<unknown> {
  const names = Object.keys(good);
  const changed = fc
    .constantFrom(...names)
    .chain((name) => wrongFor(good[name]).map((value) => ({ ...good, [name]: value })));
  const needed = names.filter((name) => !optional.has(name));
  const lacking = fc
    .constantFrom(...(needed.length === 0 ? names : needed))
    .map((name) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name)));
  return fc.oneof(
    { weight: 3, arbitrary: changed },
    { weight: 1, arbitrary: needed.length === 0 ? changed : lacking },
    { weight: 2, arbitrary: anything },
  );
}
