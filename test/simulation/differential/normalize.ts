/** Answers without what each server makes up in its own way. */
import { isRecord } from '../../../workflows/values/is-record.ts';

export interface Names {
  /** UIDs, in the order of their appearance. */
  uids: Map<string, string>;
  /** Versions of objects that were answered, the oldest first. */
  versions: readonly number[];
}

const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
const madeUpName = /\b(made-\d+)-[a-z\d]{5}\b/g;
const versionIn = /(?<=version: |current: |precondition \(|record \()\d+\b/g;
/** How far back a cache goes is its own. */
const oldestVersion = / \(\d+\)$/;
const times = new Set(['creationTimestamp', 'deletionTimestamp']);

export function normalized(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return textOf(value, names);
  if (Array.isArray(value)) return value.map((part) => normalized(part, names));
  if (!isRecord(value)) return value;
  const fields = Object.entries(value)
    .filter(([key]) => key !== 'managedFields')
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, part]) => [key, fieldOf(key, part, names)]));
}

function fieldOf(key: string, value: unknown, names: Names): unknown {
  if (typeof value !== 'string') return normalized(value, names);
  if (times.has(key) || (key === 'lastTransitionTime' && isOfNow(value))) return 'some time';
  if (key === 'continue' && value !== '') return tokenOf(value, names);
  if (key === 'resourceVersion' && /^\d+$/.test(value)) return versionOf(Number(value), names);
  const text = textOf(value, names);
  if (key !== 'message') return text;
  return text
    .replace(oldestVersion, '')
    .replaceAll(versionIn, (digits) => versionOf(Number(digits), names));
}

/** What a step says is of another year. */
function isOfNow(time: string): boolean {
  return !time.startsWith('2026-01-01');
}

/** How many of the versions are not behind it. */
function versionOf(version: number, { versions: known }: Names): string {
  let count = known.length;
  while (count > 0 && (known[count - 1] ?? 0) > version) count -= 1;
  return `version ${count}`;
}

function tokenOf(token: string, names: Names): unknown {
  const { rv, start, ...rest }: Record<string, unknown> = JSON.parse(
    Buffer.from(token, 'base64url').toString(),
  );
  // Some are without the slash.
  const place = textOf(String(start), names).replace(/^\//, '');
  return { ...rest, start: place, rv: Number(rv) > 0 ? versionOf(Number(rv), names) : rv };
}

function textOf(text: string, { uids }: Names): string {
  return text.replaceAll(madeUpName, '$1-xxxxx').replaceAll(uuid, (uid) => {
    const name = uids.get(uid) ?? `uid ${uids.size + 1}`;
    uids.set(uid, name);
    return name;
  });
}
