/** A table as kubectl prints it: no borders, three blanks between columns. */
import { table } from 'table';

export function formatColumns(head: readonly string[], rows: readonly string[][]): string {
  const text = table([[...head], ...rows], {
    border: noBorder,
    columnDefault: { paddingLeft: 0, paddingRight: 3 },
    drawHorizontalLine: () => false,
    drawVerticalLine: () => false,
  });
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();
}

const noBorder = Object.fromEntries(
  `topBody topJoin topLeft topRight bottomBody bottomJoin bottomLeft bottomRight bodyLeft bodyRight
  bodyJoin joinBody joinLeft joinRight joinJoin`
    .split(/\s+/)
    .map((part) => [part, '']),
);
