import { defaultSettings, parseSettings } from '../../../deploy/local/virtual-cloud/settings.ts';

test('a setting of the virtual cloud that is not given keeps its value', () => {
  expect(parseSettings({ bootSeconds: 0.2 }, defaultSettings)).toEqual({
    bootSeconds: 0.2,
    callMilliseconds: 50,
  });
});

test.each([
  {
    name: 'a text for a number',
    body: { bootSeconds: '1' },
    says: 'bootSeconds: "1" is not a number from 0 to 86400',
  },
  {
    name: 'a negative time',
    body: { callMilliseconds: -1 },
    says: 'callMilliseconds: -1 is not a number from 0 to 60000',
  },
  {
    name: 'a misspelt field',
    body: { bootSecond: 1 },
    says: 'bootSecond: unknown field; known are bootSeconds, callMilliseconds',
  },
  { name: 'a list', body: [], says: 'body: [] is not a JSON object' },
])('a setting of the virtual cloud is refused by name and value: $name', ({ body, says }) => {
  expect(() => parseSettings(body, defaultSettings)).toThrow(says);
});
