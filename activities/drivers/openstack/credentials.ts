/** Credentials in a class's Secret, as Gardener's driver names them, as Keystone takes them. */
import { fault } from '../frame/fault.ts';
import type { Tls } from '../frame/http.ts';

export interface Credentials {
  /** Of Keystone, with its version. */
  url: URL;
  /** `auth` of a request for a token. */
  auth: object;
  tls: Tls;
}

type Text = (key: string) => string;

export function credentialsOf(secret: Readonly<Record<string, string>>): Credentials {
  const text: Text = (key) => secret[key]?.trim() ?? '';
  const insecure = text('insecure');
  need(['', 'true', 'false'].includes(insecure), 'insecure is neither "true" nor "false"');
  need(!text('clientCert') || text('clientKey'), 'clientCert needs clientKey');
  return {
    url: keystoneUrl(text('authURL')),
    auth: authOf(text),
    tls: {
      ca: text('caCert') || undefined,
      cert: text('clientCert') || undefined,
      key: text('clientCert') ? text('clientKey') : undefined,
      rejectUnauthorized: insecure !== 'true',
    },
  };
}

function need(isRight: boolean | string, words: string): void {
  if (!isRight) throw fault('unauthenticated', `Secret of the MachineClass: ${words}`);
}

/** Its version may stand there, or not. */
function keystoneUrl(text: string): URL {
  need(text, 'authURL is missing');
  const form = 'a URL of the form https://keystone.example.com:5000/v3';
  need(/^https?:\/\//.test(text) && URL.canParse(text), `authURL is not ${form}`);
  const { origin, pathname } = new URL(text);
  return new URL(`${origin}${pathname.replace(/\/$/, '').replace(/\/v[23](\.0)?$/, '')}/v3`);
}

function authOf(text: Text): object {
  const [password, secret] = [text('password'), text('applicationCredentialSecret')];
  const both = 'password and applicationCredentialSecret';
  need(!password || !secret, `${both} exclude each other: remove one`);
  need(password || secret, 'neither password nor applicationCredentialSecret is there');
  if (password) {
    const user = { ...userOf(text), password };
    const project = named(text, 'tenant');
    const scope = 'id' in project ? project : { ...project, domain: named(text, 'domain') };
    return { identity: { methods: ['password'], password: { user } }, scope: { project: scope } };
  }
  const [id, name] = [text('applicationCredentialID'), text('applicationCredentialName')];
  const needs = 'applicationCredentialID, or applicationCredentialName and username';
  need(id || name, `applicationCredentialSecret needs ${needs}`);
  // It has a project of its own.
  const credential = id ? { id, secret } : { name, user: userOf(text), secret };
  return {
    identity: { methods: ['application_credential'], application_credential: credential },
  };
}

/** Users may be kept in another domain than projects. */
function userOf(text: Text): object {
  const name = text('username');
  need(name, 'username is missing');
  const hasOwn = text('userDomainID') || text('userDomainName');
  return { name, domain: named(text, hasOwn ? 'userDomain' : 'domain') };
}

function named(text: Text, what: 'domain' | 'userDomain' | 'tenant'): object {
  const [id, name] = [text(`${what}ID`), text(`${what}Name`)];
  need(id || name, `neither ${what}Name nor ${what}ID is there`);
  return id ? { id } : { name };
}
