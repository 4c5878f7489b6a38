import { defaultSettings, parseSettings } from '../../../deploy/local/virtual-cloud/settings.ts';

test('a setting of the virtual cloud that is not given keeps its value', () => {
  expect(parseSettings({ bootSeconds: 0.2 }, defaultSettings)).toEqual({
    bootSeconds: 0.2,
    callMilliseconds: 50,
  });
});

test.each([
  ['a text for a number', { bootSeconds: '1' }, 'bootSeconds: "1" is not a number from 0 to 86400'],
  [
    'a negative time',
    { callMilliseconds: -1 },
    'callMilliseconds: -1 is not a number from 0 to 60000',
  ],
  [
    'a misspelt field',
    { bootSecond: 1 },
    'bootSecond: unknown field; known are bootSeconds, callMilliseconds',
  ],
  ['a list', [], 'body: [] is not a JSON object'],
])('a setting of the virtual cloud is refused by name and value: %s', (_name, body, says) => {
  expect(() => parseSettings(body, defaultSettings)).toThrow(says);
});
