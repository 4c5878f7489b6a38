/** Calls of Hetzner's API, and a client for each token. */
import { ClientCache } from '../client-cache.ts';
import type { DriverError, ProviderRequest } from '../driver.ts';
import {
  createRestClient,
  type RestAnswer,
  type RestCall,
  type RestClient,
} from '../frame/http.ts';
import { fault } from '../frame/fault.ts';
import type { DriverSettings } from '../settings.ts';
import { tokenOf } from './credentials.ts';
import { refusalIn } from './errors.ts';

export const title = 'Hetzner Cloud';

type Labels = Readonly<Record<string, string>>;

/** What is read of a server. */
export interface HetznerServer {
  id: number;
  name: string;
  status: string;
  created: string;
  labels: Labels;
  /** An action is under way. */
  locked?: boolean;
  location?: { name: string };
  protection?: { delete?: boolean };
  public_net?: {
    ipv4?: { ip: string } | null;
    ipv6?: { ip: string } | null;
    floating_ips?: number[];
  };
  private_net?: { ip: string }[];
}

export interface FloatingIp {
  id: number;
  name: string;
  created: string;
  labels: Labels;
  server: number | null;
  protection?: { delete?: boolean };
}

export interface Action {
  id: number;
  command: string;
  status: string;
  progress: number;
  started: string;
  finished: string | null;
  error: { code: string; message: string } | null;
}

export interface Hetzner {
  send: RestClient['send'];
}

const endpoint = 'https://api.hetzner.cloud/v1';

export function createAccounts(
  { env }: DriverSettings,
  callTimeoutSeconds: number,
): (request: ProviderRequest) => Promise<Hetzner> {
  const clients = new ClientCache<RestClient>({ close: (client) => void client.close() });
  const url = new URL(env['MILLWRIGHT_HCLOUD_ENDPOINT'] ?? endpoint);
  return async ({ secret }) => {
    const token = tokenOf(secret);
    const headers = () => ({ authorization: `Bearer ${token}` });
    return clients.get([token], () =>
      createRestClient({
        title,
        url,
        callTimeoutSeconds,
        headers,
        env,
        refusalIn,
        requestIdHeader: 'x-correlation-id',
        // A call is given back each second; the reset is when all of an hour's are.
        waitsForReset: false,
      }),
    );
  };
}

/** The object under `key`; what is something else is not Hetzner's answer. */
export function objectIn(what: string, { json }: RestAnswer, key: 'server'): HetznerServer;
export function objectIn(what: string, { json }: RestAnswer, key: 'action'): Action;
export function objectIn(what: string, { json }: RestAnswer, key: 'floating_ip'): FloatingIp;
export function objectIn(what: string, { json }: RestAnswer, key: string): object {
  const found: { id?: unknown } = Object(Object(json)[key]);
  if (typeof found.id === 'number') return found;
  throw stranger(what, `it has no ${key}`);
}

const stranger = (what: string, why: string): DriverError =>
  fault('unknown', `${title}: ${what}: not an answer of this cloud, as ${why}`);

/** 500 things a call are more than the API gives: a list with more pages does not end. */
const pagesMax = 400;

/** All pages. `query`: `name`, `label_selector`. */
export async function listAll<T extends { id: number }>(
  { send }: Hetzner,
  { collection, query }: { collection: string; query: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<T[]> {
  const what = `list ${collection}`;
  const all: T[] = [];
  let page: unknown = 1;
  for (let count = 0; count < pagesMax; count += 1) {
    const search = new URLSearchParams({ ...query, per_page: '50', page: String(page) });
    const path = `/${collection}?${search.toString()}`;
    const { json } = await send({ what, method: 'GET', path, signal });
    const { [collection]: things, meta } = Object(json);
    if (!Array.isArray(things)) throw stranger(what, `it has no ${collection}`);
    all.push(...things);
    page = Object(Object(meta)['pagination'])['next_page'];
    if (page === null || page === undefined) return all;
  }
  throw stranger(what, 'it does not end');
}

export async function actionOf({ send }: Hetzner, call: RestCall): Promise<Action> {
  return objectIn(call.what, await send(call), 'action');
}
