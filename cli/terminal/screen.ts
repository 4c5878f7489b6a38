/** Asks what the terminal can show. */

/** Columns of the terminal; undefined where the output is none, such as a pipe. */
export function screenWidth(): number | undefined {
  const { columns } = process.stdout;
  return columns === undefined || columns < 40 ? undefined : columns;
}

/** By the locale, as C programs decide it. */
export function isUnicode(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale);
}

/** Without what a terminal obeys. */
export function oneLine(text: string): string {
  return withoutControls(text).replaceAll(/\s+/g, ' ').trim();
}

/**
 * Users and clouds write words with tabs, ends of lines and escape sequences, which reach the
 * terminal as they are, and the terminal obeys them.
 */
export function withoutControls(words: string): string {
  return words.replaceAll(/\p{Cc}+/gu, ' ');
}

/** The first names, and how many there are beside them. */
export function listOf(names: readonly string[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** On one line, cut at its end. */
export function clipLine(text: string, width: number): string {
  const line = oneLine(text);
  return line.length <= width ? line : `${line.slice(0, Math.max(width - 3, 0))}...`;
}
