/** Which credentials a Secret gives; decides only. */
import { fault } from '../frame/fault.ts';
import type { Environment } from '../settings.ts';

export interface NutanixCredentials {
  /** Of Prism Central. */
  url: URL;
  authorization: string;
  allowsAnyCertificate: boolean;
  /** PEM. Default: what the process trusts. */
  ca?: string | undefined;
}

/**
 * Where Prism Central is stands beside the password: a person who may write a class, and not the
 * Secret, must not have it sent elsewhere.
 */
export function credentialsOf(
  secret: Readonly<Record<string, string>>,
  env: Environment,
): NutanixCredentials {
  const { username = '', password = '', allowInsecure, caCert } = secret;
  if (username === '' || password === '') {
    throw refused('username and password, of a user of Prism Central');
  }
  return {
    url: urlOf(secret, env),
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    allowsAnyCertificate: allowInsecure?.trim() === 'true',
    ca: caCert,
  };
}

function urlOf({ endpoint = '', port = '9440' }: Record<string, string>, env: Environment): URL {
  const given = URL.parse(env['MILLWRIGHT_NUTANIX_ENDPOINT'] ?? '');
  if (given) return given;
  const isHost = /^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])$/.test(
    endpoint.trim(),
  );
  if (!isHost) throw refused('endpoint, the name or address of Prism Central without https://');
  if (!/^\d{1,5}$/.test(port.trim())) throw refused('port, a number; without it, 9440');
  return new URL(`https://${endpoint.trim()}:${port.trim()}`);
}

const refused = (what: string): Error =>
  fault('unauthenticated', `the Secret of the MachineClass needs ${what}`);
