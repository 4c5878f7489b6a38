/** Compute Engine with the credentials of a class, and the project that they are for. */
import { ClientCache } from '../client-cache.ts';
import type { ProviderRequest } from '../driver.ts';
import type { DriverSettings, Environment } from '../settings.ts';
import { tokenFilesAreOff } from '../token-file.ts';
import { fault } from './error-mapping.ts';
import type { Compute } from './compute.ts';
import type { SdkClient } from './sdk-client.ts';
import { credentialsOf, keysMessage, requireProject } from './credentials.ts';
import type { ExternalAccount, SecretCredentials } from './credentials.ts';

export interface Account {
  compute: Compute;
  project: string;
}

export interface Accounts {
  of(request: Pick<ProviderRequest, 'secret' | 'signal'>): Promise<Account>;
  /** Loads the SDK; makes no call. */
  prepare(): Promise<void>;
}

export interface AccountLimits {
  /** Limit of one call. */
  callTimeoutSeconds: number;
}

/** Fails when an endpoint in the environment is not a URL; makes no call and loads no SDK. */
export function createAccounts(
  settings: DriverSettings,
  { callTimeoutSeconds }: AccountLimits,
): Accounts {
  const { env } = settings;
  const endpoint = endpointOf(env);
  const tokenEndpoint = urlOf(env, 'MILLWRIGHT_GCP_TOKEN_ENDPOINT');
  const clients = new ClientCache<SdkClient>();
  const sdk = once(async () => {
    const { createClientFactory } = await import('./sdk-client.ts');
    return await createClientFactory({ endpoint, tokenEndpoint, callTimeoutSeconds });
  });
  return {
    async of({ secret, signal }) {
      const credentials = credentialsOf(secret, env);
      requireAllowed(credentials, settings);
      const create = await sdk();
      const parts = ['gcp', JSON.stringify(credentials ?? 'ambient')];
      const client = clients.get(parts, () => create(credentials));
      const project =
        credentials?.project ?? (await ambientProject({ secret, env, client, signal }));
      return { compute: client.compute, project };
    },
    async prepare() {
      await sdk();
    },
  };
}

/** For all that ask; a load that failed is tried again by the next one. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return async () => {
    loaded ??= load();
    try {
      return await loaded;
    } catch (error) {
      loaded = undefined;
      throw error;
    }
  };
}

/** A token in the worker's file is the process's, whatever Secret asks for it. */
function requireAllowed(
  credentials: SecretCredentials | undefined,
  { allowsAmbientCredentials, allowsTokenFiles = false }: DriverSettings,
): void {
  if (allowsAmbientCredentials) return;
  if (!credentials) {
    const message = `the Secret of the MachineClass has no credentials: set ${keysMessage}, or allow those of the process with --ambient-credentials`;
    throw fault('unauthenticated', message);
  }
  if (allowsTokenFiles || !usesFile(credentials.account)) return;
  const message = `the Secret of the MachineClass has an external_account without the key token: set it; ${tokenFilesAreOff}`;
  throw fault('unauthenticated', message);
}

function usesFile(account: SecretCredentials['account']): account is ExternalAccount {
  return account.kind === 'externalAccount' && account.subjectToken === undefined;
}

interface AmbientProject {
  secret: ProviderRequest['secret'];
  env: Environment;
  client: SdkClient;
  signal: AbortSignal;
}

async function ambientProject({ secret, env, client, signal }: AmbientProject): Promise<string> {
  const named = secret['projectID']?.trim() || env['GOOGLE_CLOUD_PROJECT'];
  const project = named || (await client.project?.(signal));
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
