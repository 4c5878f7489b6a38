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
import type { DriverSettings, Environment } from '../settings.ts';
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

export interface Accounts {
  of: (request: ProviderRequest) => Account;
}

export function createAccounts({ env }: DriverSettings, callTimeoutSeconds: number): Accounts {
  const endpoint = endpointOf(env);
  const sessions = new ClientCache<Session>({ close: (session) => session.close() });
  return {
    of({ secret, providerSpec, cluster }) {
      const credentials = credentialsOf(secret);
      const parts = ['openstack', JSON.stringify(credentials)];
      const make = (): Session => new Session(credentials, { env, endpoint, callTimeoutSeconds });
      const session = sessions.get(parts, make);
      const region = regionOf(providerSpec);
      return {
        region,
        cluster: tagValue(cluster, tagSpelling),
        send: (service, call) => session.send(service, region, call),
        has: async (service, signal) =>
          (await session.urlOf(service, region, signal)) !== undefined,
      };
    },
  };
}

/** Takes the place of scheme, host and port of every URL, in Secret and catalog. */
function endpointOf(env: Environment): URL | undefined {
  const name = 'MILLWRIGHT_OPENSTACK_ENDPOINT';
  const text = env[name];
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error(`${name}: "${text}" is not a URL of the form https://openstack.example.com`);
}

interface SessionOptions {
  env: Environment;
  endpoint: URL | undefined;
  callTimeoutSeconds: number;
}

interface Token {
  id: string;
  catalog: readonly unknown[];
  madeAt: number;
  expiresAt: number;
}

/** A token is not used in the last minutes of its life: a call of a service makes others. */
const spareMilliseconds = 300_000;

class Session {
  readonly #credentials: Credentials;
  readonly #options: SessionOptions;
  readonly #clients = new Map<string, RestClient>();
  #token: Token | undefined;

  constructor(credentials: Credentials, options: SessionOptions) {
    this.#credentials = credentials;
    this.#options = options;
    if (credentials.tls.rejectUnauthorized === false) {
      process.emitWarning(
        `the certificates of ${credentials.url.host} are NOT checked, as the Secret of a MachineClass says insecure: "true": whoever stands in between reads its credentials`,
      );
    }
  }

  close(): void {
    for (const client of this.#clients.values()) void client.close();
  }

  /** A service that refuses the token has done nothing: with a new one it is asked once more. */
  async send(service: Service, region: string, call: RestCall): Promise<RestAnswer> {
    const token = await this.#tokenFor(call.signal);
    try {
      return await this.#sendWith(token, { service, region, call });
    } catch (error) {
      const isRefused = error instanceof DriverError && error.code === 'Unauthenticated';
      if (isRefused && this.#token === token) this.#token = undefined;
      if (!isRefused || !isWorthRenewal(nowMs() - token.madeAt)) throw error;
    }
    return await this.#sendWith(await this.#tokenFor(call.signal), { service, region, call });
  }

  async #sendWith(
    token: Token,
    { service, region, call }: { service: Service; region: string; call: RestCall },
  ): Promise<RestAnswer> {
    const url = urlIn(token.catalog, service, region);
    if (!url) {
      const message = `Keystone's catalog has no service ${service} in region "${region}": correct providerSpec.spec.region`;
      throw fault('input', message, true);
    }
    const headers = { ...services[service].headers, 'x-auth-token': token.id };
    return await this.#clientOf(url).send({ ...call, headers });
  }

  async urlOf(service: Service, region: string, signal: AbortSignal): Promise<URL | undefined> {
    return urlIn((await this.#tokenFor(signal)).catalog, service, region);
  }

  #clientOf(given: URL): RestClient {
    const { env, endpoint, callTimeoutSeconds } = this.#options;
    const url = new URL(`${(endpoint ?? given).origin}${given.pathname}`);
    const known = this.#clients.get(url.href);
    if (known) return known;
    const { tls } = this.#credentials;
    const client = createRestClient({
      title: tls.rejectUnauthorized === false ? 'OpenStack (insecure)' : 'OpenStack',
      url,
      callTimeoutSeconds,
      headers: () => ({}),
      tls,
      env,
      refusalIn,
      requestIdHeader: 'x-openstack-request-id',
    });
    this.#clients.set(url.href, client);
    return client;
  }

  async #tokenFor(signal: AbortSignal): Promise<Token> {
    if (this.#token && this.#token.expiresAt - spareMilliseconds > nowMs()) return this.#token;
    const { url, auth } = this.#credentials;
    const answer = await this.#clientOf(url).send({
      what: 'get a token of Keystone',
      method: 'POST',
      path: '/auth/tokens',
      body: { auth },
      signal,
    });
    const { token } = Object(answer.json);
    const { catalog, expires_at: expiry } = Object(token);
    const id = answer.headers['x-subject-token'];
    if (typeof id !== 'string' || !Array.isArray(catalog)) {
      throw fault('unknown', 'OpenStack: get a token of Keystone: the answer has none');
    }
    const madeAt = nowMs();
    this.#token = { id, catalog, madeAt, expiresAt: Date.parse(String(expiry)) };
    return this.#token;
  }
}

interface CatalogEntry {
  type?: unknown;
  endpoints?: unknown;
}

/** Of its public endpoint. Undefined: the catalog has none. */
function urlIn(catalog: readonly unknown[], service: Service, region: string): URL | undefined {
  const { types, version } = services[service];
  for (const type of types) {
    const entries = catalog.map((entry): CatalogEntry => Object(entry));
    const endpoints = entries.flatMap((entry): unknown[] =>
      entry.type === type && Array.isArray(entry.endpoints) ? entry.endpoints : [],
    );
    const found = endpoints.map(Object).find((endpoint) => {
      const isInRegion = endpoint['region_id'] === region || endpoint['region'] === region;
      return endpoint['interface'] === 'public' && isInRegion;
    });
    const url = URL.parse(String(found?.['url'] ?? ''));
    if (!url) continue;
    if (!/\/v\d/.test(url.pathname)) {
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/${version}`;
    }
    return url;
  }
  return undefined;
}

/** All items of a list, which services answer in pages. `key`: `servers`. */
export async function pagesOf(
  account: Account,
  service: Service,
  { key, ...call }: Pick<RestCall, 'what' | 'path' | 'signal'> & { key: string },
): Promise<unknown[]> {
  const items: unknown[] = [];
  const [start] = call.path.split('?');
  let path: string | undefined = call.path;
  while (path !== undefined) {
    const answer: RestAnswer = await account.send(service, { ...call, method: 'GET', path });
    const page: Record<string, unknown> = Object(answer.json);
    const found = page[key];
    if (!Array.isArray(found)) {
      throw fault('unknown', `OpenStack: ${call.what}: the answer has no ${key}`);
    }
    items.push(...found);
    const links: unknown[] = Array.isArray(page[`${key}_links`])
      ? [page[`${key}_links`]].flat()
      : [];
    const next = links.map(Object).find(({ rel }) => rel === 'next');
    const query = URL.parse(String(next?.['href'] ?? ''))?.search;
    path = query && found.length > 0 ? `${start}${query}` : undefined;
  }
  return items;
}
