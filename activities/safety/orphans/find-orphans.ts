/**
 * Lists what a cloud has of ours, and says what of it no Machine knows, and which Machines it knows
 * nothing of.
 */
import type { ListedInstance } from '../../../workflows/contracts/driver-contract.ts';
import type {
  OrphanSearchRequest,
  EvaluatedListing,
  ListingsRequest,
} from '../../../workflows/contracts/safety-activities.ts';
import {
  verdictAt,
  type Claims,
  type KeptReason,
} from '../../../workflows/plan/safety/orphan-claims.ts';
import { isRefusedNote } from '../../../workflows/plan/machine-class/note.ts';
import type {
  CredentialNews,
  ScopeListing,
  Suspect,
} from '../../../workflows/plan/safety/orphan-sweep.ts';
import { noteIn } from '../../machine-class/note.ts';
import { listIn, listScopes, type Listing } from './list-scopes.ts';
import { claimsIn } from './machine-claims.ts';
import { readMachines } from '../../machine/object.ts';
import { listedIn, findMissing, factOf, type SearchDependencies } from '../missing-instances.ts';
import { nowMs } from '../../system/system.ts';
import { findUnlisted } from '../../../workflows/plan/safety/missing-instances.ts';
import { lastPartOf } from '../../../workflows/values/provider-id.ts';
import type { KubeClient } from '../../../kube/client/client.ts';

/**
 * The answer stands in a history. More suspects than the largest bound on deletions are of no use
 * there.
 */
const suspectsMax = 200;

export async function findOrphans(
  dependencies: SearchDependencies,
  request: OrphanSearchRequest,
): Promise<ScopeListing[]> {
  const scopes = await listScopes(dependencies, request);
  const listings = await Promise.all(scopes.map((scope) => listIn(dependencies, scope, request)));
  // After the instances: the Machine of each was there before it.
  const machines = await readMachines(dependencies.control, request.namespace);
  const claims = claimsIn(machines);
  const listed = listedIn(listings);
  return await Promise.all(
    listings.map(async (listing) => {
      const found = await findMissing(dependencies, {
        listing,
        listed,
        machines,
        account: request,
      });
      return { ...listingOf(listing, claims, request), ...found };
    }),
  );
}

/** The answer stands in a history. */
const reportedClassesMax = 100;

/** Classes that say otherwise by now; nothing while all is as they say. */
function credentialNewsOf({ scope, error, isRefused }: Listing): CredentialNews | undefined {
  if (error !== undefined && !isRefused) return undefined;
  const classNames = scope.classes
    .filter(
      (machineClass) => isRefusedNote(noteIn(machineClass), 'listing') !== (isRefused ?? false),
    )
    .map(({ metadata }) => metadata.name)
    .slice(0, reportedClassesMax);
  if (classNames.length === 0) return undefined;
  return { classNames, ...(error !== undefined && { refusal: error }) };
}

function listingOf(
  listing: Listing,
  claims: Claims,
  { provider, minAgeSeconds, suspects }: OrphanSearchRequest,
): ScopeListing {
  const { scope, instances, error } = listing;
  const { classes } = scope;
  const credentials = credentialNewsOf(listing);
  const className = classes[0].metadata.name;
  return {
    classCount: classes.length,
    ...evaluated(instances, claims, {
      provider,
      className,
      minAgeSeconds,
      ...(suspects && { earlier: suspects }),
    }),
    ...(error !== undefined && {
      error,
      unlistedClasses: classes.map(({ metadata }) => metadata.name).slice(0, unlistedClassesMax),
    }),
    ...(credentials && { credentials }),
  };
}

/** Evaluates the instances to which one class led. */
export function evaluated(
  instances: readonly ListedInstance[],
  claims: Claims,
  { provider, className, minAgeSeconds, earlier = [] }: EvaluationRules,
): Omit<ScopeListing, 'classCount'> {
  const kept: Partial<Record<KeptReason, number>> = {};
  const suspects: Suspect[] = [];
  const cleared: string[] = [];
  const suspected = new Set(earlier);
  const now = nowMs();
  for (const instance of instances) {
    const verdict = verdictAt(now, instance, { claims, minAgeSeconds });
    if ('kept' in verdict) {
      kept[verdict.kept] = (kept[verdict.kept] ?? 0) + 1;
      if (suspected.has(instance.providerID)) cleared.push(instance.providerID);
    } else {
      const { createdAt: _known, ...identity } = instance;
      suspects.push({ ...identity, because: verdict.orphan, provider, className });
    }
  }
  return {
    provider,
    className,
    kept,
    suspects: suspects.slice(0, suspectsMax),
    omitted: Math.max(suspects.length - suspectsMax, 0),
    ...(cleared.length > 0 && { cleared }),
  };
}

interface EvaluationRules extends Pick<Suspect, 'provider' | 'className'> {
  minAgeSeconds: number;
  /** providerIDs that the run before suspected. */
  earlier?: readonly string[];
}

/** The answer stands in a history. */
const unlistedClassesMax = 1_000;

/** Evaluates what an external driver has listed. `findOrphans` does so beside the driver. */
export async function evaluateListings(
  control: KubeClient,
  { namespace, provider, minAgeSeconds, suspects = [], listings }: ListingsRequest,
): Promise<EvaluatedListing[]> {
  // After the instances: the Machine of each was there before it.
  const machines = await readMachines(control, namespace);
  const claims = claimsIn(machines);
  const facts = machines.map(factOf);
  const createdAt = new Map(facts.map((fact) => [fact.uid, fact.createdAt]));
  const listed = new Set(
    listings.flatMap(({ instances }) => instances.map((one) => lastPartOf(one.providerID))),
  );
  // How long its cloud may take is known when it is asked for one of them.
  const rules = { now: nowMs(), settleSeconds: 0 };
  return listings.map(({ className, instances, error }) => {
    const listing = evaluated(instances, claims, {
      provider,
      className,
      minAgeSeconds,
      earlier: suspects,
    });
    const scope = { classNames: new Set([className]), listed };
    const { owned, unlisted } = findUnlisted(facts, scope, rules);
    return {
      listing: {
        ...listing,
        classCount: 1,
        ...(error !== undefined && { error, unlistedClasses: [className] }),
      },
      machines: owned.length,
      // A listing that failed says of none that it is missing.
      unlisted:
        error === undefined
          ? unlisted.map((one) => ({ ...one, createdAt: createdAt.get(one.uid) ?? 0 }))
          : [],
    };
  });
}
