/** Which instances of a cloud no Machine knows of. Every doubt keeps an instance. */
import { lastPartOf } from '../../values/provider-id.ts';

/** An instance as its cloud lists it, with the tags of our cluster and namespace. */
export interface InstanceFact {
  providerID: string;
  machineName: string;
  token?: string;
  /** Milliseconds. */
  createdAt?: number;
}

export interface MachineClaim {
  name: string;
  uid: string;
  providerID?: string;
  isDeleting: boolean;
}

export const keptReasons = [
  /** A Machine has its providerID. */
  'claimed',
  /** Its Machine has no providerID yet: a create is under way. */
  'creating',
  /** Its Machine is being deleted, which deletes it. */
  'deleting',
  /** No Machine knows of it, but it is younger than the minimum age. */
  'young',
] as const;

export type KeptReason = (typeof keptReasons)[number];

export type OrphanReason =
  | 'noMachine'
  /** Its Machine has another instance. */
  | 'surplus';

export type Verdict = { kept: KeptReason } | { orphan: OrphanReason };

/** Answers in a moment for thousands of instances. */
export interface Claims {
  /** Last parts of the providerIDs: region and zone are written in more ways than one. */
  instances: ReadonlySet<string>;
  byName: ReadonlyMap<string, MachineClaim>;
  byUid: ReadonlyMap<string, MachineClaim>;
}

export function claimsOf(machines: readonly MachineClaim[]): Claims {
  const instances = machines.flatMap(({ providerID }) =>
    providerID === undefined ? [] : [lastPartOf(providerID)],
  );
  return {
    instances: new Set(instances),
    byName: new Map(machines.map((machine) => [machine.name, machine])),
    byUid: new Map(machines.map((machine) => [machine.uid, machine])),
  };
}

/**
 * Whatever names a Machine counts: providerID, token, and the name, by which a create would find
 * the instance.
 */
export function verdictOn(instance: InstanceFact, claims: Claims): Verdict {
  if (claims.instances.has(lastPartOf(instance.providerID))) return { kept: 'claimed' };
  const owners = [
    claims.byUid.get(uidIn(instance.token ?? '')),
    claims.byName.get(instance.machineName),
  ].filter((owner) => owner !== undefined);
  if (owners.some(({ isDeleting }) => isDeleting)) return { kept: 'deleting' };
  if (owners.some(({ providerID }) => providerID === undefined)) return { kept: 'creating' };
  return { orphan: owners.length > 0 ? 'surplus' : 'noMachine' };
}

/** A token is the UID of a Machine, a dash, and how many of its creates were refused. */
function uidIn(token: string): string {
  return token.slice(0, token.lastIndexOf('-'));
}

/** The same, for an instance that may be too young for it. */
export function verdictAt(
  now: number,
  instance: InstanceFact,
  { claims, minAgeSeconds }: { claims: Claims; minAgeSeconds: number },
): Verdict {
  const verdict = verdictOn(instance, claims);
  const isYoung = now - (instance.createdAt ?? 0) < minAgeSeconds * 1_000;
  return 'orphan' in verdict && isYoung ? { kept: 'young' } : verdict;
}
