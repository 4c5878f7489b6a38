/** Keeps secrets out of logs, in any object that is logged. */
import { isNativeError } from 'node:util/types';
import { hidden } from './hide.ts';
import { looksSecret } from './secret-names.ts';
import { secretValues } from './secret-values.ts';

/** Deeper parts are left out: nothing that is worth a log line is nested so far. */
const depthMax = 6;

/**
 * A copy to log: values of secret names become "[redacted]", errors become plain objects, and no
 * text has a secret that this process has read.
 */
export function withoutSecrets(fields: object, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name,
      looksSecret(name) && value !== undefined ? hidden : copyOf(value, depth + 1),
    ]),
  );
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return secretValues.hide(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > depthMax) return '[too deep]';
  if (isNativeError(value)) return plainError(value, depth);
  if (value instanceof Date) return value.toJSON();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((part) => copyOf(part, depth + 1));
  return withoutSecrets(value, depth);
}

function plainError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message: copyOf(message, depth),
    stack: copyOf(stack, depth),
    ...(cause !== undefined && { cause: copyOf(cause, depth + 1) }),
    ...withoutSecrets(error, depth),
  };
}
