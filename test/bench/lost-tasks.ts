/** Steps of workflow code that a worker did in vain: they took longer than their time. */
import type { Stack } from '../../deploy/local/stack.ts';
import { metricsOfWorkers } from './worker-metrics.ts';

const pattern =
  /^temporal_request_failure_total\{[^}]*operation="RespondWorkflowTaskCompleted"[^}]*\} (\d+)/;

/**
 * Of all workers since their start. Temporal does not know a task any more that it has given to
 * another worker.
 */
export async function lostTasksOf(stack: Stack): Promise<number> {
  const pages = Object.values(await metricsOfWorkers(stack));
  return pages
    .flatMap((page) => page.split('\n'))
    .map((line) => Number(pattern.exec(line)?.[1] ?? 0))
    .reduce((sum, count) => sum + count, 0);
}
