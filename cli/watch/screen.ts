/** What `millwright watch` draws in a terminal. */
import type { Fleet } from '../diagnosis/fleet.ts';
import { statusAnswer } from '../status/status.ts';

export interface ScreenView {
  /** Of the terminal. Default 24. */
  rows: number | undefined;
  /** What failed since the last drawing; empty: nothing. */
  trouble: string;
}

/** For the line that counts what is left out, and for the cursor. */
const rowsKept = 2;
const fewestLines = 5;

/** What there is room for, from the top: the worst stands there. */
export function screenOf(fleet: Fleet, { rows = 24, trouble }: ScreenView): string {
  const { text } = statusAnswer(fleet, { isWide: false, hasNotes: false });
  const lines = [text, trouble].filter((part) => part !== '').flatMap((part) => part.split('\n'));
  const room = Math.max(rows - rowsKept, fewestLines);
  const more = lines.length - room;
  return more <= 0
    ? lines.join('\n')
    : [...lines.slice(0, room), `(${more} more lines)`].join('\n');
}
