/** A table as kubectl prints it: no borders, three blanks between columns. */
import { table } from 'table';

/** Text of our own, with colours. It holds no words of others. */
export interface Coloured {
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

export function shownIn(cell: Cell): string {
  return typeof cell === 'string' ? withoutControls(cell) : cell.coloured;
}

/**
 * Users and clouds write words with tabs, ends of lines and escape sequences. Some of these the
 * library refuses, and the others reach the terminal, which obeys them.
 */
function withoutControls(words: string): string {
  return words.replaceAll(/\p{Cc}+/gu, ' ');
}

const noBorder = Object.fromEntries(
  `topBody topJoin topLeft topRight bottomBody bottomJoin bottomLeft bottomRight bodyLeft bodyRight
  bodyJoin joinBody joinLeft joinRight joinJoin`
    .split(/\s+/)
    .map((part) => [part, '']),
);
