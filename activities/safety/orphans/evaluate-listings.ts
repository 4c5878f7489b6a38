/**
 * Evaluates what an external driver has listed. `find-orphans.ts` does so for the others, beside
 * the driver.
 */
import type {
  EvaluatedListing,
  ListingsRequest,
} from '../../../workflows/contracts/safety-activities.ts';
import { findUnlisted } from '../../../workflows/plan/safety/missing-instances.ts';
import { lastPartOf } from '../../../workflows/values/provider-id.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { evaluated } from './find-orphans.ts';
import { claimsIn } from './machine-claims.ts';
import { readMachines } from '../../machine/object.ts';
import { factOf } from '../missing-instances.ts';
import { nowMs } from '../../system/system.ts';

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
