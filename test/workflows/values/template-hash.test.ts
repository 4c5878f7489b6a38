import fc from 'fast-check';
import { canonical, machineSetName, templateHash } from '../../../workflows/values/names.ts';

type Json = unknown;

/** The same value with the keys of every object in reverse. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, field]) => [key, reversed(field)]));
}

/** Keys that look like numbers are always sorted by the language itself. */
const key = fc.stringMatching(/^[a-z]{1,3}$/);
const { value: anyJson } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

test('the order of keys does not matter', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(canonical(reversed(value))).toBe(canonical(value));
      expect(templateHash(reversed(value))).toBe(templateHash(value));
    }),
  );
});

describe('empty fields do not matter', () => {
  test.each<{ name: string; empty: Json }>([
    { name: 'undefined', empty: undefined },
    { name: 'null', empty: null },
    { name: 'an empty text', empty: '' },
    { name: 'an empty list', empty: [] },
    { name: 'an empty object', empty: {} },
  ])('$name', ({ empty }) => {
    const template = { metadata: { labels: { pool: 'a' } }, spec: { class: { name: 'small' } } };
    const padded = { ...template, extra: empty, spec: { ...template.spec, nodeTemplate: empty } };
    expect(templateHash(padded)).toBe(templateHash(template));
  });
});

test.each<{ name: string; a: Json; b: Json }>([
  { name: 'another value', a: { x: '1' }, b: { x: '2' } },
  { name: 'a number is no text', a: { x: 1 }, b: { x: '1' } },
  { name: 'zero is not empty', a: { x: 0 }, b: {} },
  { name: 'false is not empty', a: { x: false }, b: {} },
  { name: 'lists have an order', a: [1, 2], b: [2, 1] },
  { name: 'a value moved to another key', a: { x: 'v' }, b: { y: 'v' } },
])('told apart: $name', ({ a, b }) => {
  expect(canonical(a)).not.toBe(canonical(b));
  expect(templateHash(a)).not.toBe(templateHash(b));
});

test('a collision changes the hash', () => {
  const hashes = [0, 1, 2, 3].map((count) => templateHash({ x: 1 }, count));
  expect(new Set(hashes).size).toBe(4);
});

test('the hash is a label value and the name a name of an object', () => {
  fc.assert(
    fc.property(anyJson, (template) => {
      const hash = templateHash(template);
      expect(hash).toMatch(/^\d{1,10}$/);
      expect(machineSetName('workers', hash)).toMatch(/^workers-[bcdfghjklmnpqrstvwxz2-9]{1,5}$/);
    }),
  );
});
