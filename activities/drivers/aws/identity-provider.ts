/**
 * Credentials that are fetched: from STS, from the instance's metadata, from a program. Each fetch
 * has a limit.
 */
import type * as providers from '@aws-sdk/credential-providers';
import type { Environment } from '../settings.ts';
import type { Credentials } from './credentials.ts';
import { httpOptionsOf } from './http-options.ts';
import { orAborted } from '../../system/or-aborted.ts';
import { timeoutSignal } from '../../system/system.ts';

type ProviderSdk = Pick<typeof providers, 'fromTokenFile' | 'fromNodeProviderChain'>;
type Provider = ReturnType<ProviderSdk['fromNodeProviderChain']>;

export interface ProviderParts {
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
export function identityOf(parts: ProviderParts) {
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
