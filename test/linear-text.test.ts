/** Texts that users write are read in linear time: one annotation must not stop a worker. */
import fc from 'fast-check';
import { hide } from '../activities/redaction/hide.ts';
import { secretForms } from '../activities/redaction/secret-forms.ts';
import { parseDuration } from '../workflows/api/duration.ts';
import { timeIn } from '../workflows/api/time.ts';
import { isSameQuantity } from '../workflows/values/quantity.ts';
import { excessiveGrowth, expressionsInSource, textForms } from './support/expressions.ts';

type Read = (text: string) => unknown;

function slowForms(read: Read): string[] {
  return textForms.flatMap(({ form, textOf }) => {
    const growth = excessiveGrowth(read, textOf);
    return growth === undefined ? [] : [`${form}: ${growth.toFixed(0)} times`];
  });
}

test('every regular expression of the source takes linear time', async () => {
  const expressions = await expressionsInSource();
  expect(expressions.length).toBeGreaterThan(50);
  const slow = expressions.flatMap(({ name, pattern }) =>
    slowForms((text) => text.search(pattern)).map((form) => `${name} with ${form}`),
  );
  expect(slow).toEqual([]);
});

test('every regular expression of the source takes linear time with drawn texts as well', async () => {
  const expressions = await expressionsInSource();
  const part = fc.string({ minLength: 1, maxLength: 6, unit: 'binary-ascii' });
  fc.assert(
    fc.property(part, part, fc.constantFrom('', '!', '\n'), (beginning, repeated, ending) => {
      const textOf = (length: number): string =>
        beginning + repeated.repeat(Math.ceil(length / repeated.length)) + ending;
      const slow = expressions.filter(({ pattern }) => {
        return excessiveGrowth((text) => text.search(pattern), textOf) !== undefined;
      });
      expect(slow.map(({ name }) => name)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

const digitsThenOther = (length: number): string => `${'1'.repeat(length)}!`;

test('the measurement finds an expression that takes quadratic time', () => {
  expect(excessiveGrowth((text) => /^\d+\d*$/.test(text), digitsThenOther)).toBeGreaterThan(100);
});

describe('long texts', () => {
  test.each<[string, Read]>([
    ['parseDuration', parseDuration],
    ['timeIn', (text) => timeIn(text, Date.parse)],
    ['isSameQuantity', (text) => isSameQuantity(text, '1')],
  ])('%s takes linear time', (_name, read) => {
    expect(slowForms(read)).toEqual([]);
  });

  // Some are put together, so that they are no expressions of the source.
  test.each(secretForms.map((form) => [form.expression.source, form] as const))(
    'secrets of the form %s are found in linear time',
    (_source, form) => {
      expect(slowForms((text) => hide(text, [], [form]))).toEqual([]);
    },
  );

  test('a duration of more than 64 characters is refused', () => {
    expect(parseDuration(`${'0'.repeat(62)}1h`)).toBe(3600);
    expect(parseDuration(`${'0'.repeat(63)}1h`)).toBeUndefined();
  });
});
