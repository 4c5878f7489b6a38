/**
 * The search for orphans at providers whose driver is not built in. Such a driver serves
 * `DriverActivities` alone: it lists for each class and deletes what the core asks it to; the
 * core evaluates the listings.
 */
import { isCancellation } from '@temporalio/workflow';
import type {
  ExternalListing,
  ExternalProvider,
  EvaluatedListing,
  FinalCheck,
  FinalCheckRequest,
  ListingsRequest,
  OrphanCheck,
  OrphanOutcome,
  UnlistedInstance,
} from '../contracts/safety-activities.ts';
import { contractVersion } from '../contracts/driver-activities.ts';
import { listedDeletedBy, describedBy, listedBy, listedMax } from '../contracts/driver-answers.ts';
import type { OwnedInstance } from '../plan/safety/missing-instances.ts';
import type { ScopeListing, Suspect } from '../plan/safety/orphan-sweep.ts';
import {
  safetyCheck,
  listedDeletion,
  driverQuery,
  messageOf,
} from '../runtime/activity-options.ts';

interface DriverAccount {
  namespace: string;
  cluster: string;
  provider: string;
}

/** Each question is an activity in the history of the run. */
const askedMax = 20;

export async function searchExternal(
  { namespace, cluster, minAgeSeconds }: OrphanCheck,
  { provider, classNames }: ExternalProvider,
  suspects: string[],
): Promise<ScopeListing[]> {
  const account = { namespace, cluster, provider };
  const listings = await Promise.all(classNames.map((name) => listingOf(account, name)));
  const evaluated = await evaluate(account, distinct(listings), {
    minAgeSeconds,
    ...(suspects.length > 0 && { suspects }),
  });
  return await Promise.all(evaluated.map((listing) => withMissing(account, listing)));
}

/**
 * Classes of one account list the same: each instance counts for the first. All listings together
 * have to fit into a history.
 */
export function distinct(listings: readonly ExternalListing[]): ExternalListing[] {
  const seen = new Set<string>();
  return listings.map((listing) => {
    const { className, instances } = listing;
    const others = instances.filter(({ providerID }) => !seen.has(providerID));
    if (seen.size + others.length > listedMax) {
      const error = `more than ${listedMax} instances: too many for a driver that is not built in`;
      return { className, instances: [], error };
    }
    for (const { providerID } of others) seen.add(providerID);
    return { ...listing, instances: others };
  });
}

/** While no other class is sure to lead to them, everything that this one leads to counts. */
export async function checkFinallyExternal(request: FinalCheckRequest): Promise<FinalCheck> {
  const { className } = request;
  const listings = [await listingOf(request, className)];
  const [evaluated] = await evaluate(request, listings, { minAgeSeconds: 0 });
  if (!evaluated) return { left: 0, examples: [], error: 'no listing was evaluated' };
  const { suspects, omitted, error } = evaluated.listing;
  const examples = suspects.slice(0, 10).map(({ providerID }) => providerID);
  return { left: suspects.length + omitted, examples, ...(error !== undefined && { error }) };
}

/**
 * Checks again before it deletes: since the listing a Machine may have been created that is to
 * take the instance over.
 */
export async function deleteExternal(
  { namespace, cluster }: Pick<OrphanCheck, 'namespace' | 'cluster'>,
  suspect: Suspect,
): Promise<OrphanOutcome> {
  const { provider, providerID, machineName, token, className } = suspect;
  const instance = { providerID, machineName, ...(token !== undefined && { token }) };
  const listings = [{ className, instances: [instance] }];
  const [evaluated] = await evaluate({ namespace, cluster, provider }, listings, {
    minAgeSeconds: 0,
  });
  const [because] = Object.keys(evaluated?.listing.kept ?? {});
  if (because !== undefined) return { outcome: 'kept', because };
  const steps = listedDeletion(provider, `delete ${providerID}`);
  const answer = await steps.deleteListed({
    contractVersion,
    namespace,
    cluster,
    className,
    providerID,
  });
  const outcome = listedDeletedBy(answer, askedOf(provider));
  if (outcome.outcome === 'deleted') return { outcome: outcome.isFound ? 'deleted' : 'gone' };
  const { code, message } = outcome.failure;
  return { outcome: 'failed', message: `${code}: ${message}` };
}

async function evaluate(
  { namespace, provider }: DriverAccount,
  listings: ExternalListing[],
  rules: Pick<ListingsRequest, 'minAgeSeconds' | 'suspects'>,
): Promise<EvaluatedListing[]> {
  const steps = safetyCheck(`compare the instances of provider ${provider} with the Machines`);
  return await steps.evaluateListings({ namespace, provider, listings, ...rules });
}

/** A class that cannot be listed does not hide the others. */
async function listingOf(
  { namespace, cluster, provider }: DriverAccount,
  className: string,
): Promise<ExternalListing> {
  const steps = driverQuery(provider, `list the instances of class ${className}`);
  try {
    const answer = await steps.listInstances({ contractVersion, namespace, cluster, className });
    return { className, ...listedBy(answer, askedOf(provider)) };
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { className, instances: [], error: messageOf(error) };
  }
}

async function withMissing(
  account: DriverAccount,
  { listing, machines, unlisted }: EvaluatedListing,
): Promise<ScopeListing> {
  // Others at each check, when they are too many.
  const first = unlisted.length > askedMax ? Math.floor(Math.random() * unlisted.length) : 0;
  const asked = [...unlisted.slice(first), ...unlisted.slice(0, first)].slice(0, askedMax);
  const answers = await Promise.all(
    asked.map(async (one) => ((await isMissing(account, one, listing.className)) ? [one] : [])),
  );
  const missing = answers
    .flat()
    .map(({ createdAt: _known, ...one }): OwnedInstance => one)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const counted = listing.error === undefined ? { ...listing, owned: machines } : listing;
  if (missing.length === 0) return counted;
  const counts = { machines, unlisted: unlisted.length, asked: asked.length };
  return { ...counted, missing: { ...counts, missing } };
}

/**
 * A cloud that does not answer proves nothing, and neither does one that may not list the instance
 * yet.
 */
async function isMissing(
  { namespace, cluster, provider }: DriverAccount,
  { name, uid, providerID, createdAt }: UnlistedInstance,
  className: string,
): Promise<boolean> {
  const machine = { namespace, name, uid };
  const token = `${uid}-0`;
  const known = { machine, cluster, className, provider, token, providerID };
  const request = { contractVersion, ...known, isRetry: true };
  try {
    const steps = driverQuery(provider, `is ${providerID} there?`);
    const answer = describedBy(await steps.describeInstance(request), askedOf(provider));
    const isMeant = answer.outcome === 'missing';
    return isMeant && Date.now() - createdAt >= answer.settleSeconds * 1_000;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}

function askedOf(provider: string) {
  return { provider, usesTarget: false, isCancelled: false };
}
