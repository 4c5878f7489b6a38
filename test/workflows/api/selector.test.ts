import { matches } from '../../../workflows/api/selector.ts';

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
