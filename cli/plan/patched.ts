/** An object after a JSON merge patch (RFC 7386), as the API server would keep it. */
import { isRecord } from '../../workflows/values/is-record.ts';

export function patched<Kind extends object>(object: Kind, patch: object): Kind;
export function patched(object: object, patch: object): object {
  return merged(object, patch);
}

function merged(present: unknown, patch: object): Record<string, unknown> {
  const result: Record<string, unknown> = isRecord(present) ? { ...present } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete result[key];
    else result[key] = isRecord(value) ? merged(result[key], value) : value;
  }
  return result;
}
