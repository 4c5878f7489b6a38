/** Hides secrets in a text: those that are known, and those of a known form. */
import type { SecretForm } from './secret-forms.ts';

export const hidden = '[redacted]';

interface Range {
  start: number;
  end: number;
}

/**
 * All are searched in the text as it is, so that what hides a part of one does not save the rest.
 * `known`: texts of which none may be left.
 */
export function redacted(
  text: string,
  forms: readonly SecretForm[],
  known: readonly string[] = [],
): string {
  const ranges = [
    ...known.flatMap((secret) => occurrences(text, secret)),
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

function occurrences(text: string, secret: string): Range[] {
  const ranges: Range[] = [];
  if (secret === '') return ranges;
  for (let start = text.indexOf(secret); start >= 0; start = text.indexOf(secret, start + 1)) {
    ranges.push({ start, end: start + secret.length });
  }
  return ranges;
}

function matches(text: string, { expression, isSecret = () => true }: SecretForm): Range[] {
  return [...text.matchAll(expression)].filter(([match]) => isSecret(match)).map(rangeOf);
}

function rangeOf({ indices }: RegExpMatchArray): Range {
  const [start, end] = indices?.groups?.['secret'] ?? indices?.[0] ?? [0, 0];
  return { start, end };
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
