/** Whose an instance is, as its labels say. */
import { createHash } from 'node:crypto';
import { haveSameSearchTags } from './tags.ts';

/**
 * Google's labels allow neither dots nor slashes: these are `millwright.dev/cluster` and so on in
 * other spelling.
 */
export const labelNames = {
  cluster: 'millwright-cluster',
  namespace: 'millwright-namespace',
  machineUid: 'millwright-machine-uid',
  token: 'millwright-token',
} as const;

export interface Owner {
  /** UID of the control cluster. */
  cluster: string;
  namespace: string;
}

/** What of an instance says whose it is. */
export interface Identified {
  labels: Readonly<Record<string, string>>;
  tags: readonly string[];
}

/**
 * Upper case, dots and more than 63 characters are not allowed in a label; such a text is known by
 * its digest.
 */
export function labelValueOf(text: string): string {
  if (/^[a-z0-9_-]{1,63}$/.test(text)) return text;
  return `sha256_${createHash('sha256').update(text).digest('hex').slice(0, 48)}`;
}

/** Undefined when the label holds a digest: the token cannot be read from it. */
export function tokenOf({ labels }: Identified): string | undefined {
  const value = labels[labelNames.token];
  return value?.startsWith('sha256_') ? undefined : value;
}

function ownerLabels({ cluster, namespace }: Owner): Record<string, string> {
  return {
    [labelNames.cluster]: labelValueOf(cluster),
    [labelNames.namespace]: labelValueOf(namespace),
  };
}

export interface Made extends Pick<Owner, 'cluster'> {
  machine: { namespace: string; uid: string };
  token: string;
}

type Labels = Readonly<Record<string, string>>;

/** Of one instance. */
const labelCountMax = 64;

/** A class may have so many. */
export const classLabelsMax = labelCountMax - 3;

/** Those of the class and ours; where they are many without the UID, which the token holds. */
export function labelsFor(classLabels: Labels, { cluster, machine, token }: Made): Labels {
  const needed = {
    ...classLabels,
    ...ownerLabels({ cluster, namespace: machine.namespace }),
    [labelNames.token]: labelValueOf(token),
  };
  const all = { ...needed, [labelNames.machineUid]: labelValueOf(machine.uid) };
  return Object.keys(all).length > labelCountMax ? needed : all;
}

export function hasToken({ labels }: Identified, token: string): boolean {
  return labels[labelNames.token] === labelValueOf(token);
}

/** Our labels decide; an instance without them was made by MCM, whose tags decide then. */
export function isOf(owner: Owner, instance: Identified, classTags: readonly string[]): boolean {
  const { labels, tags } = instance;
  const hasOurs = labels[labelNames.cluster] !== undefined;
  if (!hasOurs) return haveSameSearchTags(tags, classTags);
  return Object.entries(ownerLabels(owner)).every(([name, value]) => labels[name] === value);
}
