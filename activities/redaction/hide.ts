/** Hides secrets in texts and errors: those that are known, and those of a known form. */
import { isOpen } from './secret-names.ts';
import type { SecretForm } from './secret-forms.ts';
import { certainForms } from './secret-forms.ts';
import { repeatedTexts } from './secret-texts.ts';

export const hidden = '[redacted]';

interface Range {
  start: number;
  end: number;
}

/**
 * The same text with `[redacted]` for each of `secrets` and for what has one of the forms; by
 * default those that names, ids and paths do not have. All are searched in the text as it is, so
 * that what hides a part of one does not save the rest.
 */
export function hide(
  text: string,
  secrets: readonly string[] = [],
  forms: readonly SecretForm[] = certainForms,
): string {
  const ranges = [
    ...secrets.flatMap((secret) => occurrences(text, secret)),
    ...forms.flatMap((form) => matches(text, form)),
  ];
  let result = '';
  let end = 0;
  for (const range of merged(ranges)) {
    result += `${text.slice(end, range.start)}${hidden}`;
    end = range.end;
  }
  return result + text.slice(end);
}

/** What a cloud was sent: data of a class's Secret, and user data with its places filled. */
interface Sent {
  secret: Readonly<Record<string, string>>;
  userData?: string;
  /** Parts of it, and its forms, that a driver does not see in it: see `CreateRequest`. */
  hidden?: readonly string[];
}

/**
 * Hides what an error repeats of what was sent; its message goes into histories, statuses and
 * Events. The error itself is changed, as its kind says what to do.
 */
export function hideIn(error: unknown, { secret, userData = '', hidden: parts = [] }: Sent): void {
  if (!(error instanceof Error)) return;
  const { message, stack } = error;
  const values = Object.entries(secret).flatMap(([key, value]) => (isOpen(key) ? [] : [value]));
  const shown = hide(message, repeatedTexts(message, [...values, userData, ...parts]));
  if (shown === message) return;
  // That of an abort has no setter.
  const texts = { message: shown, stack: stack?.replace(message, () => shown) };
  for (const [name, value] of Object.entries(texts)) {
    Object.defineProperty(error, name, { value, configurable: true, writable: true });
  }
}

/**
 * What repeats itself, such as a line of one character, is in a longer run of the same at each
 * place: that is one range, and found at once.
 */
function occurrences(text: string, secret: string): Range[] {
  const ranges: Range[] = [];
  let start = secret === '' ? -1 : text.indexOf(secret);
  if (start < 0) return ranges;
  const period = periodOf(secret);
  const repeats = secret.slice(secret.length % period);
  while (start >= 0) {
    let end = start + secret.length;
    while (text.startsWith(repeats, end)) end += repeats.length;
    while (text.startsWith(repeats.slice(0, period), end)) end += period;
    ranges.push({ start, end });
    start = text.indexOf(secret, end - secret.length + 1);
  }
  return ranges;
}

/** After so many characters it repeats itself; its length where it does not. */
function periodOf(secret: string): number {
  // How much of the beginning stands again at the end of each beginning (Knuth, Morris, Pratt).
  const again = [0];
  let known = 0;
  for (let index = 1; index < secret.length; index += 1) {
    while (known > 0 && secret[index] !== secret[known]) known = again[known - 1] ?? 0;
    if (secret[index] === secret[known]) known += 1;
    again.push(known);
  }
  return secret.length - known;
}

function matches(text: string, { expression, isSecret = () => true }: SecretForm): Range[] {
  const found = [...text.matchAll(expression)].filter(([match]) => isSecret(match));
  return found.map(({ indices }) => {
    const [start, end] = indices?.groups?.['secret'] ?? indices?.[0] ?? [0, 0];
    return { start, end };
  });
}

/** Those that touch or overlap are one; ordered. */
function merged(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = result.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}
