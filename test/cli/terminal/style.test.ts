import { isUnicode, clipLine } from '../../../cli/terminal/screen.ts';
import { isColoured, paletteOf } from '../../../cli/terminal/style.ts';
import { formatBar } from '../../../cli/status/status.ts';

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
  [false, { FORCE_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
])('a terminal (%j) with %j has colours: %j', (isTTY, env, expected) => {
  expect(isColoured({ isTTY }, env)).toBe(expected);
});

test('colours are those of the terminal, and none where there are none', () => {
  expect(paletteOf(true).bad('x')).toBe('\u001B[31mx\u001B[39m');
  expect(paletteOf(false).bad('x')).toBe('x');
});

test('the locale says whether blocks are shown', () => {
  expect(isUnicode({ LANG: 'de_CH.UTF-8' })).toBe(true);
  expect(isUnicode({ LC_ALL: 'C', LANG: 'de_CH.UTF-8' })).toBe(false);
  expect(isUnicode({})).toBe(false);
});

test('a line is cut at its end', () => {
  expect(clipLine('one\n two  three', 40)).toBe('one two three');
  expect(clipLine('one two three', 10)).toBe('one two...');
});

const plain = { palette: paletteOf(false), hasBlocks: false };
const inPlace = { updating: 0, failed: 0 };
const progress = { state: 'Progressing', wanted: 10, old: 0, counts: '', inPlace } as const;

test.each([
  [{ ready: 10, updated: 10, updating: 0, failed: 0 }, '####################'],
  [{ ready: 5, updated: 5, updating: 3, failed: 2 }, '##########++++++xxxx'],
  [{ ready: 5, updated: 5, updating: 0, failed: 0 }, '##########..........'],
  [{ ready: 0, updated: 0, updating: 0, failed: 0 }, '....................'],
  // In a rollout nothing is missing: the old ones are there until the new ones are.
  [{ ready: 10, updated: 2, updating: 1, failed: 0 }, '###==============+..'],
  [{ ready: 10, updated: 0, updating: 0, failed: 0 }, '===================='],
  [{ ready: 10, updated: 10, updating: 1, failed: 0 }, '##################+.'],
])('%j is %s', (counts, bar) => {
  expect(formatBar({ ...progress, ...counts }, plain)).toBe(bar);
});

test('one of a thousand that fails is seen, and the bar keeps its width', () => {
  const counts = { wanted: 1_000, ready: 999, updated: 999, updating: 0, failed: 1 };
  const bar = formatBar({ ...progress, ...counts }, plain);
  expect(bar).toBe('###################x');
});
