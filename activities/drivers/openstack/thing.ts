/** What the frame reads of servers, ports and volumes, and what their parts have in common. */
import type { CreateRequest } from '../driver.ts';
import type { CloudTypes, Resource } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { tagsFor } from '../frame/tags.ts';
import { pagesOf, type Account, type Service } from './client.ts';
import type { MachineSpec } from './provider-spec.ts';
import { metadataOf } from './spec.ts';
import { tagSpelling } from './tags.ts';

export interface Thing extends Resource {
  status: string;
  /** The rest, as the service has it. */
  raw: Readonly<Record<string, unknown>>;
}

/** What is sent; ids of what the class names are looked up when it is. */
export interface Content {
  /** Of the image, where the class gives no id; likewise the others. */
  imageName?: string;
  flavorName?: string;
  networkName?: string;
  securityGroups?: string[];
  /** Of a port, which takes them in a call of their own. */
  tags?: string[];
  body: Readonly<Record<string, unknown>>;
}

export interface OpenStackCloud extends CloudTypes {
  account: Account;
  thing: Thing;
  content: Content;
}

export function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function timeOf(text: unknown): number | undefined {
  // Cinder leaves out the zone, which is UTC.
  const zoned = typeof text === 'string' && /\d$/.test(text) ? `${text}Z` : String(text);
  const time = Date.parse(zoned);
  return Number.isNaN(time) ? undefined : time;
}

/** Of a server and of a volume. */
export function allTagsOf(spec: MachineSpec, request: CreateRequest): Record<string, string> {
  return tagsFor(metadataOf(spec.tags), request, tagSpelling);
}

export interface Lookup {
  service: Service;
  /** In the answer: `flavors`. */
  key: string;
  path: string;
  /** In messages. */
  kind: string;
  name: string;
  signal: AbortSignal;
}

/** The id of the only thing of this name. */
export async function idByName(account: Account, lookup: Lookup): Promise<string> {
  const { service, key, path, kind, name, signal } = lookup;
  const what = `look for ${kind} "${name}"`;
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
  if (name === undefined) return {};
  const path = `/images?name=${encodeURIComponent(name)}`;
  const lookup: Lookup = { service: 'image', key: 'images', path, kind: 'image', name, signal };
  return { imageRef: await idByName(account, lookup) };
}
