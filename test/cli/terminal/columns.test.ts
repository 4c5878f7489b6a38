import { formatColumns } from '../../../cli/terminal/columns.ts';
import { paletteOf } from '../../../cli/terminal/style.ts';

test.each([
  ['a tab', 'by\tme', 'by me'],
  ['a line that ends', 'one\r\ntwo\nthree', 'one two three'],
  ['a colour', '\u001B[31mred\u001B[39m', ' [31mred [39m'],
  ['a title of the terminal', '\u001B]0;mine\u0007', ' ]0;mine'],
  ['one character that begins a sequence', '\u009B2J', ' 2J'],
  ['characters that cannot be seen', 'a\u0000\u0008\u007Fb', 'a b'],
])('%s in a value is a blank', (_name, value, shown) => {
  expect(formatColumns(['A', 'B'], [['x', value]])).toBe(`A   B\nx   ${shown}`);
});

test('colours of our own stay, and take no room', () => {
  const { bad } = paletteOf(true);
  const rows = [[{ coloured: bad('late') }, 'x']];
  expect(formatColumns(['A', 'B'], rows)).toBe(`A      B\n${bad('late')}   x`);
});
