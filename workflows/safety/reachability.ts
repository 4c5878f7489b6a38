/**
 * One run of the check `safety/reachability`: do both API servers answer? While one does not, the
 * run stays open and checks again, so that the search finds it. It changes nothing: every step of a
 * machine reads Machine and Node first, so that without an answer nothing is decided.
 */
import {
  setCurrentDetails,
  setWorkflowOptions,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ReachabilityCheck, ReachabilityReport } from '../contracts/safety-activities.ts';
import type { Outage, Server } from '../plan/safety/reachability.ts';
import { keys } from '../contracts/search-attributes.ts';
import { afterAnswer, isFrozen, nextCheckSeconds, resumed } from '../plan/safety/reachability.ts';
import { safetyCheck } from '../runtime/activity-options.ts';
import { pinned } from '../runtime/pinned.ts';

/** Below the limit of a run; the next one goes on from its report. */
const longestRunMs = 8 * 60_000;

export async function safetyReachability(check: ReachabilityCheck): Promise<ReachabilityReport> {
  const { startTime, lastResult } = workflowInfo();
  const last = outageIn(lastResult);
  let outage = last && resumed(last, Date.now(), check);
  let shown = '';
  for (;;) {
    const { away } = await safetyCheck('ask both API servers').checkServers(check);
    const now = Date.now();
    outage = afterAnswer(outage, away, now);
    const report = reportOf(check, outage, now);
    const words = report.isFrozen ? away.join(', ') : '';
    if (words !== shown) show(words, outage);
    shown = words;
    setCurrentDetails(detailsOf(check, report));
    if (!outage || now - startTime.getTime() >= longestRunMs) return report;
    await sleep(nextCheckSeconds(outage, check, now) * 1_000);
  }
}

setWorkflowOptions(pinned, safetyReachability);

/** Outage in the report of the run before; none where it ended well, or has another form. */
export function outageIn(lastResult: unknown): (Outage & { checkedAt: number }) | undefined {
  const report: Partial<Record<keyof ReachabilityReport, unknown>> = Object(lastResult);
  const since = Date.parse(String(report.since));
  const checkedAt = Date.parse(String(report.checkedAt));
  if (!Array.isArray(report.away) || Number.isNaN(since + checkedAt)) return undefined;
  return { away: report.away, since, checkedAt };
}

function show(words: string, outage: Outage | undefined): void {
  upsertSearchAttributes([
    { key: keys.Attention, value: words === '' ? 'none' : 'external' },
    { key: keys.BlockedBy, value: words === '' ? null : `frozen: ${words}` },
    { key: keys.WaitingSince, value: outage ? new Date(outage.since) : null },
  ]);
}

function reportOf(
  check: ReachabilityCheck,
  outage: Outage | undefined,
  now: number,
): ReachabilityReport {
  const checkedAt = new Date(now).toISOString();
  if (!outage) return { away: [], isFrozen: false, checkedAt };
  const { away, since } = outage;
  const isOver = isFrozen(outage, check, now);
  return { away: [...away], isFrozen: isOver, since: new Date(since).toISOString(), checkedAt };
}

const names: Record<Server, string> = {
  control: 'API server of the control cluster',
  target: 'API server of the target cluster',
};

function detailsOf({ namespace }: ReachabilityCheck, report: ReachabilityReport): string {
  const { away, since = '', isFrozen: isOver } = report;
  if (away.length === 0) return `### ${namespace}: both API servers answer`;
  return [
    `### ${namespace}: ${isOver ? 'frozen' : 'an API server does not answer'}`,
    ...away.map((server) => `- **Out of reach** since ${since}: the ${names[server]}`),
    '- No health clock runs and no machine is replaced; work goes on by itself when it answers again',
  ].join('\n');
}
