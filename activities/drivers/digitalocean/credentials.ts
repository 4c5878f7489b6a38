/** The token in a class's Secret. */
import { fault } from '../frame/fault.ts';

export function tokenOf(secret: Readonly<Record<string, string>>): string {
  const token = secret['token']?.trim();
  if (!token) throw refused('token is missing: put an API token of the team in');
  // It becomes a header.
  if (!/^[\x21-\x7e]+$/.test(token)) throw refused('the token has characters that no token has');
  return token;
}

function refused(words: string): Error {
  return fault('unauthenticated', `Secret of the MachineClass: ${words}`);
}
