import fc from 'fast-check';
import { merge } from '../../support/api-server/merge-patch.ts';
import { mergePatchOf } from '../../../workflows/values/merge-patch.ts';

test.each([
  { name: 'something new', present: {}, wanted: { a: 1 }, patch: { a: 1 } },
  {
    name: 'something gone',
    present: { a: { b: 1, c: 2 } },
    wanted: { a: { c: 2 } },
    patch: { a: { b: null } },
  },

  { name: 'empty and absent', present: { a: { b: null } }, wanted: undefined, patch: undefined },

  {
    name: 'a list with an empty field in it',
    present: [{ a: 1 }],
    wanted: [{ a: 1, b: {} }],
    patch: undefined,
  },
  { name: 'a list in another order', present: [1, 2], wanted: [2, 1], patch: [2, 1] },
  { name: 'another type', present: { a: 'x' }, wanted: { a: { b: 1 } }, patch: { a: { b: 1 } } },
])('the merge patch for $name', ({ present, wanted, patch }) => {
  expect(mergePatchOf(present, wanted)).toEqual(patch);
});

const anyObject = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.oneof(
    fc.constantFrom(0, 1, '', 'x', false),
    fc.array(fc.constantFrom(1, 2), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(0, 'x'), { noNullPrototype: true }),
  ),
  { noNullPrototype: true },
);

test('a merge patch that was applied leaves nothing to do', () => {
  fc.assert(
    fc.property(anyObject, anyObject, (present, wanted) => {
      const patch = { spec: mergePatchOf(present, wanted) };
      const next =
        patch.spec === undefined ? present : merge({ spec: present }, patch, 'merge')['spec'];
      expect(mergePatchOf(next, wanted)).toBeUndefined();
    }),
  );
});
