/** Credentials in a class's Secret, as Gardener's driver names them, and what Keystone makes of it. */
import { fault } from '../frame/fault.ts';
import type { Tls } from '../frame/http.ts';

export interface Credentials {
  /** Of Keystone, with its version. */
  url: URL;
  /** `auth` of a request for a token. */
  auth: object;
  tls: Tls;
}

type Secret = Readonly<Record<string, string>>;

export function credentialsOf(secret: Secret): Credentials {
  const text = (key: string): string => secret[key]?.trim() ?? '';
  const { clientCert, clientKey, caCert } = secret;
  if (text('clientCert') && !text('clientKey')) throw refused('clientCert needs clientKey');
  return {
    url: keystoneUrl(text('authURL')),
    auth: authOf(text),
    tls: {
      ...(text('caCert') && { ca: caCert }),
      ...(text('clientCert') && { cert: clientCert, key: clientKey }),
      rejectUnauthorized: !isInsecure(text('insecure')),
    },
  };
}

/** Its version may stand there, or not. */
function keystoneUrl(text: string): URL {
  if (!text) throw refused('authURL is missing');
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw refused('authURL is not a URL of the form https://keystone.example.com:5000/v3');
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v[23](\.0)?$/, '');
  return new URL(`${url.origin}${path}/v3`);
}

function isInsecure(text: string): boolean {
  if (['', 'true', 'false'].includes(text)) return text === 'true';
  throw refused('insecure is neither "true" nor "false"');
}

type Text = (key: string) => string;

function authOf(text: Text): object {
  const password = text('password');
  const secret = text('applicationCredentialSecret');
  if (password && secret) {
    throw refused('password and applicationCredentialSecret exclude each other: remove one');
  }
  if (secret) return { identity: applicationCredential(text, secret) };
  if (!password) throw refused('neither password nor applicationCredentialSecret is there');
  const user = { ...userOf(text), password };
  return {
    identity: { methods: ['password'], password: { user } },
    scope: { project: projectOf(text) },
  };
}

/** It has a project of its own. */
function applicationCredential(text: Text, secret: string): object {
  const id = text('applicationCredentialID');
  const name = text('applicationCredentialName');
  if (!id && !name) {
    const message =
      'applicationCredentialSecret needs applicationCredentialID, or applicationCredentialName and username';
    throw refused(message);
  }
  const named = id ? { id } : { name, user: userOf(text) };
  return { methods: ['application_credential'], application_credential: { ...named, secret } };
}

/** Users may be kept in another domain than projects. */
function userOf(text: Text): object {
  const name = text('username');
  if (!name) throw refused('username is missing');
  const id = text('userDomainID');
  const domainName = text('userDomainName');
  if (id) return { name, domain: { id } };
  return { name, domain: domainName ? { name: domainName } : domainOf(text) };
}

function domainOf(text: Text): object {
  const id = text('domainID');
  const name = text('domainName');
  if (!id && !name) throw refused('neither domainName nor domainID is there');
  return id ? { id } : { name };
}

function projectOf(text: Text): object {
  const id = text('tenantID');
  const name = text('tenantName');
  if (!id && !name) throw refused('neither tenantName nor tenantID is there');
  return id ? { id } : { name, domain: domainOf(text) };
}

function refused(words: string): Error {
  return fault('unauthenticated', `Secret of the MachineClass: ${words}`);
}
