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
import type {
  ScopeListing,
  Suspect,
  TrackedSuspect,
  SweepPlan,
} from '../plan/safety/orphan-sweep.ts';
import { planSweep } from '../plan/safety/orphan-sweep.ts';
import { deleteExternal, searchExternal } from './external-drivers.ts';
import type { MissingReport } from './missing-instances.ts';
import { signalMissing, formatMissing } from './missing-instances.ts';
import { safetyCheck, messageOf, orphanCheck } from '../runtime/activity-options.ts';
import { count } from '../runtime/counters.ts';
import { pinned } from '../runtime/pinned.ts';
import type { KeptReason } from '../plan/safety/orphan-claims.ts';
import { keptReasons } from '../plan/safety/orphan-claims.ts';

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

type ReportedSuspect = Suspect & {
  /** RFC 3339. */
  firstSeen: string;
};

interface DeletedOrphan {
  providerID: string;
  machineName: string;
  because: Suspect['because'];
}

/** Bounded: at most 200 suspects, 20 errors. */
export interface OrphanReport {
  mode: OrphanCheck['mode'];
  /** Listings of a cloud: one for each distinct credential and scope of the classes. */
  listings: number;
  kept: { total: number } & Partial<Record<KeptReason, number>>;
  /** Instances that no Machine knows of, with those that `suspects` has no room for. */
  suspected: number;
  /** Those of them that two checks agree on. */
  confirmed: number;
  /** Still there after this run. The next run compares with them. */
  suspects: ReportedSuspect[];
  deleted: DeletedOrphan[];
  /** Why none was deleted. */
  stopped?: string;
  errors: { where: string; message: string }[];
  /** Absent in reports of earlier versions. */
  missing?: MissingReport;
}

const suspectsMax = 200;
const errorsMax = 20;
const messageMax = 300;

interface OrphanRun {
  check: OrphanCheck;
  listings: readonly ScopeListing[];
  plan: SweepPlan;
  /** By providerID; of the deletions. */
  outcomes: ReadonlyMap<string, OrphanOutcome>;
}

export function reportOf({ check, listings, plan, outcomes }: OrphanRun): OrphanReport {
  const endOf = ({ providerID }: Suspect): OrphanOutcome['outcome'] | undefined =>
    outcomes.get(providerID)?.outcome;
  const left = plan.suspects.filter((suspect) => !isOver.has(endOf(suspect) ?? 'failed'));
  return {
    mode: check.mode,
    listings: listings.length,
    kept: keptIn(listings),
    suspected: plan.suspectedCount,
    confirmed: plan.confirmed.length,
    suspects: left.slice(0, suspectsMax).map(reported),
    deleted: plan.deletions
      .filter((suspect) => endOf(suspect) === 'deleted')
      .map(({ providerID, machineName, because }) => ({ providerID, machineName, because })),
    ...(plan.stopped !== undefined && { stopped: plan.stopped }),
    errors: errorsIn(listings, outcomes).slice(0, errorsMax),
  };
}

/** Nothing is left to suspect. */
const isOver: ReadonlySet<OrphanOutcome['outcome']> = new Set(['deleted', 'gone', 'kept']);

function reported({ firstSeen, ...suspect }: TrackedSuspect): ReportedSuspect {
  return { ...suspect, firstSeen: new Date(firstSeen).toISOString() };
}

function keptIn(listings: readonly ScopeListing[]): OrphanReport['kept'] {
  const kept: OrphanReport['kept'] = { total: 0 };
  for (const listing of listings) {
    for (const reason of keptReasons) {
      const number = listing.kept[reason] ?? 0;
      if (number === 0) continue;
      kept[reason] = (kept[reason] ?? 0) + number;
      kept.total += number;
    }
  }
  return kept;
}

function errorsIn(
  listings: readonly ScopeListing[],
  outcomes: OrphanRun['outcomes'],
): OrphanReport['errors'] {
  const ofListings = listings.flatMap(({ provider, className, error }) => {
    if (error === undefined) return [];
    const where =
      className === '' ? `provider ${provider}` : `provider ${provider}, MachineClass ${className}`;
    return [{ where, message: error.slice(0, messageMax) }];
  });
  const ofDeletions = [...outcomes].flatMap(([providerID, outcome]) =>
    outcome.outcome === 'failed'
      ? [{ where: providerID, message: outcome.message.slice(0, messageMax) }]
      : [],
  );
  return [...ofListings, ...ofDeletions];
}

/** Suspects of the run before; none where its result has another form: the checks begin anew. */
export function suspectsIn(lastResult: unknown): TrackedSuspect[] {
  const { suspects }: { suspects?: unknown } = Object(lastResult);
  if (!Array.isArray(suspects)) return [];
  return suspects.filter(isReported).flatMap(({ firstSeen: text, ...suspect }) => {
    const firstSeen = Date.parse(text);
    return Number.isNaN(firstSeen) ? [] : [{ ...suspect, firstSeen }];
  });
}

function isReported(value: unknown): value is ReportedSuspect {
  const fields: Partial<Record<keyof ReportedSuspect, unknown>> = Object(value);
  const texts = [fields.providerID, fields.machineName, fields.provider, fields.className];
  return [...texts, fields.because, fields.firstSeen].every((field) => typeof field === 'string');
}

const linesMax = 20;

/** Markdown. The UI draws tables without borders, so these are lists. */
export function detailsOf({ namespace }: OrphanCheck, report: OrphanReport): string {
  const { kept, suspects, deleted, errors, stopped } = report;
  const { total, ...reasons } = kept;
  const why = Object.entries(reasons).map(([reason, number]) => `${number} ${reason}`);
  return [
    `### Instances without a Machine in ${namespace}: ${report.suspected}`,
    `- **Kept:** ${total}${why.length > 0 ? ` (${why.join(', ')})` : ''}, in ${report.listings} listings`,
    ...(stopped === undefined ? [] : [`- **Stopped:** ${stopped}`]),
    ...deleted
      .slice(0, linesMax)
      .map((one) => `- **Deleted** \`${one.providerID}\`: ${reasonOf(one)}`),
    ...suspects
      .slice(0, linesMax)
      .map(
        (one) => `- **Suspected** since ${one.firstSeen} \`${one.providerID}\`: ${reasonOf(one)}`,
      ),
    ...errors.map(({ where, message }) => `- **Failed** at ${where}: ${message}`),
    ...(report.missing ? formatMissing(report.missing) : []),
    `- **Next:** ${nextOf(report)}`,
  ].join('\n');
}

function reasonOf({ because, machineName }: DeletedOrphan): string {
  return because === 'surplus'
    ? `Machine ${machineName} has another instance`
    : `there is no Machine ${machineName}`;
}

function nextOf({ mode, stopped, suspects }: OrphanReport): string {
  if (suspects.length === 0) return 'nothing to do';
  if (mode === 'report') return 'nothing is deleted: --safety-orphans=report';
  if (stopped !== undefined) return 'a person decides';
  return 'the next run deletes those that it still suspects after the minimum age';
}
