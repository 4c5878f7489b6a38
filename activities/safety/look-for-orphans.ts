/** Lists what a cloud has of ours, and says what of it no Machine knows. */
import type { OrphanLookRequest } from '../../workflows/activities.ts';
import type { Claims, KeptReason } from '../../workflows/plan/orphan-claims.ts';
import { verdictAt } from '../../workflows/plan/orphan-claims.ts';
import type { ScopeLook, Suspect } from '../../workflows/plan/orphan-sweep.ts';
import type { Listing, ListWorld } from './list-scopes.ts';
import { listIn, listScopes } from './list-scopes.ts';
import { readClaims } from './machine-claims.ts';

/** The answer stands in a history. More suspects than the largest bound on deletions are of no use there. */
const suspectsMax = 200;

export async function lookForOrphans(
  world: ListWorld,
  request: OrphanLookRequest,
): Promise<ScopeLook[]> {
  const scopes = await listScopes(world, request);
  const listings = await Promise.all(scopes.map((scope) => listIn(world, scope, request)));
  // After the instances: the Machine of each was there before it.
  const claims = await readClaims(world.control, request.namespace);
  return listings.map((listing) => lookOf(listing, claims, request));
}

function lookOf(
  { scope, instances, error }: Listing,
  claims: Claims,
  { provider, minAgeSeconds }: OrphanLookRequest,
): ScopeLook {
  const { classes } = scope;
  const className = classes[0].metadata.name;
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
    classCount: classes.length,
    kept,
    suspects: suspects.slice(0, suspectsMax),
    omitted: Math.max(suspects.length - suspectsMax, 0),
    ...(error !== undefined && { error }),
  };
}
