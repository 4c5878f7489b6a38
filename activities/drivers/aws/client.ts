/**
 * Clients of EC2, made of a Secret's credentials, the class's region, and the operator's endpoints.
 */
import type { EC2, EC2ClientConfig } from '@aws-sdk/client-ec2';
import { monotonicMs, timeoutSignal } from '../../system/system.ts';
import { ClientCache, isWorthRenewal } from '../client-cache.ts';
import { DriverError, type ProviderRequest } from '../driver.ts';
import type { DriverSettings, Environment } from '../settings.ts';
import { credentialsOf, type Credentials } from './credentials.ts';
import { ec2Calls, type Ec2 } from './ec2.ts';
import type * as providers from '@aws-sdk/credential-providers';
import { orAborted } from '../../system/or-aborted.ts';
import { parseProviderId } from './provider-id.ts';
import { refusal } from '../../schema/schema-check.ts';
import { fieldOf } from './spec-fields.ts';

export type AccountRequest = Pick<
  ProviderRequest,
  'cluster' | 'providerSpec' | 'secret' | 'signal'
> & { providerID?: string };

/** Calls for one request. Fails with a `DriverError` if the class or its Secret lead nowhere. */
export type Connect = (request: AccountRequest) => Promise<Ec2>;

export interface ConnectOptions {
  settings: DriverSettings;
  callTimeoutSeconds: number;
}

/** What is kept of one account. */
interface AccountState {
  /** Each has a client of its own. */
  generation: number;
  /** Milliseconds. */
  madeAt: number;
}

export function createConnect({ settings, callTimeoutSeconds }: ConnectOptions): Connect {
  const clients = new ClientCache<EC2>({ close: (client) => client.destroy() });
  const accounts = new ClientCache<AccountState>();
  const { env } = settings;
  // Credentials time out before the call does, so that the error names them and not EC2.
  const limitSeconds = callTimeoutSeconds / 3;
  return async ({ cluster, providerSpec, providerID, secret, signal }) => {
    const region = regionOf(providerSpec, providerID);
    const credentials = credentialsOf(secret, settings);
    const sessionName = sessionNameOf(cluster);
    const sdk = await loadSdk();
    const make = (): EC2 =>
      new sdk.EC2(configOf({ sdk, region, credentials, env, sessionName, limitSeconds }));
    const parts = [region, sessionName, JSON.stringify(credentials)];
    const account = accounts.get(parts, () => ({ generation: 0, madeAt: monotonicMs() }));
    const { generation } = account;
    // The client before is closed when calls that are under way with it are long over.
    const client = clients.get([...parts, String(generation)], make);
    const onRefused = (): void => renew(account, generation);
    return ec2Calls({ client, region, signal, callTimeoutSeconds, onRefused });
  };
}

/**
 * The SDK keeps what it has fetched until that expires, and what never expires, such as keys in a
 * file, for as long as there is its client.
 */
function renew(account: AccountState, generation: number): void {
  const now = monotonicMs();
  if (account.generation !== generation || !isWorthRenewal(now - account.madeAt)) return;
  account.generation += 1;
  account.madeAt = now;
}

/** STS takes 64 of these characters. CloudTrail shows which cluster used a shared role by it. */
function sessionNameOf(cluster: string): string {
  return `millwright-${cluster}`.replaceAll(/[^\w+=,.@-]/g, '-').slice(0, 64);
}

/** A tenth of a gigabyte and most of a second: only workers that see AWS pay for it. */
export async function loadSdk() {
  const [ec2, providers] = await Promise.all([
    import('@aws-sdk/client-ec2'),
    import('@aws-sdk/credential-providers'),
  ]);
  return { ...ec2, ...providers };
}

function configOf(parts: ProviderParts): EC2ClientConfig {
  const { region, env } = parts;
  const endpoint = env['AWS_ENDPOINT_URL_EC2'] || env['AWS_ENDPOINT_URL'];
  return {
    region,
    credentials: identityOf(parts),
    // Temporal retries: one call is one request, one metric.
    maxAttempts: 1,
    customUserAgent: 'millwright',
    requestHandler: httpOptionsOf(env),
    ...(endpoint && { endpoint }),
  };
}

/**
 * Credentials that are fetched: from STS, from the instance's metadata, from a program. Each fetch
 * has a limit.
 */
type ProviderSdk = Pick<typeof providers, 'fromTokenFile' | 'fromNodeProviderChain'>;
type Provider = ReturnType<ProviderSdk['fromNodeProviderChain']>;

interface ProviderParts {
  sdk: ProviderSdk;
  region: string;
  credentials: Credentials;
  env: Environment;
  /** CloudTrail shows it for calls that are made with a role. */
  sessionName: string;
  limitSeconds: number;
}

/**
 * Keys as they are; those of roles are fetched when they are needed, and again before they expire.
 */
