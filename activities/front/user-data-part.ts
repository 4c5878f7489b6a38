/** One part of a template, as the user data of its machines have it. */
import { isRecord } from '../../workflows/values/is-record.ts';

export interface UserDataPart {
  /** Fields of `config.yaml` (userdata/config.schema.json). */
  config: Readonly<Record<string, unknown>>;
  /** Sentences: what cannot be said, and what to do. */
  faults: string[];
  /** Sentences: what has no effect, and why. */
  ignored: string[];
}

/** One config over another: objects field by field; lists together, an item of a name once. */
export function over(
  base: UserDataPart['config'],
  part: UserDataPart['config'],
): Record<string, unknown> {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(part)) {
    const before = result[key];
    result[key] = joined(before, value);
    // `MaxPods` of a shared config is `maxPods`, and only one of them may be there.
    const spelled = key.charAt(0).toUpperCase() + key.slice(1);
    if (spelled !== key) delete result[spelled];
  }
  return result;
}

function joined(before: unknown, value: unknown): unknown {
  if (isRecord(before) && isRecord(value)) return over(before, value);
  if (!Array.isArray(before) || !Array.isArray(value)) return value;
  const mine: unknown[] = value;
  const names = new Set(mine.map(nameOf));
  return [...before.filter((item) => !names.has(nameOf(item))), ...mine];
}

/** Of a taint, a file, a unit; else the item itself. */
function nameOf(item: unknown): string {
  if (!isRecord(item)) return String(item);
  const { key, effect, path, name } = item;
  return JSON.stringify([key, effect, path, name]);
}
