/**
 * Credentials in a class's Secret, as Gardener's driver reads them. A Secret must not make the
 * worker call any URL or read any file: fields outside of lists are refused, and URLs have to be
 * Google's.
 */
import { refusal } from '../../schema/schema-check.ts';
import type { Environment } from '../settings.ts';
import { isTokenFile, tokenDirectory } from '../token-file.ts';
import { fault } from './error-mapping.ts';

export interface ServiceAccount {
  kind: 'serviceAccount';
  email: string;
  privateKey: string;
  privateKeyId?: string;
}

/**
 * Workload identity federation: Google exchanges a token of another identity provider for one of
 * its own.
 */
export interface ExternalAccount {
  kind: 'externalAccount';
  audience: string;
  impersonationUrl?: string;
  /** Default: that in the worker's file. */
  subjectToken?: string;
  /** A file of the worker; it is read when the Secret has no token. */
  file: string;
}

export interface SecretCredentials {
  account: ServiceAccount | ExternalAccount;
  project: string;
}

/** In the order in which they are looked for, as with Gardener's driver. */
const keys = ['serviceAccountJSON', 'serviceaccount.json', 'credentialsConfig'] as const;

export const tokenUrl = 'https://sts.googleapis.com/v1/token';
export const subjectTokenType = 'urn:ietf:params:oauth:token-type:jwt';

type GcpSecret = Readonly<Record<string, string>>;
type Fields = Readonly<Record<string, unknown>>;

interface Given {
  secret: GcpSecret;
  /** The environment of the process. */
  env: Environment;
}

/** For messages: `serviceAccountJSON, serviceaccount.json or credentialsConfig` */
export const keysMessage = `${keys.slice(0, -1).join(', ')} or ${keys.at(-1)}`;

/** Undefined when the Secret has none. `env`: of the process; default empty. */
export function credentialsOf(
  secret: GcpSecret,
  env: Environment = {},
): SecretCredentials | undefined {
  const key = keys.find((name) => secret[name]?.trim());
  if (key === undefined) return undefined;
  const fields = parse(key, secret[key] ?? '');
  const account = accountOf(key, fields, { secret, env });
  return { account, project: projectOf(key, fields, secret) };
}

function parse(key: string, text: string): Fields {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) {
      return { ...fields };
    }
  } catch {
    // What the parser says may quote the text, which is secret.
  }
  throw refused(`${key} is not a JSON object`);
}

function accountOf(key: string, fields: Fields, given: Given): SecretCredentials['account'] {
  switch (fields['type']) {
    case 'service_account':
      return serviceAccount(key, fields);
    case 'external_account':
      return externalAccount(key, fields, given);
    default: {
      const allowed = 'service_account or external_account';
      throw refused(refusal(`${key}: type`, fields['type'], allowed));
    }
  }
}

const serviceAccountFields = [
  'type',
  'project_id',
  'private_key_id',
  'private_key',
  'client_email',
  'client_id',
  'auth_uri',
  'token_uri',
  'auth_provider_x509_cert_url',
  'client_x509_cert_url',
  'universe_domain',
];

/** Its URLs are not used: tokens come from Google's endpoint, whatever they say. */
function serviceAccount(key: string, fields: Fields): ServiceAccount {
  requireKnown(key, fields, serviceAccountFields);
  requireUniverse(key, fields);
  const privateKeyId = fields['private_key_id'];
  return {
    kind: 'serviceAccount',
    email: textOf(key, fields, 'client_email'),
    privateKey: textOf(key, fields, 'private_key'),
    ...(typeof privateKeyId === 'string' && { privateKeyId }),
  };
}

const externalAccountFields = [
  'type',
  'project_id',
  'audience',
  'subject_token_type',
  'token_url',
  'service_account_impersonation_url',
  'credential_source',
  'universe_domain',
];

const impersonationForm =
  /^https:\/\/iamcredentials\.googleapis\.com\/v1\/projects\/-\/serviceAccounts\/[a-zA-Z0-9@._-]+:generateAccessToken$/;

function externalAccount(key: string, fields: Fields, { secret, env }: Given): ExternalAccount {
  requireKnown(key, fields, externalAccountFields);
  requireUniverse(key, fields);
  requireText(key, fields, { name: 'token_url', only: tokenUrl });
  requireText(key, fields, { name: 'subject_token_type', only: subjectTokenType });
  const file = fileOf(key, fields['credential_source'], env);
  const impersonationUrl = fields['service_account_impersonation_url'];
  const isAllowed =
    impersonationUrl === undefined ||
    (typeof impersonationUrl === 'string' && impersonationForm.test(impersonationUrl));
  if (!isAllowed) {
    const allowed =
      'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/EMAIL:generateAccessToken';
    throw refused(refusal(`${key}: service_account_impersonation_url`, impersonationUrl, allowed));
  }
  const subjectToken = secret['token']?.trim();
  return {
    kind: 'externalAccount',
    audience: textOf(key, fields, 'audience'),
    file,
    ...(typeof impersonationUrl === 'string' && { impersonationUrl }),
    ...(subjectToken && { subjectToken }),
  };
}

function fileOf(key: string, source: unknown, env: Environment): string {
  const path = `${key}: credential_source`;
  const fields: Fields = Object(source);
  requireKnown(path, fields, ['file', 'format']);
  const { file } = fields;
  if (typeof file !== 'string' || !isTokenFile(file, env)) {
    throw refused(refusal(`${path}: file`, file, `a file in ${tokenDirectory(env)}`));
  }
  const format: Fields = Object(fields['format']);
  requireKnown(`${path}.format`, format, ['type']);
  if (format['type'] !== undefined) {
    requireText(`${path}.format`, format, { name: 'type', only: 'text' });
  }
  return file;
}

/** Names only: a value may be secret. */
function requireKnown(path: string, fields: Fields, known: readonly string[]): void {
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw refused(`${path}: ${unknown.join(', ')}: only ${known.join(', ')} are allowed`);
}

function requireText(path: string, fields: Fields, { name, only }: OnlyText): void {
  if (fields[name] !== only) throw refused(refusal(`${path}: ${name}`, fields[name], only));
}

interface OnlyText {
  name: string;
  only: string;
}

/** Another universe is another endpoint, and endpoints come from the process. */
function requireUniverse(key: string, fields: Fields): void {
  if (fields['universe_domain'] === undefined) return;
  requireText(key, fields, { name: 'universe_domain', only: 'googleapis.com' });
}

function textOf(key: string, fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '') return value;
  throw refused(`${key}: ${name} is missing`);
}

function projectOf(key: string, fields: Fields, secret: GcpSecret): string {
  const project = fields['project_id'] || secret['projectID']?.trim();
  if (typeof project !== 'string' || project === '') {
    throw refused(`neither ${key} has a project_id nor is there a key projectID`);
  }
  requireProject(project);
  return project;
}

/** It becomes a part of URLs. */
export function requireProject(project: string): void {
  if (/^[a-z0-9.:-]+$/.test(project)) return;
  throw refused(refusal('project', project, 'the ID of a project'));
}

function refused(words: string): Error {
  return fault('unauthenticated', `Secret of the MachineClass: ${words}`);
}
