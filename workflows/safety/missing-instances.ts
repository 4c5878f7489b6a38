/** The part of a run of `safety/orphans` about Machines whose instance the cloud does not know. */
import { isCancellation } from '@temporalio/workflow';
import type { OrphanCheck } from '../contracts/safety-activities.ts';
import type { OwnedInstance } from '../plan/safety/missing-instances.ts';
import type { MissingSearch } from '../plan/safety/missing-instances.ts';
import { isMassLoss, missingByProvider } from '../plan/safety/missing-instances.ts';
import type { ScopeListing } from '../plan/safety/orphan-sweep.ts';
import { safetyCheck, messageOf } from '../runtime/activity-options.ts';

/** In the report of a run. */
export interface MissingReport {
  /** Machines whose instance the cloud neither lists nor knows. */
  total: number;
  /** At most 100 of them. */
  machines: Pick<OwnedInstance, 'name' | 'providerID'>[];
  /** Why some of them are left alone, for each MachineClass. */
  stopped: { className: string; message: string }[];
  /** Why their workflows could not be signalled. */
  error?: string;
}

const namedMax = 100;
/**
 * Between the two answers of the cloud that have to agree, whatever the minimum age of orphans is.
 */
const confirmMaxSeconds = 120;

/** The workflows of the machines ask the cloud themselves before they act. */
export async function signalMissing(
  check: OrphanCheck,
  listings: readonly ScopeListing[],
): Promise<MissingReport> {
  const lossy = listings.filter(({ missing }) => missing !== undefined);
  const massLossOf = massLossIn(listings);
  const stopped = lossy.flatMap((listing) => stopOf(listing, massLossOf(listing)) ?? []);
  const all = instancesIn(lossy);
  const report: MissingReport = {
    total: all.length,
    machines: all.slice(0, namedMax).map(({ name, providerID }) => ({ name, providerID })),
    stopped,
  };
  const doubtful =
    check.mode === 'report' ? [] : instancesIn(lossy.filter((listing) => !massLossOf(listing)));
  if (doubtful.length === 0 && stopped.length === 0) return report;
  const { namespace, cluster, minAgeSeconds } = check;
  const confirmAfterSeconds = Math.min(minAgeSeconds, confirmMaxSeconds);
  const missing = doubtful.map((one) => ({ ...one, cluster, confirmAfterSeconds }));
  try {
    const steps = safetyCheck(`${doubtful.length} machines may have lost their instance`);
    await steps.signalMissingInstances({ namespace, missing, stopped });
    return report;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { ...report, error: messageOf(error) };
  }
}

/** A Machine is in one scope: that of its class. */
function instancesIn(listings: readonly ScopeListing[]): OwnedInstance[] {
  return listings.flatMap(({ missing }) => missing?.missing ?? []);
}

interface MassLoss extends MissingSearch {
  /** Set where it is that of all scopes together. */
  provider?: string;
}

/** Says of a listing whether too many are gone in it, or from all of its provider. */
function massLossIn(listings: readonly ScopeListing[]) {
  const byProvider = missingByProvider(listings);
  return ({ provider, missing }: ScopeListing): MassLoss | undefined => {
    const all = byProvider.get(provider);
    if (all && isMassLoss(all)) return { ...all, provider };
    return missing && isMassLoss(missing) ? missing : undefined;
  };
}

function stopOf(
  { className }: ScopeListing,
  loss: MassLoss | undefined,
): MissingReport['stopped'][number] | undefined {
  if (!loss) return undefined;
  const { missing: gone, asked, machines, provider } = loss;
  const ofProvider = provider === undefined ? '' : ` of provider ${provider}`;
  const ofAsked = asked < machines ? ` (${asked} were asked for)` : '';
  const message = `${gone.length} of ${machines} machines${ofProvider}${ofAsked} have no instance any more, for all that the cloud says: none is replaced because of that, as this may be a mistake, such as credentials of another account. Delete the Machines that are really lost`;
  return { className, message };
}

const linesMax = 20;

/** Markdown lines. */
export function formatMissing({ total, machines, stopped }: MissingReport): string[] {
  if (total === 0) return [];
  return [
    `- **Machines without an instance:** ${total}`,
    ...machines
      .slice(0, linesMax)
      .map(({ name, providerID }) => `- **Missing** \`${providerID}\` of Machine \`${name}\``),
    ...stopped.map(({ message }) => `- **Stopped:** ${message}`),
  ];
}
