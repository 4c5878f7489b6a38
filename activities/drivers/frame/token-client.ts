/** Clients of clouds with one token for all calls, which stands in the Secret, and their lists. */
import { ClientCache } from '../client-cache.ts';
import type { DriverError, ProviderRequest } from '../driver.ts';
import type { DriverSettings } from '../settings.ts';
import { fault } from './fault.ts';
import { createRestClient, type RestClient, type RestOptions } from './http.ts';
import type { RestDriverLimits } from './rest-driver.ts';

type OptionsOfCloud = 'title' | 'refusalIn' | 'requestIdHeader' | 'waitsForReset';

export interface TokenCloud extends Pick<RestOptions, OptionsOfCloud> {
  endpoint: string;
  /** Of the process: names another endpoint. */
  endpointVariable: string;
  /** Keys of the Secret that may hold the token; the first that is there counts. */
  tokenKeys: readonly string[];
}

/** One for each token. */
export function tokenClients(
  { endpoint, endpointVariable, tokenKeys, ...options }: TokenCloud,
  { env }: DriverSettings,
  { callTimeoutSeconds = 30 }: RestDriverLimits,
): (request: ProviderRequest) => RestClient {
  const clients = new ClientCache<RestClient>({ close: (client) => void client.close() });
  const url = new URL(env[endpointVariable] ?? endpoint);
  return ({ secret }) => {
    const token = tokenIn(secret, tokenKeys);
    const headers = () => ({ authorization: `Bearer ${token}` });
    return clients.get([token], () =>
      createRestClient({ ...options, url, callTimeoutSeconds, headers, env }),
    );
  };
}

/** A line break at its end is left out. */
function tokenIn(secret: Readonly<Record<string, string>>, keys: readonly string[]): string {
  const start = 'Secret of the MachineClass:';
  const token = keys.map((key) => secret[key]?.trim()).find((value) => value);
  if (!token) {
    throw fault('unauthenticated', `${start} ${keys.join(' or ')} is missing: put an API token in`);
  }
  // It becomes a header.
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw fault('unauthenticated', `${start} the token has characters that no token has`);
}

/** A success that has not the form of this cloud. */
export function stranger(start: string, why: string): DriverError {
  return fault('unknown', `${start}: not an answer of this cloud, as ${why}`);
}

/** More than any cloud gives: a list with more pages does not end. */
const pagesMax = 400;

/** All things of a list, from its page 1 on. `start`: of messages. */
export async function allPages<T>(
  start: string,
  pageOf: (page: number) => Promise<{ things: unknown; isLast: boolean }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; page <= pagesMax; page += 1) {
    const { things, isLast } = await pageOf(page);
    if (!Array.isArray(things)) throw stranger(start, 'it has no list');
    all.push(...things);
    if (isLast) return all;
  }
  throw stranger(start, 'the list does not end');
}
