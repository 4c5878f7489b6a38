/**
 * For clouds that take no tags with an instance: its name says whose it is. It is that of the
 * Machine and a digest each of control cluster, namespace, UID and token.
 */
import { tagsFor } from './tags.ts';
import type { TagSpelling } from './cloud.ts';
import type { CreateRequest, MachineRequest } from '../driver.ts';

const digits = 5;

export const nameTags: TagSpelling = {
  word: 'tag',
  names: { cluster: 'cluster', namespace: 'namespace', machineUid: 'machine-uid', token: 'token' },
  // All are digests, so that the name says nothing that is not needed.
  allowed: /^(?!)/,
  digestPrefix: '',
  digestLength: digits,
};

const order = [
  nameTags.names.cluster,
  nameTags.names.namespace,
  nameTags.names.machineUid,
  nameTags.names.token,
] as const;

/** Of a host name, with the dash and the digests. */
const longest = 63;
const longestName = longest - 1 - order.length * digits;

export function hostNameOf({ cluster, machine, token }: MachineRequest): string {
  const all = tagsFor({}, { cluster, machine, token }, nameTags);
  return `${machine.name}-${order.map((name) => all[name]).join('')}`;
}

export interface TaggedName {
  /** Of the Machine. */
  machineName: string;
  tags: Record<string, string>;
}

const form = new RegExp(`^(.+)-([0-9a-f]{${order.length * digits}})$`);

/** Undefined where it is none of ours. */
export function taggedNameIn(hostname: string): TaggedName | undefined {
  const [, name, digests] = form.exec(hostname) ?? [];
  if (name === undefined || digests === undefined) return undefined;
  const values = order.map((tag, index): [string, string] => [
    tag,
    digests.slice(index * digits, (index + 1) * digits),
  ]);
  return { machineName: name, tags: Object.fromEntries(values) };
}

export function hostNameFaults({ machine: { name } }: CreateRequest): string[] {
  if (name.length <= longestName && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) return [];
  return [
    `metadata.name: "${name}" cannot be the name of an instance here: up to ${longestName} lower-case letters, digits and dashes`,
  ];
}
