import { meanings } from '../../../../activities/drivers/error-meanings.ts';
import {
  codeMeanings,
  meaningOf,
  refusalIn,
  statusMeanings,
} from '../../../../activities/drivers/hetzner/errors.ts';

const answer = (status: number, json: unknown) => ({
  status,
  json,
  headers: {},
  text: JSON.stringify(json),
});

describe('each code has its meaning', () => {
  test.each(Object.entries(codeMeanings))('%s is %s', (code, meaning) => {
    expect(meanings[meaning].code).toBeDefined();
    const json = { error: { code, message: 'words', details: null } };
    expect(refusalIn(answer(400, json))).toEqual({ meaning, code, words: 'words' });
  });
});

test.each(Object.entries(statusMeanings))(
  'a code that is new is taken by its status: %s is %s',
  (status, meaning) => {
    expect(meaningOf('brand_new', 'words', Number(status))).toBe(meaning);
  },
);

test('only the code says that something does not exist', () => {
  expect(meaningOf('brand_new', 'words', 404)).toBe('unknown');
  expect(meaningOf('toString', 'words')).toBe('unknown');
});

test('the fields of bad input are named', () => {
  const details = { fields: [{ name: 'image', messages: ['not found', 'too old'] }] };
  const json = { error: { code: 'invalid_input', message: 'invalid input', details } };
  expect(refusalIn(answer(422, json))?.words).toBe('invalid input (image: not found, too old)');
});

test.each([{}, { error: 'no' }, { error: { code: 1, message: 'x' } }, undefined, []])(
  '%j is not an answer of Hetzner',
  (json) => {
    expect(refusalIn(answer(404, json))).toBeUndefined();
  },
);
