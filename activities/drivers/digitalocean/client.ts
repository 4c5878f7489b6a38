/** Calls of DigitalOcean's API, and a client for each token. */
import { ClientCache } from '../client-cache.ts';
import type { DriverError, ProviderRequest } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import { createRestClient, orAbsent, type RestClient } from '../frame/http.ts';
import type { DriverSettings } from '../settings.ts';
import { tokenOf } from './credentials.ts';
import { refusalIn } from './errors.ts';

export const title = 'DigitalOcean';

/** What is read of a droplet. */
export interface Droplet {
  id: number;
  name: string;
  status: string;
  created_at: string;
  tags: string[];
  locked?: boolean;
  networks?: {
    v4?: { ip_address: string; type: string }[];
    v6?: { ip_address: string; type: string }[];
  };
}

export interface DigitalOceanAccount {
  send: RestClient['send'];
  /** See `deleteWith` of the class; names of the API. */
  associated: readonly string[];
}

const endpoint = 'https://api.digitalocean.com';

/** From the class's words to those of the API. */
const associatedNames: Readonly<Record<string, readonly string[]>> = {
  // The API still gives reserved IPs under their old name as well.
  reservedIPs: ['reserved_ips', 'floating_ips'],
  snapshots: ['snapshots'],
  volumes: ['volumes'],
  volumeSnapshots: ['volume_snapshots'],
};

export function createAccounts(
  { env }: DriverSettings,
  callTimeoutSeconds: number,
): (request: ProviderRequest) => Promise<DigitalOceanAccount> {
  const clients = new ClientCache<RestClient>({ close: (client) => void client.close() });
  const url = new URL(env['MILLWRIGHT_DIGITALOCEAN_ENDPOINT'] ?? endpoint);
  return async ({ secret, providerSpec }) => {
    const token = tokenOf(secret);
    const headers = () => ({ authorization: `Bearer ${token}` });
    const requestIdHeader = 'x-request-id';
    const { send } = clients.get([token], () =>
      createRestClient({
        title,
        url,
        callTimeoutSeconds,
        headers,
        env,
        refusalIn,
        requestIdHeader,
      }),
    );
    const { deleteWith } = Object(providerSpec);
    const kinds: unknown[] = Array.isArray(deleteWith) ? deleteWith : [];
    return { send, associated: kinds.flatMap((kind) => associatedNames[String(kind)] ?? []) };
  };
}

/** What is something else is not DigitalOcean's answer. */
export function dropletIn(what: string, json: unknown): Droplet {
  const found: Droplet = Object(Object(json)['droplet']);
  if (typeof found.id === 'number' && Array.isArray(found.tags)) return found;
  throw stranger(what, 'it has no droplet');
}

const stranger = (what: string, why: string): DriverError =>
  fault('unknown', `${title}: ${what}: not an answer of this cloud, as ${why}`);

/** More droplets than an account has: a list with more pages does not end. */
const pagesMax = 100;

/** All pages. `query`: `name`, or `tag_name`, which the API takes one of. */
export async function listDroplets(
  { send }: DigitalOceanAccount,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Droplet[]> {
  const what = 'list droplets';
  const all: Droplet[] = [];
  for (let page = 1; page <= pagesMax; page += 1) {
    const search = new URLSearchParams({ ...query, per_page: '200', page: String(page) });
    const path = `/v2/droplets?${search.toString()}`;
    const { json } = await send({ what, method: 'GET', path, signal });
    const { droplets, links } = Object(json);
    if (!Array.isArray(droplets)) throw stranger(what, 'it has no droplets');
    all.push(...droplets);
    if (Object(Object(links)['pages'])['next'] === undefined) return all;
  }
  throw stranger(what, 'it does not end');
}

export async function readDroplet(
  { send }: DigitalOceanAccount,
  ref: string,
  signal: AbortSignal,
): Promise<Droplet | undefined> {
  const what = `get droplet ${ref}`;
  const answer = await orAbsent(send({ what, method: 'GET', path: `/v2/droplets/${ref}`, signal }));
  return answer && dropletIn(what, answer.json);
}

/** With what the class says of that which belongs to it. */
export async function deleteDroplet(
  { send, associated }: DigitalOceanAccount,
  { ref, name }: { ref: string; name: string },
  signal: AbortSignal,
): Promise<'going' | 'gone'> {
  const what = `delete droplet ${name}`;
  const path = `/v2/droplets/${ref}`;
  if (associated.length === 0) {
    return (await orAbsent(send({ what, method: 'DELETE', path, signal }))) ? 'going' : 'gone';
  }
  const all = `${path}/destroy_with_associated_resources`;
  const seen = await orAbsent(send({ what, method: 'GET', path: all, signal }));
  if (!seen) return 'gone';
  const body = Object.fromEntries(associated.map((kind) => [kind, idsIn(seen.json, kind)]));
  const call = { what, method: 'DELETE', path: `${all}/selective`, body, signal } as const;
  return (await orAbsent(send(call))) ? 'going' : 'gone';
}

function idsIn(json: unknown, kind: string): unknown[] {
  const things: unknown = Object(json)[kind];
  return Array.isArray(things) ? things.map((thing: unknown) => Object(thing)['id']) : [];
}
