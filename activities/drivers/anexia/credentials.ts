/** Which credentials a Secret gives; decides only. */
import { fault } from '../frame/fault.ts';
import type { Environment } from '../settings.ts';

export interface AnexiaCredentials {
  url: URL;
  token: string;
}

export function credentialsOf(
  secret: Readonly<Record<string, string>>,
  env: Environment,
): AnexiaCredentials {
  const token = secret['token']?.trim() ?? '';
  if (token === '') {
    throw fault('unauthenticated', 'the Secret of the MachineClass has no key token');
  }
  const url = URL.parse(env['MILLWRIGHT_ANEXIA_ENDPOINT'] ?? 'https://engine.anexia-it.com');
  if (url) return { url, token };
  throw new Error('MILLWRIGHT_ANEXIA_ENDPOINT is not a URL of the form https://engine.example.com');
}
