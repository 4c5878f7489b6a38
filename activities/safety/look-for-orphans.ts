/** Lists what a cloud has of ours, and says what of it no Machine knows, and which Machines it knows nothing of. */
import type { ListedInstance, OrphanLookRequest } from '../../workflows/activities.ts';
import type { Claims, KeptReason } from '../../workflows/plan/orphan-claims.ts';
import { saysRefused } from '../../workflows/plan/class-note.ts';
import { verdictAt } from '../../workflows/plan/orphan-claims.ts';
import type { CredentialNews, ScopeLook, Suspect } from '../../workflows/plan/orphan-sweep.ts';
import { noteIn } from '../machine-class/note.ts';
import type { Listing } from './list-scopes.ts';
import { listIn, listScopes } from './list-scopes.ts';
import { claimsIn, readMachines } from './machine-claims.ts';
import type { AskingWorld } from './missing-instances.ts';
import { listedIn, lookForMissing } from './missing-instances.ts';

/** The answer stands in a history. More suspects than the largest bound on deletions are of no use there. */
const suspectsMax = 200;

export async function lookForOrphans(
  world: AskingWorld,
  request: OrphanLookRequest,
): Promise<ScopeLook[]> {
  const scopes = await listScopes(world, request);
  const listings = await Promise.all(scopes.map((scope) => listIn(world, scope, request)));
  // After the instances: the Machine of each was there before it.
  const machines = await readMachines(world.control, request.namespace);
  const claims = claimsIn(machines);
  const listed = listedIn(listings);
  return await Promise.all(
    listings.map(async (listing) => {
      const missing = await lookForMissing(world, { listing, listed, machines, account: request });
      return { ...lookOf(listing, claims, request), ...(missing && { missing }) };
    }),
  );
}

/** The answer stands in a history. */
const toldClassesMax = 100;

/** Classes that say otherwise by now; nothing while all is as they say. */
function credentialNewsOf({ scope, error, isRefused }: Listing): CredentialNews | undefined {
  if (error !== undefined && !isRefused) return undefined;
  const classNames = scope.classes
    .filter((machineClass) => saysRefused(noteIn(machineClass), 'listing') !== (isRefused ?? false))
    .map(({ metadata }) => metadata.name)
    .slice(0, toldClassesMax);
  if (classNames.length === 0) return undefined;
  return { classNames, ...(error !== undefined && { refusal: error }) };
}

function lookOf(
  listing: Listing,
  claims: Claims,
  { provider, minAgeSeconds }: OrphanLookRequest,
): ScopeLook {
  const { scope, instances, error } = listing;
  const { classes } = scope;
  const credentials = credentialNewsOf(listing);
  const className = classes[0].metadata.name;
  return {
    classCount: classes.length,
    ...judged(instances, claims, { provider, className, minAgeSeconds }),
    ...(error !== undefined && { error }),
    ...(credentials && { credentials }),
  };
}

/** What becomes of the instances that one class led to. */
export function judged(
  instances: readonly ListedInstance[],
  claims: Claims,
  { provider, className, minAgeSeconds }: Pick<Suspect, 'provider' | 'className'> & Age,
): Omit<ScopeLook, 'classCount'> {
  const kept: Partial<Record<KeptReason, number>> = {};
  const suspects: Suspect[] = [];
  const now = Date.now();
  for (const instance of instances) {
    const verdict = verdictAt(now, instance, { claims, minAgeSeconds });
    if ('kept' in verdict) kept[verdict.kept] = (kept[verdict.kept] ?? 0) + 1;
    else {
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
  };
}

type Age = Pick<OrphanLookRequest, 'minAgeSeconds'>;
