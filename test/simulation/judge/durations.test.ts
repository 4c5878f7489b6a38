import { parseGoDuration } from './durations.ts';

test.each([
  ['90s', 90_000],
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['20ms', 20],
  ['', undefined],
  ['soon', undefined],
  [undefined, undefined],
])('%j is %d ms', (text, milliseconds) => {
  expect(parseGoDuration(text)).toBe(milliseconds);
});
