/** Compute Engine with the credentials of a class, and the project that they are for. */
import { ClientCache } from '../client-cache.ts';
import type { ProviderRequest } from '../driver.ts';
import type { DriverSettings, Environment } from '../settings.ts';
import { fault } from './compute-error.ts';
import type { Compute } from './compute.ts';
import type { ClientFactory, SdkClient, SdkSettings } from './sdk-client.ts';
import { credentialsOf, keysInWords, requireProject } from './secret.ts';
import type { ExternalAccount, SecretCredentials } from './secret.ts';

export interface Account {
  compute: Compute;
  project: string;
}

export type Accounts = (request: Pick<ProviderRequest, 'secret'>) => Promise<Account>;

export interface AccountLimits {
  /** Limit of one call. */
  callTimeoutSeconds: number;
}

/** Fails when an endpoint in the environment is not a URL; makes no call and loads no SDK. */
export function createAccounts(
  { env, allowsAmbientCredentials }: DriverSettings,
  { callTimeoutSeconds }: AccountLimits,
): Accounts {
  const endpoint = endpointOf(env);
  const tokenEndpoint = urlOf(env, 'MILLWRIGHT_GCP_TOKEN_ENDPOINT');
  const clients = new ClientCache<SdkClient>();
  let factory: Promise<ClientFactory> | undefined;
  return async ({ secret }) => {
    const credentials = credentialsOf(secret);
    requireAllowed(credentials, allowsAmbientCredentials);
    factory ??= loadSdk({ endpoint, tokenEndpoint, callTimeoutSeconds });
    const create = await factory;
    const parts = ['gcp', JSON.stringify(credentials ?? 'ambient')];
    const client = clients.get(parts, () => create(credentials));
    const project = credentials?.project ?? (await ambientProject({ secret, env, client }));
    return { compute: client.compute, project };
  };
}

async function loadSdk(settings: SdkSettings): Promise<ClientFactory> {
  const { createClientFactory } = await import('./sdk-client.ts');
  return await createClientFactory(settings);
}

/** A token in the worker's file is the process's, whatever Secret asks for it. */
function requireAllowed(
  credentials: SecretCredentials | undefined,
  allowsAmbientCredentials: boolean,
): void {
  if (allowsAmbientCredentials) return;
  const orElse = 'or allow those of the process with --ambient-credentials';
  if (!credentials) {
    const message = `the Secret of the MachineClass has no credentials: set ${keysInWords}, ${orElse}`;
    throw fault('unauthenticated', message);
  }
  if (!usesFile(credentials.account)) return;
  const message = `the Secret of the MachineClass has an external_account without the key token: set it, ${orElse}`;
  throw fault('unauthenticated', message);
}

function usesFile(account: SecretCredentials['account']): account is ExternalAccount {
  return account.kind === 'externalAccount' && account.subjectToken === undefined;
}

interface AmbientProject {
  secret: ProviderRequest['secret'];
  env: Environment;
  client: SdkClient;
}

async function ambientProject({ secret, env, client }: AmbientProject): Promise<string> {
  const named = secret['projectID']?.trim() || env['GOOGLE_CLOUD_PROJECT'];
  const project = named || (await client.project?.());
  if (!project) {
    const message = 'no project: set the key projectID in the Secret of the MachineClass';
    throw fault('unauthenticated', message);
  }
  requireProject(project);
  return project;
}

function endpointOf(env: Environment): URL | undefined {
  const name = 'MILLWRIGHT_GCP_ENDPOINT';
  const url = urlOf(env, name);
  if (!url || url.pathname === '/') return url;
  throw new Error(`${name}: "${url.href}" has a path: only scheme, host and port are used`);
}

function urlOf(env: Environment, name: string): URL | undefined {
  const text = env[name];
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error(`${name}: "${text}" is not a URL of the form https://compute.example.com`);
}
