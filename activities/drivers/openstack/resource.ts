/** Servers, ports and volumes: services answer for all of them in one form. */
import type { CloudTypes, Resource } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { orAbsent, type RestAnswer } from '../frame/http.ts';
import { pagesOf, type Account, type Service } from './client.ts';
import { metadataOf } from './spec.ts';
import { tagsIn } from './tags.ts';

export interface StackResource extends Resource {
  status: string;
  /** The rest, as the service has it. */
  raw: Readonly<Record<string, unknown>>;
}

/** What is sent; ids of what the class names are found when it is. */
export interface Content {
  body: Readonly<Record<string, unknown>>;
  /** Of the image, where the class gives no id; likewise the others. */
  imageName?: string;
  flavorName?: string;
  networkName?: string;
  securityGroups?: string[];
  /** Of a port, which takes them in a call of their own. */
  tags?: string[];
}

export interface OpenStackCloud extends CloudTypes {
  account: Account;
  thing: StackResource;
  content: Content;
}

export function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function resourceOf(raw: unknown): StackResource {
  const it: Record<string, unknown> = Object(raw);
  const name = String(it['name']);
  const created = textOf(it['created'] ?? it['created_at']);
  // Cinder leaves out the zone, which is UTC.
  const createdAt = Date.parse(/\d$/.test(created) ? `${created}Z` : created);
  return {
    ref: String(it['id']),
    name,
    machineName: name.replace(/_\d+$/, ''),
    tags: {
      ...metadataOf(it['metadata']),
      ...tagsIn([...textsIn(it['tags']), ...textOf(it['description']).split(' ')]),
    },
    status: String(it['status']),
    raw: it,
    ...(Number.isFinite(createdAt) && { createdAt }),
  };
}

interface Change {
  ref: string;
  method: 'POST' | 'PUT';
  /** Below the thing's own path: `/tags`. */
  at: string;
  body: object;
  signal: AbortSignal;
}

/** Calls for one kind of thing. What is not there is undefined when it is read. */
export function callsOf(kind: 'server' | 'port' | 'volume' | 'floatingip', service: Service) {
  const path = `/${kind}s`;
  return {
    async read(
      account: Account,
      ref: string,
      signal: AbortSignal,
    ): Promise<StackResource | undefined> {
      const call = { what: `read ${kind} ${ref}`, method: 'GET', path: `${path}/${ref}` } as const;
      const answer = await orAbsent(account.send(service, { ...call, signal }));
      return answer && resourceOf(Object(answer.json)[kind]);
    },
    async all(account: Account, query: string, signal: AbortSignal): Promise<StackResource[]> {
      const call = { what: `list ${kind}s`, path: `${path}${query}`, key: `${kind}s`, signal };
      return (await pagesOf(account, service, call)).map(resourceOf);
    },
    async create(account: Account, body: object, signal: AbortSignal): Promise<unknown> {
      const { name } = Object(Object(body)[kind]);
      const call = { what: `create ${kind} ${name}`, method: 'POST', path, body } as const;
      const answer = await account.send(service, { ...call, signal, isCreate: true });
      return Object(answer.json)[kind];
    },
    async change(account: Account, { ref, at, ...call }: Change): Promise<RestAnswer> {
      const what = `change ${kind} ${ref}`;
      return await account.send(service, { ...call, what, path: `${path}/${ref}${at}` });
    },
    async remove(account: Account, ref: string, signal: AbortSignal): Promise<void> {
      const call = {
        what: `delete ${kind} ${ref}`,
        method: 'DELETE',
        path: `${path}/${ref}`,
      } as const;
      await orAbsent(account.send(service, { ...call, signal }));
    },
  };
}

const named = {
  flavor: { service: 'compute', key: 'flavors', path: '/flavors' },
  image: { service: 'image', key: 'images', path: '/images' },
  network: { service: 'network', key: 'networks', path: '/networks' },
  'security group': { service: 'network', key: 'security_groups', path: '/security-groups' },
} as const;

/** The id of the only thing of this name. */
export async function idOf(
  account: Account,
  kind: keyof typeof named,
  { name, signal }: { name: string; signal: AbortSignal },
): Promise<string> {
  const { service, key, path: start } = named[kind];
  // Nova has no such filter.
  const path = kind === 'flavor' ? start : `${start}?name=${encodeURIComponent(name)}`;
  const what = `search for ${kind} "${name}"`;
  const items = await pagesOf(account, service, { what, path, key, signal });
  const [found, ...others] = items.map(Object).filter((item) => item['name'] === name);
  if (others.length > 0) {
    throw fault('input', `Invalid value: OpenStack: several ${kind}s are called "${name}"`, true);
  }
  if (found) return String(found['id']);
  // As with Gardener's driver, so that the autoscaler turns to another pool.
  const meaning = kind === 'flavor' ? 'capacity' : 'input';
  throw fault(meaning, `OpenStack: there is no ${kind} "${name}" in ${account.region}`, true);
}

export async function imageOf(
  account: Account,
  { imageName: name }: Content,
  signal: AbortSignal,
): Promise<{ imageRef?: string }> {
  return name === undefined ? {} : { imageRef: await idOf(account, 'image', { name, signal }) };
}
