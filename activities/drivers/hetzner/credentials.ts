/** The token in a class's Secret. */
import { fault } from '../frame/fault.ts';

/** As MCM's driver reads it, and as Gardener's extension calls it. */
const keys = ['token', 'hcloudToken'] as const;

/** A line break at its end is left out, as MCM's driver does. */
export function tokenOf(secret: Readonly<Record<string, string>>): string {
  const token = keys.map((key) => secret[key]?.trim()).find((value) => value);
  if (!token) throw refused(`${keys.join(' or ')} is missing: put the API token of the project in`);
  // It becomes a header.
  if (!/^[\x21-\x7e]+$/.test(token)) throw refused('the token has characters that no token has');
  return token;
}

function refused(words: string): Error {
  return fault('unauthenticated', `Secret of the MachineClass: ${words}`);
}
