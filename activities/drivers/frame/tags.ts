/** Whose a thing is, as its tags say. */
import { createHash } from 'node:crypto';
import type { MachineRequest } from '../driver.ts';
import type { Cloud, CloudTypes, Resource, TagSpelling } from './cloud.ts';

export interface Owner {
  /** UID of the control cluster. */
  cluster: string;
  namespace: string;
}

export interface Made extends Pick<Owner, 'cluster'> {
  machine: { namespace: string; uid: string };
  token: string;
}

type Tags = Readonly<Record<string, string>>;

/** Where the cloud takes dots and slashes in the names of tags. */
export const usualNames: TagSpelling['names'] = {
  cluster: 'millwright.dev/cluster',
  namespace: 'millwright.dev/namespace',
  machineUid: 'millwright.dev/machine-uid',
  token: 'millwright.dev/token',
};

export function tagValue(text: string, spelling: TagSpelling): string {
  if (spelling.allowed.test(text)) return text;
  const { digestPrefix = 'sha256_', digestLength = 48 } = spelling;
  const digest = createHash('sha256').update(text).digest('hex');
  return `${digestPrefix}${digest.slice(0, digestLength)}`;
}

export function ownerTags({ cluster, namespace }: Owner, spelling: TagSpelling): Tags {
  const { names } = spelling;
  return {
    [names.cluster]: tagValue(cluster, spelling),
    [names.namespace]: tagValue(namespace, spelling),
  };
}

/** Those of the class and ours. */
export function tagsFor(
  classTags: Tags,
  { cluster, machine, token }: Made,
  spelling: TagSpelling,
): Record<string, string> {
  const { names, countMax = Number.POSITIVE_INFINITY } = spelling;
  const needed = {
    ...classTags,
    ...ownerTags({ cluster, namespace: machine.namespace }, spelling),
    [names.token]: tagValue(token, spelling),
  };
  const all = { ...needed, [names.machineUid]: tagValue(machine.uid, spelling) };
  return Object.keys(all).length > countMax ? needed : all;
}

/** Undefined when the tag holds a digest: the token cannot be read from it. */
export function tokenOf(
  { tags }: Pick<Resource, 'tags'>,
  spelling: TagSpelling,
): string | undefined {
  const value = tags[spelling.names.token];
  return value?.startsWith(spelling.digestPrefix ?? 'sha256_') ? undefined : value;
}

export function hasToken({ tags }: Resource, token: string, spelling: TagSpelling): boolean {
  return tags[spelling.names.token] === tagValue(token, spelling);
}

/** Made by Millwright, for any cluster. */
export function isTagged({ tags }: Resource, { names }: TagSpelling): boolean {
  return tags[names.cluster] !== undefined;
}

/** Our tags decide; a thing without them was made by MCM, and the class decides then. */
export function belongsTo<T extends CloudTypes>(
  cloud: Pick<Cloud<T>, 'tags' | 'isOfClass'>,
  thing: T['thing'],
  request: Owner & { providerSpec: unknown },
): boolean {
  if (!isTagged(thing, cloud.tags)) return cloud.isOfClass(thing, request.providerSpec, false);
  return hasTags(thing, ownerTags(request, cloud.tags));
}

/**
 * Of one that the Machine names. True when Millwright made it for this Machine, under any cluster
 * id, or MCM or machine-controller did.
 */
export function isMadeFor<T extends CloudTypes>(
  cloud: Pick<Cloud<T>, 'tags' | 'isOfClass' | 'isOfMachineController'>,
  thing: T['thing'],
  { machine, providerSpec }: MachineRequest,
): boolean {
  const { tags: spelling } = cloud;
  if (!isTagged(thing, spelling)) {
    if (cloud.isOfClass(thing, providerSpec, true)) return true;
    return Boolean(cloud.isOfMachineController?.(thing)) && isOfMachine(cloud, thing, machine);
  }
  const isOfNamespace =
    thing.tags[spelling.names.namespace] === tagValue(machine.namespace, spelling);
  return isOfNamespace && isOfMachine(cloud, thing, machine);
}

/** By its UID, or by its name. */
export function isOfMachine(
  { tags: spelling }: { tags: TagSpelling },
  { tags, name, machineName = name }: Resource,
  machine: MachineRequest['machine'],
): boolean {
  const uid = tags[spelling.names.machineUid];
  return machineName === machine.name || uid === tagValue(machine.uid, spelling);
}

export function hasTags({ tags }: Resource, wanted: Tags): boolean {
  return Object.entries(wanted).every(([name, value]) => tags[name] === value);
}
