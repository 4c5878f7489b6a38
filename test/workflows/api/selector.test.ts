import { formFaults, matches } from '../../../workflows/api/selector.ts';

const labels = { colour: 'red', size: 'small' };
const where = (operator: string, key: string, values?: string[]) => ({
  matchExpressions: [{ operator, key, ...(values && { values }) }],
});

test.each([
  { name: 'all pairs', selector: { matchLabels: { colour: 'red', size: 'small' } }, is: true },
  { name: 'one pair differs', selector: { matchLabels: { colour: 'blue' } }, is: false },
  { name: 'In', selector: where('In', 'colour', ['red', 'blue']), is: true },

  { name: 'NotIn, label missing', selector: where('NotIn', 'shape', ['round']), is: true },
  { name: 'Exists', selector: where('Exists', 'size'), is: true },

  { name: 'Exists, a key that objects have', selector: where('Exists', 'constructor'), is: false },
  { name: 'DoesNotExist, such a key', selector: where('DoesNotExist', 'valueOf'), is: true },

  { name: 'no selector', selector: undefined, is: false },
])('a selector with $name matches: $is', ({ selector, is }) => {
  expect(matches(selector, labels)).toBe(is);
});

test('one that asks for too much matches nothing, and is told by its size alone', () => {
  const values = Array.from({ length: 1_000 }, (_, index) => `v${index}`);
  const fits = where('NotIn', 'colour', values.slice(1));
  expect([matches(fits, labels), formFaults(fits)]).toEqual([true, []]);
  const over = where('NotIn', 'colour', values);
  expect([matches(over, labels), formFaults(over)]).toEqual([
    false,
    ['spec.selector: Invalid value: 1001: must have at most 1000 labels, expressions and values'],
  ]);
});
