/**
 * `status.failedMachines` within bounds: a status with thousands of them is too large to be stored.
 */
import type { MachineSetCondition, MachineSummary } from '../../workflows/api/machine-set.ts';
import { clip } from '../../workflows/values/clip.ts';
import { compareText } from '../../workflows/plan/machine-set/scale-down.ts';

const mostNamed = 100;
const longestDescriptionBytes = 1_000;

/** The first by name; descriptions are cut, as clouds and drivers may send thousands of bytes. */
export function boundedSummaries(summaries: readonly MachineSummary[]): MachineSummary[] {
  return summaries
    .toSorted((a, b) => compareText(a.name ?? '', b.name ?? ''))
    .slice(0, mostNamed)
    .map(withShortDescription);
}

function withShortDescription(summary: MachineSummary): MachineSummary {
  const { description } = summary.lastOperation ?? {};
  if (description === undefined) return summary;
  const short = clip(description, longestDescriptionBytes);
  return { ...summary, lastOperation: { ...summary.lastOperation, description: short } };
}

export const manyFailed = 'ManyFailedMachines';

/** How many there are, when the list does not name all. */
export function manyFailedConditions(
  count: number,
  present: readonly MachineSetCondition[],
): MachineSetCondition[] {
  const others = present.filter(({ type }) => type !== manyFailed);
  if (count <= mostNamed) return others;
  const reason = 'FailedMachinesCut';
  const message = `${count} machines failed; failedMachines names the first ${mostNamed}`;
  return [...others, { type: manyFailed, status: 'True', reason, message }];
}
