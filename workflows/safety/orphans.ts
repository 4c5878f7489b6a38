/**
 * One run of the check `safety/orphans`: searches for instances that no Machine knows of, deletes
 * those that two runs agree on, and reports. docs/safety.md says how to read, pause and start it.
 */
import {
  isCancellation,
  log,
  setCurrentDetails,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  ExternalProvider,
  OrphanCheck,
  OrphanOutcome,
} from '../contracts/safety-activities.ts';
import type { ScopeListing, Suspect, TrackedSuspect } from '../plan/safety/orphan-sweep.ts';
import { planSweep } from '../plan/safety/orphan-sweep.ts';
import type { OrphanReport } from './orphans-report.ts';
import { detailsOf, reportOf, suspectsIn } from './orphans-report.ts';
import { deleteExternal, searchExternal } from './external-drivers.ts';
import { signalMissing } from './missing-instances.ts';
import { safetyCheck, messageOf, orphanCheck } from '../runtime/activity-options.ts';
import { count } from '../runtime/counters.ts';
import { pinned } from '../runtime/pinned.ts';

export async function safetyOrphans(check: OrphanCheck): Promise<OrphanReport> {
  const { namespace } = check;
  const earlier = suspectsIn(workflowInfo().lastResult);
  const steps = safetyCheck('read the MachineClasses');
  const providers = await steps.findProviders({ namespace });
  const listings = (
    await Promise.all(providers.map((provider) => search(check, provider, earlier)))
  ).flat();
  const external = new Set(providers.filter(isExternalProvider).map(({ provider }) => provider));
  const now = Date.now();
  const plan = planSweep({ listings, earlier, rules: check, now });
  const outcomes = new Map<string, OrphanOutcome>();
  await Promise.all(
    plan.deletions.map(async (suspect) => {
      const isExternal = external.has(suspect.provider);
      outcomes.set(suspect.providerID, await deleteOne(check, suspect, isExternal));
    }),
  );
  const missing = await signalMissing(check, listings);
  await reportCredentials(check, listings);
  const report = { ...reportOf({ check, listings, plan, outcomes }), missing };
  setCurrentDetails(detailsOf(check, report));
  count('orphansDeleted', { kube_namespace: namespace }, report.deleted.length);
  const error = await writeEvents(check, plan, report);
  return error === undefined ? report : { ...report, errors: [...report.errors, error] };
}

setWorkflowOptions(pinned, safetyOrphans);

function isExternalProvider(found: string | ExternalProvider): found is ExternalProvider {
  return typeof found !== 'string';
}

/** A provider that does not answer does not hide the others. */
async function search(
  check: OrphanCheck,
  found: string | ExternalProvider,
  earlier: readonly TrackedSuspect[],
): Promise<ScopeListing[]> {
  const { namespace, cluster, minAgeSeconds } = check;
  const provider = isExternalProvider(found) ? found.provider : found;
  try {
    const suspects = earlier
      .filter((suspect) => suspect.provider === provider)
      .map(({ providerID }) => providerID);
    if (isExternalProvider(found)) return await searchExternal(check, found, suspects);
    const steps = orphanCheck(provider, {
      call: 'read',
      summary: `list the instances of provider ${provider}`,
    });
    return await steps.findOrphans({
      namespace,
      cluster,
      provider,
      minAgeSeconds,
      ...(suspects.length > 0 && { suspects }),
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    const failed = { provider, className: '', classCount: 0, kept: {}, suspects: [], omitted: 0 };
    return [{ ...failed, error: messageOf(error) }];
  }
}

async function deleteOne(
  { namespace, cluster }: OrphanCheck,
  { firstSeen: _past, ...suspect }: TrackedSuspect,
  isExternal: boolean,
): Promise<OrphanOutcome> {
  const steps = orphanCheck(suspect.provider, {
    call: 'delete',
    summary: `delete ${suspect.providerID}`,
  });
  try {
    if (isExternal) return await deleteExternal({ namespace, cluster }, suspect);
    return await steps.deleteOrphan({ namespace, cluster, suspect });
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { outcome: 'failed', message: messageOf(error) };
  }
}

/** A run that cannot report them has failed in nothing else: the next one reports them. */
async function reportCredentials(
  { namespace }: OrphanCheck,
  listings: ScopeListing[],
): Promise<void> {
  const news = listings.flatMap(({ credentials }) => credentials ?? []);
  if (news.length === 0) return;
  try {
    await safetyCheck('report credentials').reportCredentials({ namespace, news });
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('refused credentials could not be reported on their classes', {
      error: messageOf(error),
    });
  }
}

/** Writes the Events. Deletions count, also when these fail. */
async function writeEvents(
  { namespace }: OrphanCheck,
  { stopped, suspects }: { stopped?: string; suspects: readonly Suspect[] },
  { deleted }: OrphanReport,
): Promise<OrphanReport['errors'][number] | undefined> {
  const [first] = suspects;
  const isStopped = stopped !== undefined && first !== undefined;
  if (deleted.length === 0 && !isStopped) return undefined;
  const gone = new Set(deleted.map(({ providerID }) => providerID));
  try {
    await safetyCheck('write Events').reportOrphans({
      namespace,
      deleted: suspects.filter(({ providerID }) => gone.has(providerID)),
      ...(isStopped && { stopped: { className: first.className, message: stopped } }),
    });
    return undefined;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { where: 'Events', message: messageOf(error) };
  }
}
