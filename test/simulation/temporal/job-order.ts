/** In which order a workflow hears what happened at once. */
import type { Job, Payload } from './messages.ts';

/** An event of a history, and what a workflow hears of it, if it hears of it. */
export interface News {
  event: string;
  job?: Job;
}

/** An update that a reset brought to the next run. */
export const updateAdmitted = 'WORKFLOW_EXECUTION_UPDATE_ADMITTED';

const ends = new Set([
  'ACTIVITY_TASK_COMPLETED',
  'ACTIVITY_TASK_FAILED',
  'ACTIVITY_TASK_TIMED_OUT',
  'ACTIVITY_TASK_CANCELED',
]);

/** As the server writes what came while a task was with a worker: ends of activities come last. */
export function sortedAsBuffer(news: readonly News[]): News[] {
  return news.toSorted((a, b) => Number(ends.has(a.event)) - Number(ends.has(b.event)));
}

/** As core hands out the jobs of one activation. */
export function sortedForActivation(news: readonly News[]): Job[] {
  const jobs = news.flatMap(({ job }) => (job ? [job] : []));
  return jobs.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ resolveActivity, ...job }: Job): number {
  if (job.initializeWorkflow) return 0;
  if (job.updateRandomSeed) return 1;
  if (job.signalWorkflow ?? job.doUpdate) return 2;
  return resolveActivity?.isLocal ? 4 : 3;
}

export function nameOf({ signalWorkflow, doUpdate }: Job = {}): string | undefined {
  return signalWorkflow?.signalName ?? doUpdate?.name ?? undefined;
}

export function payloadsOf(job: Job = {}): readonly Payload[] {
  const { signalWorkflow, doUpdate, resolveActivity } = job;
  const result = resolveActivity?.result?.completed?.result;
  return signalWorkflow?.input ?? doUpdate?.input ?? (result ? [result] : []);
}
