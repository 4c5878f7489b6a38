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

/** A value as JSON would carry it. */
type Json = unknown;

/**
 * 32-bit FNV-1a over the template, its keys sorted: the same template has the same hash whatever
 * the order of its keys. MCM v0.62.1 hashes a print of a Go struct and finds sets by their
 * template, never by the hash, so the two need not agree; a set that MCM made keeps its label.
 */
export function templateHash(template: Json, collisionCount = 0): string {
  return String(fnv1a(`${canonical(template)}#${collisionCount}`));
}

/** The API server's limit. */
const longestSetName = 253;

/** `<deployment>-<5 characters>`; of a long name the beginning, up to a letter or digit. */
export function machineSetName(deployment: string, hash: string): string {
  const ending = `-${safeEncode(hash).slice(0, 5)}`;
  return deployment.slice(0, longestSetName - ending.length).replace(/[^a-z0-9]+$/, '') + ending;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

/**
 * JSON with sorted keys and without empty values: an absent and an empty field are the same to
 * Kubernetes.
 */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, field]) => !isEmpty(field))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
  return `{${entries.join(',')}}`;
}

function isEmpty(value: Json): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
