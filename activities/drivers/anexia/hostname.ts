/**
 * Anexia takes no tags with a machine, so its name says whose it is: that of the Machine and a
 * digest each of control cluster, namespace, UID and token.
 */
import { tagsFor } from '../frame/tags.ts';
import type { TagSpelling } from '../frame/cloud.ts';
import type { CreateRequest, MachineRequest } from '../driver.ts';

const digits = 5;

export const tags: TagSpelling = {
  word: 'tag',
  names: { cluster: 'cluster', namespace: 'namespace', machineUid: 'machine-uid', token: 'token' },
  // All are digests, so that the name says nothing that is not needed.
  allowed: /^(?!)/,
  digestPrefix: '',
  digestLength: digits,
};

const order = [
  tags.names.cluster,
  tags.names.namespace,
  tags.names.machineUid,
  tags.names.token,
] as const;

/** Of a host name, with the dash and the digests. */
const longest = 63;
const longestName = longest - 1 - order.length * digits;

export function hostnameOf({ cluster, machine, token }: MachineRequest): string {
  const all = tagsFor({}, { cluster, machine, token }, tags);
  return `${machine.name}-${order.map((name) => all[name]).join('')}`;
}

/** Finds what any cluster has under the Machine's name, and more. */
export const patternOf = (name: string): string => `%-${name}-%`;

export interface Name {
  /** Of the Machine. */
  machineName: string;
  tags: Record<string, string>;
}

const form = new RegExp(`^(.+)-([0-9a-f]{${order.length * digits}})$`);

/**
 * `given`: as the cloud shows it, PREFIX-HOSTNAME, with the customer's prefix, which has no dash.
 * Undefined where it is none of ours.
 */
export function nameIn(given: string): Name | undefined {
  const [, name, digests] = form.exec(given.slice(given.indexOf('-') + 1)) ?? [];
  if (name === undefined || digests === undefined) return undefined;
  const values = order.map((tag, index): [string, string] => [
    tag,
    digests.slice(index * digits, (index + 1) * digits),
  ]);
  return { machineName: name, tags: Object.fromEntries(values) };
}

export function hostnameFaults({ machine: { name } }: CreateRequest): string[] {
  if (name.length <= longestName && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) return [];
  return [
    `metadata.name: "${name}" cannot be the name of a machine at Anexia: up to ${longestName} lower-case letters, digits and dashes`,
  ];
}
