/** Plan for instances that no Machine knows of. */
import type { MissingSearch } from './missing-instances.ts';
import type { KeptReason, OrphanReason } from './orphan-claims.ts';

export interface Suspect {
  providerID: string;
  machineName: string;
  token?: string;
  because: OrphanReason;
  provider: string;
  /** A MachineClass with credentials that reach it. */
  className: string;
}

/** Milliseconds; since then every check that succeeded suspected it. */
export type TrackedSuspect = Suspect & { firstSeen: number };

/** Result of one listing of a cloud. */
export interface ScopeListing {
  provider: string;
  /** The first of the classes with these credentials and this scope. */
  className: string;
  classCount: number;
  kept: Partial<Record<KeptReason, number>>;
  /** Ordered by providerID. */
  suspects: Suspect[];
  /** More suspects than `suspects` holds. */
  omitted: number;
  /** Machines with an instance in this scope. Absent where there was no listing. */
  owned?: number;
  /** Absent when every Machine of this scope has its instance. */
  missing?: MissingSearch;
  /** Suspects of the run before that are cleared: they have a Machine, or are not to be touched. */
  cleared?: string[];
  /** Why there was no listing. */
  error?: string;
  /** All classes that were to be listed together, when there was no listing; at most 1,000. */
  unlistedClasses?: string[];
  /** Present where a note on the classes has to change. */
  credentials?: CredentialNews;
}

/** Result of a listing for the credentials of some classes. */
export interface CredentialNews {
  /** At most 100. */
  classNames: string[];
  /** The code and the words of the cloud; absent: it takes them, which it did not before. */
  refusal?: string;
}

export interface SweepRules {
  mode: 'delete' | 'report';
  /** Nothing is deleted while more than these are suspected: so many at once are a mistake. */
  maxDeletions: number;
  /** Between two checks that agree. */
  minAgeSeconds: number;
}

export interface SweepInput {
  listings: readonly ScopeListing[];
  /** Suspects of the run before. */
  earlier: readonly TrackedSuspect[];
  rules: SweepRules;
  /** Milliseconds. */
  now: number;
}

export interface SweepPlan {
  /** Ordered by providerID; with those that this run could not check. */
  suspects: TrackedSuspect[];
  /** All of them, also those that `suspects` had no room for. */
  suspectedCount: number;
  /** Suspects on which two checks agree. */
  confirmed: TrackedSuspect[];
  /** The confirmed ones, or none of them. */
  deletions: TrackedSuspect[];
  /** Why none of them is deleted. */
  stopped?: string;
}

export function planSweep({ listings, earlier, rules, now }: SweepInput): SweepPlan {
  const before = new Map(earlier.map((suspect) => [suspect.providerID, suspect]));
  // Two credentials, or two drivers of one cloud, may reach the same instances: the first deletes.
  const seen = new Map<string, TrackedSuspect>();
  for (const suspect of listings.flatMap(({ suspects }) => suspects)) {
    if (seen.has(suspect.providerID)) continue;
    const { firstSeen = now } = before.get(suspect.providerID) ?? {};
    seen.set(suspect.providerID, { ...suspect, firstSeen });
  }
  const confirmed = [...seen.values()]
    .filter(({ providerID }) => before.has(providerID))
    .filter(({ firstSeen }) => now - firstSeen >= rules.minAgeSeconds * 1_000)
    .toSorted(byProviderID);
  const cleared = new Set(listings.flatMap((listing) => listing.cleared ?? []));
  const carried = unseenOf(listings, earlier).filter(
    ({ providerID }) => !seen.has(providerID) && !cleared.has(providerID),
  );
  const omitted = sum(listings.map((listing) => listing.omitted));
  // A listing that fails makes a mistake no smaller.
  const suspectedCount = seen.size + omitted + carried.length;
  const stopped = stopOf(rules, suspectedCount);
  return {
    suspects: [...seen.values(), ...carried].toSorted(byProviderID),
    suspectedCount,
    confirmed,
    deletions: rules.mode === 'delete' && stopped === undefined ? confirmed : [],
    ...(stopped !== undefined && { stopped }),
  };
}

function stopOf({ mode, maxDeletions }: SweepRules, suspectedCount: number): string | undefined {
  if (mode === 'report' || suspectedCount <= maxDeletions) return undefined;
  return `${suspectedCount} instances have no Machine, more than the ${maxDeletions} of --safety-orphans-max-deletions: none is deleted, as this may be a mistake. If it is none, start the worker with a higher number`;
}

/** The listings that would show these failed: the suspects are neither cleared nor confirmed. */
function unseenOf(listings: readonly ScopeListing[], earlier: readonly TrackedSuspect[]) {
  const failed = listings.filter(({ error }) => error !== undefined);
  return earlier.filter(({ provider, className }) =>
    failed.some(
      (listing) =>
        listing.provider === provider && (listing.unlistedClasses?.includes(className) ?? true),
    ),
  );
}

function byProviderID(a: Suspect, b: Suspect): number {
  return a.providerID < b.providerID ? -1 : 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
