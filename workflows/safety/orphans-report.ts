/**
 * Report of a run of `safety/orphans`: its result, for the next run, and its page in Temporal's UI.
 */
import type { OrphanCheck, OrphanOutcome } from '../contracts/safety-activities.ts';
import type { KeptReason } from '../plan/safety/orphan-claims.ts';
import { keptReasons } from '../plan/safety/orphan-claims.ts';
import type { MissingReport } from './missing-instances.ts';
import { missingInWords } from './missing-instances.ts';
import type {
  ScopeListing,
  Suspect,
  SweepPlan,
  TrackedSuspect,
} from '../plan/safety/orphan-sweep.ts';

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

export interface Run {
  check: OrphanCheck;
  listings: readonly ScopeListing[];
  plan: SweepPlan;
  /** By providerID; of the deletions. */
  outcomes: ReadonlyMap<string, OrphanOutcome>;
}

export function reportOf({ check, listings, plan, outcomes }: Run): OrphanReport {
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
  outcomes: Run['outcomes'],
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
    ...(report.missing ? missingInWords(report.missing) : []),
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
