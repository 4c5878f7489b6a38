import {
  idMeanings,
  meaningOf,
  refusalIn,
  statusMeanings,
} from '../../../../activities/drivers/digitalocean/errors.ts';

const answer = (status: number, json: unknown) => ({
  status,
  json,
  headers: {},
  text: JSON.stringify(json),
});

describe('each id has its meaning', () => {
  test.each(Object.entries(idMeanings))('%s is %s', (id, meaning) => {
    expect(refusalIn(answer(400, { id, message: 'words' }))).toEqual({
      meaning,
      code: id,
      words: 'words',
    });
  });
});

test.each(Object.entries(statusMeanings))(
  'an id that is new is taken by its status: %s is %s',
  (status, meaning) => {
    expect(meaningOf('brand_new', 'words', Number(status))).toBe(meaning);
  },
);

test('only the id says that something does not exist', () => {
  expect(meaningOf('brand_new', 'words', 404)).toBe('unknown');
  expect(meaningOf('toString', 'words')).toBe('unknown');
});

describe('one id is several things, which its words tell apart', () => {
  test.each([
    ['creating this/these droplet(s) will exceed your droplet limit', 'quota'],
    ['You have reached your volume limit', 'quota'],
    ['Size is not available in this region.', 'capacity'],
    ['The size s-1vcpu-1gb is currently unavailable', 'capacity'],
    ['Region is not available', 'capacity'],
    ['You specified an invalid size for Droplet creation.', 'input'],
    ['The image you specified is not available in the selected datacenter', 'input'],
    ['name Only valid hostname characters are allowed.', 'input'],
  ])('%s: %s', (words, meaning) => {
    expect(meaningOf('unprocessable_entity', words, 422)).toBe(meaning);
  });

  test('the words of a limit of calls do not make it a quota', () => {
    expect(meaningOf('too_many_requests', 'exceeded your limit', 429)).toBe('throttling');
  });
});

test.each([{}, { id: 1, message: 'x' }, { id: 'x' }, undefined, []])(
  '%j is not an answer of DigitalOcean',
  (json) => {
    expect(refusalIn(answer(404, json))).toBeUndefined();
  },
);
