/** A table as kubectl prints it: no borders, three blanks between columns. */
import { table } from 'table';
import { withoutControls } from './screen.ts';

/** Text of our own, with colours. It holds no words of others. */
interface Coloured {
  coloured: string;
}

export type Cell = string | Coloured;

export function formatColumns(head: readonly string[], rows: readonly Cell[][]): string {
  const shown = rows.map((row) => row.map(shownIn));
  const text = table([[...head], ...shown], {
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

/** The library refuses some controls. */
export function shownIn(cell: Cell): string {
  return typeof cell === 'string' ? withoutControls(cell) : cell.coloured;
}

const noBorder = Object.fromEntries(
  `topBody topJoin topLeft topRight bottomBody bottomJoin bottomLeft bottomRight bodyLeft bodyRight
  bodyJoin joinBody joinLeft joinRight joinJoin`
    .split(/\s+/)
    .map((part) => [part, '']),
);
