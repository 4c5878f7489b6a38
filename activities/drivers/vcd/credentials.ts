/** Which credentials a Secret gives; decides only. */
import { fault } from '../frame/fault.ts';
import type { Environment } from '../settings.ts';

export interface VcdCredentials {
  url: URL;
  /** Of a login. */
  authorization: string;
  allowsAnyCertificate: boolean;
  /** PEM. Default: what the process trusts. */
  ca?: string | undefined;
}

/**
 * Where the cloud is stands beside the password: a person who may write a class, and not the
 * Secret, must not have it sent elsewhere.
 */
export function credentialsOf(
  secret: Readonly<Record<string, string>>,
  env: Environment,
): VcdCredentials {
  const { organization = '', allowInsecure, caCert } = secret;
  if (!/^[\w.-]+$/.test(organization)) throw refused('organization, the name of one');
  return {
    url: urlOf(secret, env),
    authorization: authorizationOf(secret, organization),
    allowsAnyCertificate: allowInsecure?.trim() === 'true',
    ca: caCert,
  };
}

function urlOf({ url: text = '' }: Readonly<Record<string, string>>, env: Environment): URL {
  const given = URL.parse(env['MILLWRIGHT_VCD_ENDPOINT'] ?? '');
  if (given) return given;
  const url = URL.parse(text.trim());
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw refused('url, as https://vcd.example.com');
  }
  // Kubermatic's controller takes it with the path of the API.
  return new URL(url.pathname.replace(/\/(api\/?)?$/, ''), url);
}

function authorizationOf(
  { username = '', password = '' }: Readonly<Record<string, string>>,
  organization: string,
): string {
  if (username === '' || password === '') throw refused('username and password');
  return `Basic ${Buffer.from(`${username}@${organization}:${password}`).toString('base64')}`;
}

const refused = (what: string): Error =>
  fault('unauthenticated', `the Secret of the MachineClass needs ${what}`);