function identityOf(parts: ProviderParts) {
  const { credentials, limitSeconds } = parts;
  if (credentials.kind === 'keys') {
    const { kind: _kind, ...keys } = credentials;
    return keys;
  }
  const fetched = credentials;
  return limited(() => providerOf(parts, fetched), limitSeconds);
}

function providerOf(
  { sdk, region, env, sessionName, limitSeconds }: ProviderParts,
  credentials: Exclude<Credentials, { kind: 'keys' }>,
): Provider {
  const clientConfig = stsConfigOf({ region, env, limitSeconds });
  // The SDK reads a file once for the whole process, and here it may have changed.
  const chain = { clientConfig, ignoreCache: true };
  if (credentials.kind === 'ambient') return sdk.fromNodeProviderChain(chain);
  const { tokenFile: webIdentityTokenFile, roleArn } = credentials;
  const roleSessionName = sessionName;
  return sdk.fromTokenFile({ webIdentityTokenFile, roleArn, roleSessionName, clientConfig });
}

/**
 * Its own limit is a little longer than ours, so that ours says what happened and this one closes
 * the connection.
 */
function stsConfigOf({ region, env, limitSeconds }: StsParts) {
  const endpoint = env['AWS_ENDPOINT_URL_STS'] || env['AWS_ENDPOINT_URL'];
  return {
    region,
    maxAttempts: 1,
    requestHandler: {
      ...httpOptionsOf(env),
      requestTimeout: Math.round(limitSeconds * 1_000) + 1_000,
      throwOnRequestTimeout: true,
    },
    ...(endpoint && { endpoint }),
  };
}

type StsParts = Pick<ProviderParts, 'region' | 'env' | 'limitSeconds'>;

/**
 * The SDK hands one fetch to all calls that wait for it, and so do some of its providers: one that
 * never ends would stop the account for good. After the limit the fetch has failed, and the next
 * one is begun by a new provider, which waits for nothing.
 */
function limited(make: () => Provider, limitSeconds: number): Provider {
  let provider = make();
  return async (properties) => {
    const asked = provider;
    const limit = timeoutSignal(Math.round(limitSeconds * 1_000));
    try {
      return await orAborted(asked(properties), limit);
    } catch (error) {
      if (!limit.aborted) throw error;
      if (provider === asked) provider = make();
      throw new CredentialsTimeout(limitSeconds);
    }
  };
}

/** Its name stands in the table of errors. */
class CredentialsTimeout extends Error {
  override readonly name = 'CredentialsTimeout';

  constructor(limitSeconds: number) {
    super(
      `no credentials within ${Number(limitSeconds.toFixed(1))} s: STS, or where else the worker has them from, does not answer`,
    );
  }
}

/**
 * Where to ask. An instance whose identity names another region than the class is asked for there.
 */
export function regionOf(providerSpec: unknown, providerID?: string): string {
  const region = fieldOf(providerSpec, 'region');
  const isName = typeof region === 'string' && isRegion(region);
  if (providerID !== undefined) {
    const { place } = parseProviderId(providerID);
    // A zone has the name of its region and more.
    return isName && place.startsWith(region) ? region : place;
  }
  if (isName) return region;
  const allowed = 'the name of a region, such as eu-west-1';
  const message = refusal('providerSpec.region', region, allowed);
  throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: false });
}

/** It becomes a part of a host's name. */
function isRegion(name: string): boolean {
  return /^[a-z0-9-]+$/.test(name);
}

/** More than the driver's queue runs at once: a call that hangs must not hold up another. */
const connectionsMax = 256;

const connectTimeoutMilliseconds = 10_000;

/** As most programs read them. Of two spellings Node takes the small one. */
const proxyVariables = [
  'HTTP_PROXY',
  'http_proxy',
  'HTTPS_PROXY',
  'https_proxy',
  'NO_PROXY',
  'no_proxy',
] as const;

/**
 * Options of the SDK's request handler. The SDK itself reads no proxy from the environment; Node's
 * agents do, from 24.5 on
 * (https://nodejs.org/docs/latest-v24.x/api/http.html#built-in-proxy-support).
 */
function httpOptionsOf(env: Environment) {
  const agent = { maxSockets: connectionsMax, keepAlive: true, proxyEnv: proxyOf(env) };
  return {
    connectionTimeout: connectTimeoutMilliseconds,
    httpAgent: agent,
    httpsAgent: agent,
  };
}

function proxyOf(env: Environment): Record<string, string> {
  const given = proxyVariables.flatMap((name) => {
    const value = env[name];
    if (!value) return [];
    // Go, and so Gardener's driver, takes `proxy.example:3128` as well; Node ignores it without a
    // word.
    const isWhole = name.toLowerCase() === 'no_proxy' || value.includes('://');
    return [[name, isWhole ? value : `http://${value}`]];
  });
  return Object.fromEntries(given);
}
