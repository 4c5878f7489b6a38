/** OpenStack's services with the credentials of a class: Keystone's token leads to the others. */
import { nowMs } from '../../system/system.ts';
import { ClientCache, isWorthRenewal } from '../client-cache.ts';
import { DriverError, type ProviderRequest } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import {
  createRestClient,
  type RestAnswer,
  type RestCall,
  type RestClient,
} from '../frame/http.ts';
import { tagValue } from '../frame/tags.ts';
import type { DriverSettings } from '../settings.ts';
import { credentialsOf, type Credentials } from './credentials.ts';
import { refusalIn } from './errors.ts';
import { regionOf } from './spec.ts';
import { tagSpelling } from './tags.ts';

/** By the types under which catalogs have them, and the version that is added where none stands. */
const services = {
  // Server tags in the create came with 2.52, in 2017. Cinder refuses a header for others.
  compute: {
    types: ['compute'],
    version: 'v2.1',
    headers: { 'openstack-api-version': 'compute 2.52' },
  },
  network: { types: ['network'], version: 'v2.0', headers: {} },
  volume: { types: ['volumev3', 'block-storage', 'volume'], version: 'v3', headers: {} },
  image: { types: ['image'], version: 'v2', headers: {} },
} as const;

export type Service = keyof typeof services;

export interface Account {
  region: string;
  /** The value of its tag. */
  cluster: string;
  send: (service: Service, call: RestCall) => Promise<RestAnswer>;
  /** False: the region has no such service. */
  has: (service: Service, signal: AbortSignal) => Promise<boolean>;
}

export type AccountOf = (request: ProviderRequest) => Account;

export function createAccounts({ env }: DriverSettings, callTimeoutSeconds: number): AccountOf {
  const name = 'MILLWRIGHT_OPENSTACK_ENDPOINT';
  const endpoint = env[name] ? URL.parse(env[name]) : undefined;
  if (endpoint === null || (endpoint && !/^https?:$/.test(endpoint.protocol))) {
    throw new Error(
      `${name}: "${env[name]}" is not a URL of the form https://openstack.example.com`,
    );
  }
  const sessions = new ClientCache<Session>({ close: (session) => session.close() });
  const clientFor = ({ url: keystone, tls }: Credentials, url: URL): RestClient =>
    createRestClient({
      title: 'OpenStack',
      // In place of scheme, host and port of every URL, in Secret and catalog.
      url: new URL(`${(endpoint ?? url).origin}${url.pathname}`),
      callTimeoutSeconds,
      headers: () => ({}),
      tls,
      env,
      refusalIn,
      // A token is no change of anything, though it is sent for with POST.
      ...(url !== keystone && { requestIdHeader: 'x-openstack-request-id' }),
    });
  return ({ secret, providerSpec, cluster }) => {
    const credentials = credentialsOf(secret);
    const session = sessions.get(['openstack', JSON.stringify(credentials)], () =>
      sessionOf(credentials, (url) => clientFor(credentials, url)),
    );
    const region = regionOf(providerSpec);
    return {
      region,
      cluster: tagValue(cluster, tagSpelling),
      send: (service, call) => session.send({ service, region, call }),
      has: (service, signal) => session.has(service, region, signal),
    };
  };
}

interface Ask {
  service: Service;
  region: string;
  call: RestCall;
}

interface Session {
  send: (ask: Ask) => Promise<RestAnswer>;
  has: (service: Service, region: string, signal: AbortSignal) => Promise<boolean>;
  close: () => void;
}

interface Token {
  id: string;
  catalog: readonly unknown[];
  madeAt: number;
  expiresAt: number;
}

/** A token is not used in the last minutes of its life: a call of a service makes others. */
const spareMilliseconds = 300_000;

function sessionOf({ url: keystone, auth }: Credentials, make: (url: URL) => RestClient): Session {
  const clients = new Map<string, RestClient>();
  const clientOf = (url: URL): RestClient => {
    const client = clients.get(url.href) ?? make(url);
    clients.set(url.href, client);
    return client;
  };
  let known: Token | undefined;
  const tokenFor = async (signal: AbortSignal): Promise<Token> => {
    if (known && known.expiresAt - spareMilliseconds > nowMs()) return known;
    const call = { what: 'get a token of Keystone', method: 'POST', path: '/auth/tokens' } as const;
    known = tokenIn(await clientOf(keystone).send({ ...call, body: { auth }, signal }));
    return known;
  };
  const sendWith = async (token: Token, ask: Ask): Promise<RestAnswer> => {
    const { service, region, call } = ask;
    const url = urlIn(token.catalog, service, region);
    if (!url) {
      const message = `Keystone's catalog has no service ${service} in region "${region}": correct providerSpec.spec.region`;
      throw fault('input', message, true);
    }
    const headers = { ...services[service].headers, 'x-auth-token': token.id };
    return await clientOf(url).send({ ...call, headers });
  };
  return {
    /** A service that refuses the token has done nothing: with a new one it is asked once more. */
    async send(ask) {
      const { signal } = ask.call;
      const token = await tokenFor(signal);
      try {
        return await sendWith(token, ask);
      } catch (error) {
        const isRefused = error instanceof DriverError && error.code === 'Unauthenticated';
        if (isRefused && known === token) known = undefined;
        if (!isRefused || !isWorthRenewal(nowMs() - token.madeAt)) throw error;
      }
      return await sendWith(await tokenFor(signal), ask);
    },
    has: async (service, region, signal) =>
      urlIn((await tokenFor(signal)).catalog, service, region) !== undefined,
    close: () => clients.forEach((client) => void client.close()),
  };
}

function tokenIn({ json, headers }: RestAnswer): Token {
  const { catalog, expires_at: expiry } = Object(Object(json)['token']);
  const id = headers['x-subject-token'];
  if (typeof id === 'string' && Array.isArray(catalog)) {
    return { id, catalog, madeAt: nowMs(), expiresAt: Date.parse(String(expiry)) };
  }
  throw fault('unknown', 'OpenStack: get a token of Keystone: the answer has none');
}

/** Of its public endpoint. Undefined: the catalog has none. */
function urlIn(catalog: readonly unknown[], service: Service, region: string): URL | undefined {
  const { types, version } = services[service];
  const [found] = types.flatMap((type) => {
    const entries = catalog.map(Object).filter((entry) => entry['type'] === type);
    return entries
      .flatMap((entry) => [entry['endpoints']].flat().map(Object))
      .filter((one) => one['interface'] === 'public' && one['region_id'] === region);
  });
  const url = URL.parse(String(found?.['url'])) ?? undefined;
  if (url && !/\/v\d/.test(url.pathname))
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${version}`;
  return url;
}

/** All items of a list, which services answer in pages. `key`: `servers`. */
export async function pagesOf(
  account: Account,
  service: Service,
  { key, ...call }: Pick<RestCall, 'what' | 'path' | 'signal'> & { key: string },
): Promise<unknown[]> {
  const items: unknown[] = [];
  let path: string | undefined = call.path;
  while (path !== undefined) {
    const answer: RestAnswer = await account.send(service, { ...call, method: 'GET', path });
    const page: Record<string, unknown> = Object(answer.json);
    const found = page[key];
    if (!Array.isArray(found)) {
      throw fault('unknown', `OpenStack: ${call.what}: the answer has no ${key}`);
    }
    items.push(...found);
    const next = [page[`${key}_links`]]
      .flat()
      .map(Object)
      .find(({ rel }) => rel === 'next');
    const query = URL.parse(String(next?.['href']))?.search;
    path = query && found.length > 0 ? `${call.path.split('?')[0]}${query}` : undefined;
  }
  return items;
}
