/** Formats the result of one check as a line in columns. */
import { withoutControls } from '../terminal/screen.ts';

export interface CheckResult<What extends string = string, State extends string = string> {
  /** Subject of the check. */
  what: What;
  state: State;
  text: string;
  /** A command, or what a person has to do. */
  repair?: string;
}

/** @param width Of the column of what was checked. */
export function formatResult({ what, state, text, repair }: CheckResult, width: number): string {
  const margin = ' '.repeat(9 + width);
  const [first = '', ...others] = text.split('\n').map(withoutControls);
  const repairs = repair?.split('\n') ?? [];
  return [
    `${state.padEnd(9)}${what.padEnd(width)}${first}`,
    ...others.map((line) => `${margin}${line}`),
    ...repairs.map((line, index) => `${margin}${index === 0 ? 'repair: ' : '        '}${line}`),
  ].join('\n');
}
