/** Tags by which our drivers find the instances of a class, where a template has none of them. */
import { isRecord } from '../../../workflows/values/is-record.ts';

/** So that the way back knows it from a tag that a person wrote. */
const addedValue = 'millwright-front';

/** `marks`: part of a key -> the key that is added where no key has it. */
export function missingTags(tags: unknown, marks: Readonly<Record<string, string>>) {
  const keys = isRecord(tags) ? Object.keys(tags) : [];
  const missing = Object.entries(marks).filter(([mark]) => !keys.some((key) => key.includes(mark)));
  return Object.fromEntries(missing.map(([, key]) => [key, addedValue]));
}

export function withoutAdded(tags: unknown): unknown {
  const kept = Object.entries(Object(tags)).filter(([, value]) => value !== addedValue);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
