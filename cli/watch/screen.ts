/** What `millwright watch` draws in a terminal. */
import { stripVTControlCharacters } from 'node:util';
import type { Install } from '../install/install.ts';
import { statusAnswer } from '../status/status.ts';
import { formatAge } from '../terminal/age.ts';

export interface ScreenView {
  /** Of the terminal. Default 24. */
  rows: number | undefined;
  /** Of the terminal: a longer line takes several rows. Default: none does. */
  columns?: number | undefined;
  /** What failed since the last drawing; empty: nothing. */
  trouble: string;
  /** Since when the API server gives no answer, milliseconds. Default: it answers. */
  awaySince?: number | undefined;
}

/** For the line that counts what is left out, and for the cursor. */
const rowsKept = 2;
const fewestLines = 5;

/** What there is room for, from the top: the worst stands there. */
export function screenOf(install: Install, view: ScreenView): string {
  const { rows = 24, columns, trouble, awaySince } = view;
  const { text } = statusAnswer(install, { isWide: false, hasNotes: false });
  const away = formatAge(install.now - (awaySince ?? install.now));
  const head =
    awaySince === undefined
      ? ''
      : `The API server has not answered for ${away}: what follows is of then.\n`;
  const lines = [head, text, trouble]
    .filter((part) => part !== '')
    .flatMap((part) => part.split('\n'));
  const shown = fittingIn(Math.max(rows - rowsKept, fewestLines), lines, columns);
  const more = lines.length - shown.length;
  return more === 0 ? lines.join('\n') : [...shown, `(${more} more lines)`].join('\n');
}

/** The first of them: of a text that is too high log-update cuts off the top. */
function fittingIn(room: number, lines: readonly string[], columns = Infinity): readonly string[] {
  let left = room;
  const end = lines.findIndex((line) => {
    left -= Math.max(Math.ceil(stripVTControlCharacters(line).length / columns), 1);
    return left < 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}
