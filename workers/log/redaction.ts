/** Keeps secrets out of logs, whatever object is logged. */
import { isNativeError } from 'node:util/types';

/** Names without case, `-` and `_`. References (`secretRef`, `secretName`) are wanted in logs. */
const secretNames = new Set([
  'accesskeyid',
  'accesstoken',
  'apikey',
  'authorization',
  'bootstraptoken',
  'clientkey',
  'clientsecret',
  'credentials',
  'idtoken',
  'keydata',
  'kubeconfig',
  'password',
  'privatekey',
  'refreshtoken',
  'secret',
  'secretaccesskey',
  'secretdata',
  'secrets',
  'serviceaccountjson',
  'stringdata',
  'token',
  'tokensecret',
  'userdata',
]);

/** Deeper parts are left out: nothing that is worth a log line is nested so far. */
const depthMax = 6;

const isSecret = (name: string): boolean =>
  secretNames.has(name.toLowerCase().replaceAll(/[-_]/g, ''));

/** A copy to log: values of secret names become "[redacted]", errors become plain objects. */
export function withoutSecrets(fields: object): Record<string, unknown> {
  return copyOf(fields, 0);
}

function copyOf(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name,
      isSecret(name) && value !== undefined ? '[redacted]' : copyOfValue(value, depth + 1),
    ]),
  );
}

function copyOfValue(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > depthMax) return '[too deep]';
  if (isNativeError(value)) return copyOfError(value, depth);
  if (value instanceof Date) return value.toJSON();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((part) => copyOfValue(part, depth + 1));
  return copyOf(value, depth);
}

function copyOfError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    stack,
    ...(cause !== undefined && { cause: copyOfValue(cause, depth + 1) }),
    ...copyOf(error, depth),
  };
}
