import { hash } from 'node:crypto';

/**
 * A short fingerprint of some fields, against needless signals. Objects come from one API server,
 * which writes keys in one order.
 */
export function digestOf(...fields: unknown[]): string {
  return hash('sha1', JSON.stringify(fields)).slice(0, 16);
}
