/** What of a class's Secret an instance may have printed. */

/** Shorter values, such as a region or a flag, stand in many texts by chance. */
const shortestValue = 6;
/** As a shell prints user data line by line. */
const shortestLine = 8;
/** Of a line: what a program was called with stands in another line than in the user data. */
const shortestWord = 20;

/**
 * Values, their lines, and words of lines that are made up of digits and letters; each plain, as
 * JSON, and in base64. Longest first. `data`: decoded.
 */
export function secretTexts(data: Readonly<Record<string, string>>): string[] {
  const texts = Object.values(data).flatMap(partsOf).flatMap(spellingsOf);
  return [...new Set(texts)].toSorted((a, b) => b.length - a.length);
}

function partsOf(value: string): string[] {
  const lines = linesOf(value);
  return [
    ...[value, value.trim()].filter(({ length }) => length >= shortestValue),
    ...lines,
    ...lines.flatMap((line) => line.match(words) ?? []).filter(looksMadeUp),
  ];
}

function linesOf(value: string): string[] {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter(({ length }) => length >= shortestLine);
}

const words = new RegExp(String.raw`[\w+~-]{${shortestWord},}`, 'g');

function looksMadeUp(word: string): boolean {
  return /\d/.test(word) && /[a-zA-Z]/.test(word);
}

function spellingsOf(text: string): string[] {
  return [text, inQuotes(text), ...base64Of(text)];
}

/** JSON writes it in another way. */
// oxlint-disable-next-line no-control-regex
const quotable = /["\\\u0000-\u001F]/;

function inQuotes(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function base64Of(text: string): string[] {
  const bytes = Buffer.from(text);
  return [bytes.toString('base64').replace(/={1,2}$/, ''), bytes.toString('base64url')];
}

/**
 * Those that can stand in the text: each six characters of them in a row do. A Secret has thousands
 * of lines, of which the text has few.
 */
export function textsIn(text: string, known: readonly string[]): string[] {
  const runs = new Set<string>();
  for (let start = 0; start + shortestValue <= text.length; start += 1)
    runs.add(runAt(text, start));
  return known.filter((one) => one.length >= shortestValue && isMadeOf(one, runs));
}

/**
 * Of these values what a text repeats: the whole of one, also in base64, or a line of it, as it is
 * or as JSON. The text is short, and most lines are dismissed at their beginning.
 */
export function repeatedTexts(text: string, values: readonly string[]): string[] {
  const parts = values.flatMap((value) => [value, value.trim(), ...linesOf(value)]);
  const inJson = parts.flatMap((part) => (quotable.test(part) ? inQuotes(part) : []));
  const inBase64 = values.flatMap(base64Of);
  return textsIn(text, [...parts, ...inJson, ...inBase64]);
}

function isMadeOf(text: string, runs: ReadonlySet<string>): boolean {
  for (let start = 0; start + shortestValue <= text.length; start += 1) {
    if (!runs.has(runAt(text, start))) return false;
  }
  return true;
}

function runAt(text: string, start: number): string {
  return text.slice(start, start + shortestValue);
}
