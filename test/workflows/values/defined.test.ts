import { defined } from '../../../workflows/values/defined.ts';

test('defined removes undefined fields and leaves all others', () => {
  const fields = { a: undefined, b: null, c: 0, d: '', e: false };
  expect(Object.entries(defined(fields))).toEqual([
    ['b', null],
    ['c', 0],
    ['d', ''],
    ['e', false],
  ]);
});
