import { withVerdicts } from './defect-table.ts';

const defects = ['M1', 'M2', 'S1'].map((id) => ({ id, title: `title of ${id}`, edits: [] }));
const begin = '<!-- defects: begin; made by npm run simulate -- --defects -->';
const empty = `# Page\n\n${begin}\n<!-- defects: end -->\n\nText.\n`;
const found = { rule: 'one instance per token', seed: 3, cpuSeconds: 12.4 };

test('verdicts become rows, in the order of the list', () => {
  const page = withVerdicts(
    empty,
    [
      { id: 'S1', title: 'a|b', cpuSeconds: 600 },
      { id: 'M1', title: 'c', ...found },
    ],
    defects,
  );
  expect(page).toBe(`# Page

${begin}

| id | defect | found by rule | CPU s | seed |
| --- | --- | --- | ---: | ---: |
| M1 | c | one instance per token | 12 | 3 |
| S1 | a/b | not found | 600 |  |

1 of 2 were found.

<!-- defects: end -->

Text.
`);
});

test('rows of defects that were not tried stay, also as the formatter left them', () => {
  const first = withVerdicts(empty, [{ id: 'M2', title: 'c', ...found }], defects);
  const formatted = first.replace('| M2 | c |', '| M2    | c      |');
  const page = withVerdicts(formatted, [{ id: 'M1', title: 'd', cpuSeconds: 600 }], defects);
  expect(page).toContain(
    '| M1 | d | not found | 600 |  |\n| M2 | c | one instance per token | 12 | 3 |\n\n1 of 2 ',
  );
});

test('rows of defects that are gone go', () => {
  const first = withVerdicts(empty, [{ id: 'M2', title: 'c', ...found }], defects);
  expect(withVerdicts(first, [], [])).not.toContain('M2');
});

test('a page without a place for the table is refused', () => {
  expect(() => withVerdicts('# Page\n', [], defects)).toThrow('defects: begin');
});
