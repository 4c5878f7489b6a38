/** Keeps secrets out of logs, whatever object is logged: by name here, by form in scrubbing.ts. */
import { isNativeError } from 'node:util/types';
import { hidden } from './hide.ts';
import { scrubbed } from './secret-values.ts';
import { isSecret } from './secret-names.ts';

/** Deeper parts are left out: nothing that is worth a log line is nested so far. */
const depthMax = 6;

type Scrub = (text: string) => string;

/**
 * A copy to log: values of secret names become "[redacted]", errors become plain objects, and all
 * texts go through `scrub`. Default: what has the form of a secret is taken out of them.
 */
export function withoutSecrets(fields: object, scrub: Scrub = scrubbed): Record<string, unknown> {
  return new Copy(scrub).ofFields(fields, 0);
}

class Copy {
  readonly #scrub: Scrub;

  constructor(scrub: Scrub) {
    this.#scrub = scrub;
  }

  ofFields(fields: object, depth: number): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]: [string, unknown]) => [
        name,
        isSecret(name) && value !== undefined ? hidden : this.#ofValue(value, depth + 1),
      ]),
    );
  }

  #ofValue(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#scrub(value);
    if (typeof value === 'bigint') return value.toString();
    if (typeof value !== 'object' || value === null) return value;
    return depth > depthMax ? '[too deep]' : this.#ofObject(value, depth);
  }

  #ofObject(value: object, depth: number): unknown {
    if (isNativeError(value)) return this.#ofError(value, depth);
    if (value instanceof Date) return value.toJSON();
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (Array.isArray(value)) return value.map((part) => this.#ofValue(part, depth + 1));
    return this.ofFields(value, depth);
  }

  #ofError(error: Error, depth: number): Record<string, unknown> {
    const { name, message, stack, cause } = error;
    return {
      type: name,
      message: this.#ofValue(message, depth),
      stack: this.#ofValue(stack, depth),
      ...(cause !== undefined && { cause: this.#ofValue(cause, depth + 1) }),
      ...this.ofFields(error, depth),
    };
  }
}
