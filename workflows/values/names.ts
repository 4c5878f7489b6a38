/**
 * Names of new objects, chosen before anything is created so that a retry creates nothing twice.
 */
import { longestLabelValue } from '../api/validation.ts';

/** No vowels and no similar letters, as Kubernetes' own generated names. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
/** The API server cuts `generateName` there. */
const longestBase = 58;

/**
 * `<prefix>-<5 characters>`, `count` of them, none in `taken`. A long prefix is cut as the API
 * server cuts `generateName`. `random` yields numbers from 0 (in) to 1 (out).
 */
export function newNames(request: {
  prefix: string;
  count: number;
  taken: ReadonlySet<string>;
  random: () => number;
}): string[] {
  const names = new Set<string>();
  const base = `${request.prefix}-`.slice(0, longestLabelValue - suffixLength);
  while (names.size < request.count) {
    const name = base + suffix(request.random);
    if (!request.taken.has(name)) names.add(name);
  }
  return [...names];
}

/** Reports whether `newNames` or the API server may have made this name of this prefix. */
export function isNewName(prefix: string, name: string): boolean {
  const base = `${prefix}-`.slice(0, longestBase);
  const end = name.slice(base.length);
  const isSuffix =
    end.length === suffixLength && Array.from(end).every((c) => alphabet.includes(c));
  return isSuffix && name.startsWith(base);
}

function suffix(random: () => number): string {
  return Array.from(
    { length: suffixLength },
    () => alphabet[Math.floor(random() * alphabet.length)],
  ).join('');
}

/** Kubernetes' safe encoding of a decimal hash: each character mapped into the alphabet above. */
export function safeEncode(text: string): string {
  return Array.from(
    { length: text.length },
    (_, index) => alphabet[text.charCodeAt(index) % alphabet.length],
  ).join('');
}
