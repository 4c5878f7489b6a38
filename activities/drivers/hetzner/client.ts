/** Calls of Hetzner's API. */
import { orAbsent, type RestAnswer, type RestClient } from '../frame/http.ts';
import { allPages, stranger, type TokenCloud } from '../frame/token-client.ts';
import { refusalIn, type FailedAction } from './errors.ts';

export const title = 'Hetzner Cloud';

export const tokenCloud: TokenCloud = {
  title,
  refusalIn,
  endpoint: 'https://api.hetzner.cloud/v1',
  endpointVariable: 'MILLWRIGHT_HCLOUD_ENDPOINT',
  // As MCM's driver reads it, and as Gardener's extension calls it.
  tokenKeys: ['token', 'hcloudToken'],
  requestIdHeader: 'x-correlation-id',
  // A call is given back each second; the reset is when all of an hour's are.
  waitsForReset: false,
};

interface Labelled {
  id: number;
  name: string;
  created: string;
  labels: Readonly<Record<string, string>>;
}

/** What is read of a server. */
export interface HetznerServer extends Labelled {
  status: string;
  /** An action is under way. */
  locked?: boolean;
  location?: { name: string };
  public_net?: { ipv4?: Address; ipv6?: Address; floating_ips?: number[] };
  private_net?: { ip: string }[];
}

type Address = { ip: string } | null;

export interface FloatingIp extends Labelled {
  server: number | null;
}

export interface Action extends FailedAction {
  id: number;
  status: string;
  progress: number;
  started: string;
  finished: string | null;
}

interface Things {
  server: HetznerServer;
  floating_ip: FloatingIp;
  action: Action;
}

/** What is something else is not Hetzner's answer. */
export function thingIn<Kind extends keyof Things>(
  { json }: RestAnswer,
  kind: Kind,
  what: string,
): Things[Kind] {
  const found: Things[Kind] = Object(Object(json)[kind]);
  if (typeof found.id === 'number') return found;
  throw stranger(`${title}: ${what}`, `it has no ${kind}`);
}

export async function readThing<Kind extends keyof Things>(
  { send }: RestClient,
  { kind, ref, signal }: { kind: Kind; ref: string; signal: AbortSignal },
): Promise<Things[Kind] | undefined> {
  const what = `get ${kind} ${ref}`;
  const answer = await orAbsent(send({ what, method: 'GET', path: `/${kind}s/${ref}`, signal }));
  return answer && thingIn(answer, kind, what);
}

/** `queries`: each a `name`, `fingerprint` or `label_selector`; what several find is there once. */
export async function listThings<T extends { id: number }>(
  { send }: RestClient,
  { of, queries }: { of: string; queries: readonly Readonly<Record<string, string>>[] },
  signal: AbortSignal,
): Promise<T[]> {
  const what = `list ${of}`;
  const lists = queries.map(async (query) => {
    return await allPages<T>(`${title}: ${what}`, async (page) => {
      const search = new URLSearchParams({ ...query, per_page: '50', page: String(page) });
      const path = `/${of}?${search.toString()}`;
      const { json } = await send({ what, method: 'GET', path, signal });
      const { [of]: things, meta } = Object(json);
      return { things, isLast: !Object(Object(meta)['pagination'])['next_page'] };
    });
  });
  return [...new Map((await Promise.all(lists)).flat().map((one) => [one.id, one])).values()];
}
