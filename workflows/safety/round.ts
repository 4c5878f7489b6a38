/**
 * One run of the Schedule `safety/all`: finds out in all namespaces of an install which checks have
 * something to do, and starts their runs.
 */
import { setCurrentDetails, setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import type { CheckOutcome, SafetyReport, SafetyRound } from '../contracts/safety-activities.ts';
import { installCheck } from '../runtime/activity-options.ts';
import { pinned } from '../runtime/pinned.ts';

export async function safety(round: SafetyRound): Promise<SafetyReport> {
  const all = !isByInterval(workflowInfo().workflowId, round);
  const report = await installCheck('check all namespaces').checkNamespaces({ all });
  setCurrentDetails(detailsOf(report));
  return report;
}

setWorkflowOptions(pinned, safety);

/**
 * A run that is started by hand checks everything now. The id ends with the second for
 * which it was started.
 */
export function isByInterval(
  workflowId: string,
  { everySeconds, offsetSeconds }: Pick<SafetyRound, 'everySeconds' | 'offsetSeconds'>,
): boolean {
  const seconds = Date.parse(workflowId.slice(-'2026-01-01T00:00:00Z'.length)) / 1_000;
  return (seconds - offsetSeconds) % everySeconds === 0;
}

export function detailsOf({ namespaces, made, found, postponed, last }: SafetyReport): string {
  const others = namespaces - last.length;
  return [
    `### ${made} checks of ${namespaces} namespaces, ${found} with a finding`,
    ...last.flatMap(({ namespace, checks }) => [`- **${namespace}**`, ...checks.map(lineOf)]),
    ...(others > 0 ? [`- ${others} other namespaces`] : []),
    ...(postponed > 0 ? [`- **Next run:** ${postponed} namespaces whose turn did not come`] : []),
  ].join('\n');
}

const words: Record<CheckOutcome['outcome'], string> = {
  nothing: 'nothing to do',
  found: 'found, and left to its last run',
  triggered: 'found, and its run started',
  failed: '**failed**',
};

function lineOf({ check, at, outcome, why }: CheckOutcome): string {
  return `  - \`${check}\` at ${at}: ${words[outcome]}${why === undefined ? '' : `: ${why}`}`;
}
