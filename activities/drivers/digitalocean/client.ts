/** Calls of DigitalOcean's API, and a client for each token. */
import type { ProviderRequest } from '../driver.ts';
import { orAbsent, type RestClient } from '../frame/http.ts';
import type { RestDriverLimits } from '../frame/rest-driver.ts';
import { allPages, stranger, tokenClients } from '../frame/token-client.ts';
import type { TokenCloud } from '../frame/token-client.ts';
import type { DriverSettings } from '../settings.ts';
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

const tokenCloud: TokenCloud = {
  title,
  refusalIn,
  endpoint: 'https://api.digitalocean.com',
  endpointVariable: 'MILLWRIGHT_DIGITALOCEAN_ENDPOINT',
  tokenKeys: ['token'],
  requestIdHeader: 'x-request-id',
};

/** From the class's words to those of the API. */
const associatedNames: Readonly<Record<string, readonly string[]>> = {
  // The API still gives reserved IPs under their old name as well.
  reservedIPs: ['reserved_ips', 'floating_ips'],
  snapshots: ['snapshots'],
  volumes: ['volumes'],
  volumeSnapshots: ['volume_snapshots'],
};

export function createAccounts(
  settings: DriverSettings,
  limits: RestDriverLimits,
): (request: ProviderRequest) => Promise<DigitalOceanAccount> {
  const clients = tokenClients(tokenCloud, settings, limits);
  return async (request) => {
    const { send } = clients(request);
    const { deleteWith } = Object(request.providerSpec);
    const kinds: unknown[] = Array.isArray(deleteWith) ? deleteWith : [];
    return { send, associated: kinds.flatMap((kind) => associatedNames[String(kind)] ?? []) };
  };
}

/** What is something else is not DigitalOcean's answer. */
export function dropletIn(what: string, json: unknown): Droplet {
  const found: Droplet = Object(Object(json)['droplet']);
  if (typeof found.id === 'number' && Array.isArray(found.tags)) return found;
  throw stranger(`${title}: ${what}`, 'it has no droplet');
}

/** All pages. `query`: `name`, or `tag_name`, which the API takes one of. */
export async function listDroplets(
  { send }: DigitalOceanAccount,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Droplet[]> {
  const what = 'list droplets';
  return await allPages<Droplet>(`${title}: ${what}`, async (page) => {
    const search = new URLSearchParams({ ...query, per_page: '200', page: String(page) });
    const path = `/v2/droplets?${search.toString()}`;
    const answer = await send({ what, method: 'GET', path, signal });
    const { droplets, links } = Object(answer.json);
    return { things: droplets, isLast: Object(Object(links)['pages'])['next'] === undefined };
  });
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
