import { nameInLine } from '../../../workflows/values/name-in-line.ts';

test.each(['small', 'a.b-1', '0'])('%s stands in a line as it is', (name) => {
  expect(nameInLine(name)).toBe(name);
});

test.each(['', 'a; curl x | sh', '$(id)', 'a\ncurl x', '--server=https://x', 'A', '../x', 'a-'])(
  '%j, which no object is called, does not stand in a line',
  (name) => {
    expect(nameInLine(name)).toBe('NAME');
  },
);
