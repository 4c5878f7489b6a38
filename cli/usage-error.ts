/** What a person has to write otherwise. */
export class UsageError extends Error {}

/** Of `--output`. Throws a `UsageError`. */
export function isJson(output: string): boolean {
  if (output === 'text' || output === 'json') return output === 'json';
  throw new UsageError(`--output is "${output}"; allowed: text or json`);
}
